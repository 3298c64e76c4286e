/** The page of the log, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of the log');

const HOSTILE = '<img/src=x/onerror=alert(1)>';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const lines = (page: Page) => page.getByRole('table', { name: 'Lines of the log', exact: true });

/** Texts of a column, from the top. */
async function column(page: Page, nth: number): Promise<string[]> {
  const texts = await lines(page).locator(`tbody td:nth-child(${nth})`).allTextContents();
  return texts.map((text) => text.trim());
}

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    client = await server.client();
    await client.call('CLIENT', 'SETNAME', 'admin');
    await client.call('CONFIG', 'SET', 'timeout', '100');
    await client.call('DEBUG', 'LOG', HOSTILE);
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 320]) {
      pages(`shows the latest lines, ${theme} at ${width} pixels`, async () => {
        const { page, complaints } = await openView(browser, { theme, width });
        await visit(page, server.httpPort, 'logs');
        await lines(page).getByText(HOSTILE).waitFor();
        await lines(page).getByText('name=server.timeout-secs from=0 to=100').waitFor();
        await lines(page).getByText('svc is ready').waitFor();
        assert.is(await page.locator('main img').count(), 0);
        await answered(page);
        await shoot(page, `logs-${theme}-${width}`);
        const sideways =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.is(await page.evaluate(sideways), 0);
        assert.equal(complaints, []);
        await page.close();
      });
    }
  }

  pages('shows new lines by itself, the newest first', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'logs');
    await lines(page).getByText(HOSTILE).waitFor();
    await client.call('DEBUG', 'LOG', 'line-one');
    await client.call('DEBUG', 'LOG', 'line-two');
    await lines(page).getByText('line-two').waitFor();
    const messages = await column(page, 5);
    const places = ['line-two', 'line-one', HOSTILE].map((text) =>
      messages.findIndex((message) => message.includes(text)),
    );
    assert.equal(
      [...places].sort((one, other) => one - other),
      places,
      messages.join('\n'),
    );
    assert.equal(complaints, []);
    await page.close();
  });

  pages('are filtered by level, thread, event and text', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'logs');
    await lines(page).getByText(HOSTILE).waitFor();
    const isAll = async (nth: number, wanted: RegExp): Promise<boolean> => {
      const texts = await column(page, nth);
      return texts.length > 0 && texts.every((text) => wanted.test(text));
    };
    await page.getByLabel('Level').selectOption('warn');
    await until(() => isAll(2, /^(warn|error)$/), 'only warnings');
    await page.getByLabel('Level').selectOption('');
    await page.getByLabel('Event').selectOption('setting-changed');
    await until(() => isAll(4, /^setting-changed$/), 'only this event');
    await page.getByLabel('Thread').selectOption('main');
    await page
      .getByRole('searchbox', { name: 'Filter lines' })
      .fill('TIMEOUT-secs client_name=admin');
    await until(() => isAll(5, /server\.timeout-secs/), 'only lines with the words');
    await page.getByRole('searchbox', { name: 'Filter lines' }).fill('no such words');
    await page.getByText('No line matches.').waitFor();
    await page.close();
  });

  pages('a filter that is chosen stays while lines come', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'logs');
    await lines(page).getByText(HOSTILE).waitFor();
    await page.getByRole('searchbox', { name: 'Filter lines' }).fill('wanted');
    await page.getByText('No line matches.').waitFor();
    await client.call('DEBUG', 'LOG', 'not it');
    await client.call('DEBUG', 'LOG', 'the wanted one');
    await lines(page).getByText('the wanted one').waitFor();
    assert.is((await column(page, 5)).length, 1);
    await page.close();
  });
}

pages.run();
