/** The page about scripts and functions, in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, ReplyError, type RespClient, startServer } from '#testkit';
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

  for (const [width, theme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`kills a running script by its button, at its line, ${width} pixels`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'scripts');
      const looping = await server.client();
      const source = `local n = 0\nwhile true do\n  n = n + 1\nend -- ${width}`;
      const running = looping.reply('EVAL', source, 0);
      const runs = page.getByRole('table', { name: 'Scripts that run now' });
      await runs
        .getByRole('cell', { name: /^[23]$/ })
        .first()
        .waitFor();
      await runs.getByRole('button', { name: /^[\da-f]{40}$/ }).click();
      await page.getByText(/^It executes line [23] now\.$/).waitFor();
      assert.match((await page.locator('pre.source mark').textContent()) ?? '', /while|n \+ 1/);
      assert.match(page.url(), /#\/scripts\?sha=[\da-f]{40}$/);
      await shoot(page, `scripts-running-${width}-${theme}`);
      await runs.getByRole('button', { name: /^Kill the script on shard [01]$/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await runs.getByRole('button', { name: /^Kill/ }).click();
      await dialog.getByRole('button', { name: 'Kill' }).click();
      await page.getByText(/^Script on shard [01] killed\.$/).waitFor();
      const ended = await running;
      assert.instance(ended, ReplyError);
      assert.match((ended as ReplyError).message, /killed by user/i);
      await page.getByText('No script is running.').waitFor();
      assert.is(await page.locator('pre.source mark').count(), 0);
      assert.equal(complaints, []);
      await looping.end();
      await page.close();
    });
  }

  pages('a script that has written cannot be killed', async () => {
    const { page } = await openView(browser);
    const looping = await server.client();
    // It ends by itself.
    const source = `redis.call('SET', KEYS[1], 'v') for n = 1, 1e9 do end`;
    const running = looping.reply('EVAL', source, 1, 'key');
    await visit(page, server.httpPort, 'scripts');
    const button = page.getByRole('button', { name: /^Kill the script on shard/ });
    await button.waitFor();
    assert.ok(await button.isDisabled());
    assert.match((await button.getAttribute('title')) ?? '', /^It has written/);
    await running;
    await looping.end();
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
    await page.getByRole('heading', { name: /^(\d) of \1 scripts$/ }).waitFor();
    assert.equal(complaints, []);
    await looping.end();
    await page.close();
  });
}

pages.run();
