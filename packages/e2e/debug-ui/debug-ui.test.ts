/** The debug pages in a real browser. */
// test-tier: long
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, request, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, PAGES, samplesPass, shoot, visit } from './browser.ts';

const pages = suite('debug pages');

const TOKEN = 'a-token-of-the-test';
const HOSTILE = '<img/src=x/onerror=alert(1)>';
/** Without the samples of the charts. */
const FIRST_LOAD_BYTES_MAX = 55_000;

let server: ChildServer;
let closed: ChildServer;
let client: RespClient;
let browser: Browser;
let load: NodeJS.Timeout;

if (needs('chromium')) {
  pages.before(async () => {
    const args = ['--set', 'slowlog.log-slower-than=0', '--set', 'latency-bands.enabled=true'];
    [server, closed, browser] = await Promise.all([
      startServer({ http: true, args }),
      startServer({ http: true, shards: 1, args: ['--set', `http.token=${TOKEN}`] }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.call('CLIENT', 'SETNAME', HOSTILE);
    load = setInterval(() => {
      const commands = [
        ['INCR', '<b>hot</b>'],
        ['SET', Buffer.from([0xff, 0, 10, 0x41]), 'v'],
        ['GET', 'none'],
        ['SET', `key:${Math.random()}`, 'v'],
      ];
      client.pipeline(commands).catch(() => undefined);
    }, 20);
  });
  pages.after(async () => {
    clearInterval(load);
    await browser.close();
    await Promise.all([server.stop(), closed.stop()]);
  });

  pages('show a trace as a waterfall of its spans', async () => {
    const { page, complaints } = await openView(browser);
    await client.call('CONFIG', 'SET', 'tracing-enabled', 'yes', 'tracing-shard-spans', 'yes');
    await client.call('LPUSH', 'traced', HOSTILE);
    await client.call('CONFIG', 'SET', 'tracing-enabled', 'no', 'tracing-shard-spans', 'no');
    await visit(page, server.httpPort, 'traces');
    await page.getByRole('button', { name: 'LPUSH' }).first().click();
    const waterfall = page.locator('.waterfall');
    for (const name of ['LPUSH', 'shard.queue', 'shard.execute', 'store.LPUSH']) {
      await waterfall.getByText(name, { exact: true }).first().waitFor();
    }
    await waterfall.getByText('LPUSH', { exact: true }).first().click();
    await waterfall.getByText(`LPUSH traced ${HOSTILE}`).waitFor();
    assert.equal(complaints, []);
    await page.close();
  });

  pages('show the charts of what happens', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    const chart = page.getByRole('img', { name: /Operations per second\. ops: now [1-9]/ });
    await chart.waitFor();
    assert.ok((await page.locator('canvas').count()) >= 6);
    await page.close();
  });

  pages('stop asking while they are paused, and fill the gap afterwards', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    await page.getByRole('button', { name: 'Pause' }).click();
    await samplesPass(server.httpPort, 1);
    const asked: string[] = [];
    page.on('request', (one) => asked.push(one.url()));
    await samplesPass(server.httpPort, 3);
    assert.equal(asked, []);
    const answer = page.waitForResponse(/api\/live/);
    await page.getByRole('button', { name: 'Resume' }).click();
    const body = (await (await answer).json()) as { samples: { after_ms: unknown[] } };
    const count = body.samples.after_ms.length;
    assert.ok(count >= 2, `${count} samples`);
    await page.close();
  });

  for (const [name, selector] of [
    ['performance', 'select'],
    ['key-fates', 'input[name=key]'],
    ['clients', 'input[type=search]'],
    ['bundles', 'button.primary'],
  ] as const) {
    pages(`${name} leaves the focus where it is when the first answer comes`, async () => {
      const { page } = await openView(browser);
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => (answer = resolve));
      await page.route(/debug\/api/, async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`http://127.0.0.1:${server.httpPort}/debug/#/${name}`);
      await page.locator(`main ${selector}`).first().focus();
      await page.evaluate("document.activeElement.dataset.mark = 'mine'");
      answer();
      await page.locator('header.top .identity').waitFor();
      await page.locator('[data-freshness="waiting"]').first().waitFor({ state: 'detached' });
      await page.locator('[data-mark="mine"]:focus').waitFor();
      await page.close();
    });
  }

  pages('a page that cannot be loaded says so, and is loaded once it can be', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    await page.route(/traces-/, (route) => route.abort());
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByText('This page could not be loaded.').waitFor();
    await page.unroute(/traces-/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await page.locator('.panel').first().waitFor();
    await page.close();
  });

  pages('ask nothing while they are hidden', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'clients');
    await setHidden(page, true);
    await samplesPass(server.httpPort, 1);
    const asked: string[] = [];
    page.on('request', (one) => asked.push(one.url()));
    await samplesPass(server.httpPort, 3);
    assert.equal(asked, []);
    await setHidden(page, false);
    await page.waitForResponse(/api\/live/);
    await page.close();
  });

  pages('are used by keyboard', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    await page.keyboard.press('Tab');
    assert.is(await focused(page), 'Skip to content');
    for (let presses = 0; presses < 20 && (await focused(page)) !== 'Clients'; presses += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
    assert.is(await focused(page), 'Clients');
    // What is there before the first answer may go with it.
    await page.getByRole('table').first().waitFor();
    await page.keyboard.press('Tab');
    await page.waitForFunction("getComputedStyle(document.activeElement).outlineStyle === 'solid'");
    await page.close();
  });

  pages('have landmarks, named tables and one heading of the first level', async () => {
    const { page } = await openView(browser);
    for (const name of PAGES) {
      await visit(page, server.httpPort, name);
      assert.is(await page.getByRole('main').count(), 1);
      assert.is(await page.getByRole('navigation', { name: 'Pages' }).count(), 1);
      assert.is(await page.getByRole('heading', { level: 1 }).count(), 1);
      assert.is(await page.locator('table:not(:has(caption))').count(), 0, name);
      const unnamed = 'button:not([aria-label]):empty, input:not([aria-label]):not(label input)';
      assert.is(await page.locator(unnamed).count(), 0, name);
    }
    await page.close();
  });

  pages('remember the colours that were chosen', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    const button = page.getByRole('button', { name: /Theme/ });
    await button.click();
    await button.click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    assert.is(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await page.close();
  });

  pages('show hostile names and keys as text', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'clients');
    await page.getByText(HOSTILE).first().waitFor();
    await visit(page, server.httpPort, 'performance');
    await page.getByText('<b>hot</b>').first().waitFor();
    assert.is(await page.locator('main img, main b:text-is("hot")').count(), 0);
    assert.equal(complaints, []);
    await page.close();
  });

  pages('disconnect a client when that is confirmed', async () => {
    const { page } = await openView(browser);
    const victim = await server.client();
    await victim.call('CLIENT', 'SETNAME', 'victim');
    const gone = new Promise((resolve) => victim.socket.once('close', resolve));
    await visit(page, server.httpPort, 'clients');
    await page.getByRole('searchbox').fill('victim');
    await page.getByRole('button', { name: /^Kill client/ }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.is(await victim.call('PING'), 'PONG');
    await page.getByRole('button', { name: /^Kill client/ }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await gone;
    await page.getByText(') disconnected.').waitFor();
    await page.close();
  });

  pages('change a setting, and tell why one cannot be', async () => {
    const { page } = await openView(browser);
    const name = 'slowlog.max-len';
    await visit(page, server.httpPort, 'configuration');
    await page.getByRole('button', { name: `Change ${name}` }).click();
    const field = page.getByRole('textbox', { name: `New value of ${name}` });
    await field.fill('many');
    await field.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/slowlog-max-len/)
      .waitFor();
    await field.fill('77');
    await field.press('Enter');
    await page.getByText(`${name} changed until`).waitFor();
    assert.equal(await client.call('CONFIG', 'GET', 'slowlog-max-len'), ['slowlog-max-len', '77']);
    await page.close();
  });

  pages('look for hot keys', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'hot-keys');
    await page.getByRole('spinbutton', { name: /Keys/ }).fill('5');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('cell', { name: '<b>hot</b>' }).waitFor();
    await page.getByRole('cell', { name: '\\xff\\x00\\nA' }).waitFor();
    await shoot(page, 'hot-keys-active');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Start' }).waitFor();
    await page.close();
  });

  pages('show the last window and the counts by prefix', async () => {
    const { page } = await openView(browser);
    await client.call('CONFIG', 'SET', 'key-prefixes', 'key: <b>');
    const windows = ['hotkeys-window-seconds', '1', 'hotkeys-window-sample', '1'];
    await client.call('CONFIG', 'SET', ...windows, 'hotkeys-window-enabled', 'yes');
    await visit(page, server.httpPort, 'hot-keys');
    const hottest = page.getByRole('table', { name: 'Hottest keys of the last window' });
    await hottest.getByRole('cell', { name: '<b>hot</b>' }).waitFor();
    await hottest.getByRole('cell', { name: '\\xff\\x00\\nA' }).waitFor();
    const prefixes = page.getByRole('table', { name: 'Key prefixes' });
    for (const prefix of ['key:', '<b>', 'other keys']) {
      await prefixes.getByRole('cell', { name: prefix, exact: true }).waitFor();
    }
    await shoot(page, 'hot-keys-window');
    await client.call('CONFIG', 'SET', 'hotkeys-window-enabled', 'no', 'key-prefixes', '');
    await page.close();
  });

  pages('make and download a bundle', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'bundles');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Generate and download' }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^svc-bundle-\d{8}T\d{6}Z-[\da-f]{6}\.tar\.gz$/);
    const copy = path.join(server.folder, file.suggestedFilename());
    await file.saveAs(copy);
    assert.ok(gunzipSync(readFileSync(copy)).includes('manifest.json'));
    const link = page.getByRole('link', { name: /^Download bundle/ });
    const [again] = await Promise.all([page.waitForEvent('download'), link.first().click()]);
    assert.is(again.suggestedFilename(), file.suggestedFilename());
    await page.close();
  });

  pages('empty the slow log', async () => {
    const { page } = await openView(browser);
    await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '-1');
    await visit(page, server.httpPort, 'performance');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Log cleared (slow).').waitFor();
    assert.is(await client.call('SLOWLOG', 'LEN'), 0);
    await page.close();
  });

  pages('show large requests and replies with their sizes, and empty each log', async () => {
    const { page } = await openView(browser);
    await client.call('CONFIG', 'SET', 'commandlog-reply-larger-than', '2000');
    await client.call('SET', 'large', 'v'.repeat(2_000));
    await client.call('GET', 'large');
    await client.call('CONFIG', 'SET', 'commandlog-reply-larger-than', '-1');
    await visit(page, server.httpPort, 'performance');
    await page.getByRole('combobox', { name: /^Log/ }).selectOption('large-request');
    await page.getByText('No request was larger than commandlog.request-larger-than.').waitFor();
    await page.getByRole('combobox', { name: /^Log/ }).selectOption('large-reply');
    const row = page.getByRole('row', { name: /GET large/ });
    await row.getByText(/^1\.96\sKiB$/).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Log cleared (large replies).').waitFor();
    assert.is(await client.call('COMMANDLOG', 'LEN', 'large-reply'), 0);
    await page.close();
  });

  pages('ask for the token first', async () => {
    const { page, complaints } = await openView(browser);
    const start = `http://127.0.0.1:${closed.httpPort}/debug/`;
    await page.goto(start);
    await shoot(page, 'login');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This is not the token.').waitFor();
    // The browser itself remarks that the answer was 401.
    complaints.length = 0;
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    for (const name of PAGES) {
      await visit(page, closed.httpPort, name);
      await answered(page);
    }
    assert.equal(complaints, []);
    assert.not((await page.content()).includes(TOKEN));
    await page.close();
  });

  pages('are small, and kept by the browser for good', async () => {
    const html = (await request(server.httpPort, '/debug/')).text;
    const files = [...html.matchAll(/(?:src|href)="(\/debug\/[^"]+)"/g)].map(([, file]) => file!);
    assert.ok(files.length >= 3);
    const accepting = { headers: { 'accept-encoding': 'gzip, br' } };
    let bytes = gzipSync(html).length;
    for (const file of files) {
      const answer = await request(server.httpPort, file, accepting);
      assert.is(answer.status, 200, file);
      // What fits one packet is sent as it is.
      const isSmall =
        answer.bytes.length <= 1_024 && answer.headers['content-encoding'] === undefined;
      assert.ok(isSmall || answer.headers['content-encoding'] === 'br', file);
      assert.match(answer.headers['cache-control'] ?? '', /immutable/);
      assert.match(answer.headers['content-type'] ?? '', /^(text\/(css|javascript)|image\/svg)/);
      bytes += answer.bytes.length;
    }
    assert.ok(bytes < FIRST_LOAD_BYTES_MAX, `${bytes} bytes`);
    for (const path of ['/debug/assets/../../package.json', '/debug/assets/..%2findex.html']) {
      assert.is((await request(server.httpPort, path)).status, 404, path);
    }
  });
}

function setHidden(page: Page, isHidden: boolean): Promise<unknown> {
  return page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );
}

function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent');
}

pages.run();
