/** The page of live commands, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import type { MonitorDocument } from '#api-types';
import { type ChildServer, needs, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of live commands');

const HOSTILE = '<img/src=x/onerror=alert(1)>';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const table = (page: Page) =>
  page.getByRole('table', { name: 'Commands as they arrive', exact: true });

/** Texts of the commands, from the top. */
async function commands(page: Page): Promise<string[]> {
  const texts = await table(page).locator('tbody td:nth-child(6)').allTextContents();
  return texts.map((text) => text.trim());
}

async function start(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText(/^Running until /).waitFor();
}

async function endOf(id: string): Promise<string | null> {
  const answer = await request(server.httpPort, '/debug/api/monitor/lines', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  });
  return (answer.json() as MonitorDocument).ended_by;
}

async function fact(page: Page, label: string): Promise<string> {
  const term = page.locator('.fact', { has: page.getByText(label, { exact: true }) });
  const value = await term.locator('dd').textContent();
  return /^[\d,.\s]+/.exec(value ?? '')![0].trim();
}

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    client = await server.client();
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const width of [1280, 390]) {
    for (const theme of ['light', 'dark'] as const) {
      pages(`shows commands at ${width} pixels in ${theme}`, async () => {
        const { page, complaints } = await openView(browser, { width, theme });
        await visit(page, server.httpPort, 'live');
        await page.getByText('No monitor is running.').waitFor();
        await start(page);
        await client.call('SET', HOSTILE, 'a "quoted" value');
        await client.call('EVAL', "return redis.call('GET', KEYS[1])", 1, HOSTILE);
        await client.pipeline([['MULTI'], ['INCR', 'n'], ['EXEC']]);
        await client.call('SET', 'long', 'v'.repeat(300));
        await table(page).getByText('172 more bytes').waitFor();
        await table(page).getByText(`GET ${HOSTILE}`, { exact: true }).waitFor();
        await answered(page);
        const sideways =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.is(await page.evaluate(sideways), 0);
        await shoot(page, `live-commands-${theme}-${width}`);
        assert.equal(complaints, []);
        await page.close();
      });
    }
  }

  pages('shows selected commands only, the newest first, with exact counts', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'live');
    await page.getByLabel('Commands', { exact: true }).fill('set, get');
    await page.getByLabel('Key pattern').fill('user:*');
    await page.getByLabel('Source').selectOption('client');
    await page.getByLabel('Lines a second').fill('2');
    await start(page);
    const sent = Array.from({ length: 10 }, (_, nth) => [
      ['SET', `user:${nth}`, 'v'],
      ['SET', `other:${nth}`, 'v'],
    ]).flat();
    await client.pipeline(sent);
    await until(async () => (await fact(page, 'Matched')) === '10', 'all are counted');
    assert.is(await fact(page, 'Commands'), '20');
    const lines = Number(await fact(page, 'Lines'));
    assert.is(Number(await fact(page, 'Left out')), 10 - lines);
    const shown = await commands(page);
    assert.is(shown.length, lines);
    assert.equal(shown, [...shown].sort().reverse());
    assert.is(shown.at(-1), 'SET user:0 v');
    assert.equal(complaints, []);
    await page.close();
  });

  pages('the button stops it, and the lines stay', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'live');
    await start(page);
    await client.call('ECHO', 'before the stop');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped.', { exact: true }).waitFor();
    await table(page).getByText('before the stop').waitFor();
    await client.call('ECHO', 'after the stop');
    // Another monitor starts without the lines of the former.
    await start(page);
    await client.call('ECHO', 'again');
    await table(page).getByText('ECHO again').waitFor();
    assert.equal(await commands(page), ['ECHO again']);
    await page.close();
  });

  pages('a page that is hidden ends it, and says so', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'live');
    await start(page);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true });" +
        "document.dispatchEvent(new Event('visibilitychange'))",
    );
    await until(() => /monitor-ended.*by="?page-hidden/.test(server.stdout), 'it has ended');
    await page.evaluate(
      "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await page.getByText('Stopped, since this page was hidden.').waitFor();
    await page.close();
  });

  pages('a page that is left ends it', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'live');
    const ended = async (leave: () => Promise<unknown>): Promise<void> => {
      const response = page.waitForResponse(/monitor\/start$/);
      await start(page);
      const { id } = (await (await response).json()) as MonitorDocument;
      await leave();
      await until(async () => (await endOf(id)) === 'page-closed', 'it has ended');
    };
    await ended(() => page.getByRole('link', { name: 'Logs' }).click());
    await page.getByRole('link', { name: 'Live' }).click();
    await ended(() => page.goto('about:blank'));
    await page.close();
  });

  pages('a refusal is shown with its reason', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'live');
    await page.getByLabel('Commands', { exact: true }).fill('nosuch');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('no such command: nosuch').waitFor();
    await page.close();
  });
}

pages.run();
