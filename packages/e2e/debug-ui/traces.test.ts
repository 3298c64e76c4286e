/** The page of traces, in a real browser: tracing is switched, and traces are filtered. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of traces');

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const names = async (page: Page): Promise<string[]> => {
  const table = page.getByRole('table', { name: 'Recent traces' });
  const texts = await table.locator('tbody td:nth-child(2)').allTextContents();
  return texts.map((text) => text.trim());
};

const settingOf = async (name: string): Promise<unknown> =>
  ((await client.call('CONFIG', 'GET', name)) as unknown[])[1];

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    client = await server.client();
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  pages('switches tracing on, changes its settings, and switches it off', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'traces');
    await page.getByText('No traces yet.').waitFor();
    await page.getByRole('button', { name: 'Start tracing' }).click();
    await page.getByRole('button', { name: 'Stop tracing' }).waitFor();
    assert.is(String(await settingOf('tracing-enabled')), 'yes');
    await client.call('SET', 'k', 'v');
    await client.reply('INCR', 'k');
    await until(async () => (await names(page)).includes('INCR'), 'the commands are traced');

    await page.getByLabel('Share of commands, 0 to 1').fill('0.5');
    await page.getByRole('button', { name: 'Set', exact: true }).first().click();
    await page.getByText('tracing.sampling-rate is 0.5').waitFor();
    assert.is(String(await settingOf('tracing-sampling-rate')), '0.5');
    await page.getByLabel('Keep from this many ms').fill('250');
    await page.getByRole('button', { name: 'Set', exact: true }).last().click();
    await page.getByText('Commands of 250 ms and more are kept').waitFor();
    await page.getByRole('button', { name: 'Keep failed ones', exact: true }).click();
    await page.getByText('Failed commands are kept in any case.').waitFor();
    assert.is(String(await settingOf('tracing-keep-slow-ms')), '250');
    assert.is(String(await settingOf('tracing-keep-failed')), 'yes');
    // A value that is refused is shown with the reason.
    await page.getByLabel('Share of commands, 0 to 1').fill('7');
    await page.getByRole('button', { name: 'Set', exact: true }).first().click();
    await page.getByRole('alert').getByText('sampling-rate').waitFor();
    await page.getByRole('button', { name: 'Stop tracing' }).click();
    await page.getByRole('button', { name: 'Start tracing' }).waitFor();
    assert.is(String(await settingOf('tracing-enabled')), 'no');
    // A refused value is an answer of 409, which browsers note on the console.
    assert.equal(
      complaints.filter((text) => !text.includes('409')),
      [],
    );
    await page.close();
  });

  pages('filters by outcome, duration and text', async () => {
    await client.call('CONFIG', 'SET', 'tracing-sampling-rate', '1', 'tracing-enabled', 'yes');
    await client.call('SET', 'k', 'v');
    await client.reply('INCR', 'k');
    await client.call('DEBUG', 'SLEEP', '0.3');
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'traces');
    await until(async () => (await names(page)).includes('DEBUG SLEEP'), 'all are there');
    await client.call('CONFIG', 'SET', 'tracing-enabled', 'no');
    await answered(page);
    await shoot(page, 'traces-list');
    const shows = async (wanted: (shown: readonly string[]) => boolean): Promise<void> =>
      until(async () => wanted(await names(page)), 'the filter is in force');
    await page.getByLabel('Outcome').selectOption('failed');
    await shows((shown) => shown.length > 0 && shown.every((name) => name === 'INCR'));
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('Least duration in milliseconds').fill('300');
    await shows((shown) => shown.includes('DEBUG SLEEP') && !shown.includes('INCR'));
    await page.getByLabel('Least duration in milliseconds').fill('');
    await page.getByRole('searchbox', { name: 'Filter traces' }).fill('set k');
    await shows((shown) => shown.includes('SET') && !shown.includes('INCR'));
    await page.getByRole('searchbox', { name: 'Filter traces' }).fill('no such words');
    await page.getByText('No trace matches.').waitFor();
    assert.equal(complaints, []);
    await page.close();
  });

  pages('fits a narrow page', async () => {
    const { page } = await openView(browser, { width: 320, theme: 'dark' });
    await visit(page, server.httpPort, 'traces');
    await answered(page);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.is(await page.evaluate(sideways), 0);
    await shoot(page, 'traces-narrow');
    await page.close();
  });
}

pages.run();
