/** From an issue, or a limit, to its object: links of the overview, and parameters of pages. */
// test-tier: long
import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, request, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, PAGES, shoot, visit } from '../browser.ts';

const links = suite('links of the debug pages');

let server: ChildServer;
let client: RespClient;
let browser: Browser;

if (needs('chromium')) {
  links.before(async () => {
    [server, browser] = await Promise.all([
      startServer({
        http: true,
        shards: 2,
        args: ['--set', 'scripting.busy-reply-threshold-ms=50'],
      }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.call('SET', 'key', 'v');
  });
  links.after(async () => {
    await browser.close();
    await server.stop();
  });

  links('a short address leads to its page, with its parameters', async () => {
    for (const name of PAGES) {
      const { status, headers } = await request(server.httpPort, `/debug/${name}`);
      assert.equal([status, headers.location], [303, `/debug/#/${name}`]);
    }
    const { headers } = await request(server.httpPort, '/debug/hot-keys?key=a%2520%26b');
    assert.is(headers.location, '/debug/#/hot-keys?key=a%2520%26b');
    assert.is((await request(server.httpPort, '/debug/nothing')).status, 404);
    assert.is((await request(server.httpPort, '/debug/clients?nonsense=1')).status, 400);
    const { page } = await openView(browser);
    await page.goto(`http://127.0.0.1:${server.httpPort}/debug/shards?shard=1`);
    await page.getByText('Shard 1 is marked.').waitFor();
    await page.close();
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'light'],
    [390, 'dark'],
  ] as const) {
    links(`a limit leads to the script that is it, ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'overview');
      const looping = await server.client();
      const source = `while true do end -- ${width}${theme}`;
      const running = looping.pipeline([['EVAL', source, '0']]);
      const digest = createHash('sha1').update(source).digest('hex');
      const limits = page.getByRole('region', { name: 'Limited by' });
      const link = limits.locator(`a[href*="scripts?sha=${digest}"]`).first();
      await link.waitFor();
      await shoot(page, `limits-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      await link.click();
      await page.getByRole('heading', { name: 'Scripts', level: 1 }).waitFor();
      await page.locator('.detail pre.source').getByText(source).waitFor();
      await client.call('SCRIPT', 'KILL');
      await running;
      await page.getByRole('link', { name: 'Overview' }).click();
      await link.waitFor({ state: 'detached' });
      assert.equal(complaints, []);
      await looping.end();
      await page.close();
    });
  }

  links('an issue leads to its object', async () => {
    const { page } = await openView(browser);
    await client.call('CONFIG', 'SET', 'maxclients', '2');
    const other = await server.client();
    await visit(page, server.httpPort, 'overview');
    const issue = page.locator('.issue', { hasText: 'NEAR_CONNECTION_LIMIT' });
    await issue.getByRole('link', { name: /^Show/ }).click();
    await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
    await client.call('CONFIG', 'SET', 'maxclients', '10000');
    await other.end();
    await page.close();
  });

  links('a shard that is named is marked in every figure, until the mark is removed', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'shards?shard=1');
    const marked = page.locator('.spread li[aria-current]');
    await marked.first().waitFor();
    const texts = await marked.allInnerTexts();
    assert.ok(texts.length >= 5 && texts.every((text) => text.startsWith('shard 1')), texts.join());
    await shoot(page, 'shards-marked');
    await page.getByRole('button', { name: 'Remove the mark' }).click();
    await marked.first().waitFor({ state: 'detached' });
    assert.equal(complaints, []);
    await page.close();
  });

  links('a key that is named is shown with its use', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'hot-keys?key=key');
    const detail = page.locator('.detail');
    await detail.getByText('It is neither in the session nor in the last window').waitFor();
    await client.call('HOTKEYS', 'START', 'METRICS', 2, 'cpu', 'net');
    await client.call('GET', 'key');
    await detail.getByText('It is neither in the session').waitFor({ state: 'detached' });
    await shoot(page, 'hot-keys-linked');
    await detail.getByRole('button', { name: 'Close' }).click();
    await detail.waitFor({ state: 'detached' });
    await client.call('HOTKEYS', 'STOP');
    await client.call('HOTKEYS', 'RESET');
    assert.equal(complaints, []);
    await page.close();
  });
}

links.run();
