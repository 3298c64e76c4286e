/** The page about scripts and functions, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of scripts');

const HOSTILE = `-- <img/src=x/onerror=alert(1)> a\u202eb\nreturn '\\n'`;
const LOOP = 'while true do end';
const LIBRARY = `#!lua name=mylib
redis.register_function('get', function(keys) return redis.call('GET', keys[1]) end)`;

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const table = (page: Page) => page.getByRole('table', { name: 'Scripts and functions' });

if (needs('chromium')) {
  pages.before(async () => {
    const args = ['--set', 'scripting.busy-reply-threshold-ms=50'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.call('FUNCTION', 'LOAD', LIBRARY);
    await client.call('EVAL', HOSTILE, 0);
    await client.call('FCALL', 'get', 1, 'key');
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const width of [1280, 320]) {
    pages(`shows a source as text, at ${width} pixels`, async () => {
      const { page, complaints } = await openView(browser, { width });
      await visit(page, server.httpPort, 'scripts');
      await page.getByRole('heading', { name: '2 of 2 scripts' }).waitFor();
      await page.getByText('No script is running.').waitFor();
      await page.getByRole('searchbox', { name: 'Filter scripts' }).fill('onerror');
      await page.getByRole('heading', { name: '1 of 2 scripts' }).waitFor();
      await table(page)
        .getByRole('button', { name: /^[\da-f]{40}$/ })
        .click();
      const source = page.locator('pre.source');
      assert.is(await source.textContent(), HOSTILE.replace('\u202e', '\\u{202e}'));
      assert.is(await page.locator('main img').count(), 0);
      await shoot(page, `scripts-${width}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      await page.keyboard.press('Escape');
      await source.waitFor({ state: 'detached' });
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('says where the code of a function is', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'scripts');
    await table(page).getByRole('button', { name: 'mylib.get' }).click();
    await page.getByText('FUNCTION LIST LIBRARYNAME mylib WITHCODE').waitFor();
    await page.close();
  });

  pages('shows what runs, and which shard is not heard', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'scripts');
    const looping = await server.client();
    const running = looping.pipeline([['EVAL', LOOP, '0']]);
    const runs = page.getByRole('table', { name: 'Scripts that run now' });
    await runs.getByText('eval').waitFor();
    await page.getByText(/^Shard [01].* did not reply in time/).waitFor();
    await client.call('SCRIPT', 'KILL');
    await running;
    await page.getByText('No script is running.').waitFor();
    await page.getByRole('heading', { name: '3 of 3 scripts' }).waitFor();
    assert.equal(complaints, []);
    await looping.end();
    await page.close();
  });
}

pages.run();
