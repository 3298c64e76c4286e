/** The pages of removed keys and of events of threads, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug pages of keys that have gone');

const HOSTILE = '<img/src=x/onerror=alert(1)>';
const BINARY = Buffer.from([0xff, 0, 10, 0x41]);
const BIDI = 'a\u202eb';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

async function kill(...keys: (string | Buffer)[]): Promise<void> {
  for (const key of keys) {
    await client.pipeline([
      ['SET', key, 'v'],
      ['DEL', key],
    ]);
  }
}

const removedKeys = (page: Page) => page.getByRole('table', { name: 'Removed keys', exact: true });

/** The texts of a column, from the top. */
async function column(page: Page, table: string, nth: number): Promise<string[]> {
  const cells = page
    .getByRole('table', { name: table, exact: true })
    .locator(`tbody td:nth-child(${nth})`);
  return (await cells.allTextContents()).map((text) => text.trim());
}

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    client = await server.client();
    await client.call('CLIENT', 'SETNAME', HOSTILE);
    await kill(HOSTILE, BINARY, BIDI, '', ' end ', 'é'.repeat(100), 'plain');
    await client.pipeline([
      ['SELECT', 3],
      ['MSET', 'x', 1, 'y', 1, 'z', 1],
      ['FLUSHDB'],
      ['SELECT', 0],
      ['SET', 'renamed', 1],
      ['RENAME', 'renamed', 'name'],
      ['SET', 'name', 2],
      ['SET', 'short', 1, 'PX', 1],
      ['DEBUG', 'SLEEP', '0.02'],
      ['CONFIG', 'SET', 'slowlog-max-len', 77],
    ]);
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 320]) {
      pages(`show what there is, ${theme} at ${width} pixels`, async () => {
        const { page, complaints } = await openView(browser, { theme, width });
        await visit(page, server.httpPort, 'key-fates');
        await removedKeys(page).getByText('plain').waitFor();
        const { x, width: linkWidth } = (await page
          .locator('nav a[aria-current]')
          .boundingBox()) ?? { x: -1, width: 0 };
        assert.ok(x >= 0 && x + linkWidth <= width, 'the name of the page is in observer');
        await shoot(page, `key-fates-full-${theme}-${width}`);
        await visit(page, server.httpPort, 'performance');
        const recorder = page.getByRole('table', { name: 'Flight recorder' });
        await recorder.getByText('command debug|sleep').first().waitFor();
        await page.getByText('What is recorded').click();
        await shoot(page, `flight-recorder-${theme}-${width}`);
        const sideways =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.is(await page.evaluate(sideways), 0);
        assert.equal(complaints, []);
        await page.close();
      });
    }
  }

  pages('show hostile keys and names as text', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    for (const key of [HOSTILE, '\\xff\\x00\\nA', 'a\\u{202e}b', '""', '" end "']) {
      await removedKeys(page).getByRole('button', { name: key, exact: true }).waitFor();
    }
    await removedKeys(page).getByText('(200 bytes)').waitFor();
    await removedKeys(page).locator('td b', { hasText: HOSTILE }).first().waitFor();
    await removedKeys(page).getByText('of the database there').first().waitFor();
    assert.is(await page.locator('main img').count(), 0);
    assert.equal(complaints, []);
    await page.close();
  });

  pages('tell the reasons, each with its words', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    await removedKeys(page).getByText('plain').waitFor();
    const reasons = await column(page, 'Removed keys by reason', 1);
    const keys = await column(page, 'Removed keys by reason', 2);
    const counts = Object.fromEntries(reasons.map((reason, nth) => [reason, keys[nth]]));
    assert.equal(
      [counts['deleted'], counts['flushed'], counts['moved'], counts['overwritten']],
      ['7', '3', '1', '1'],
    );
    assert.ok((await column(page, 'Removed keys by reason', 4)).every((meaning) => meaning !== ''));
    await page.close();
  });

  pages('sort and filter the removed keys', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    for (const key of ['plain', 'short']) {
      await removedKeys(page).getByRole('button', { name: key, exact: true }).waitFor();
    }
    const times = await column(page, 'Removed keys', 1);
    assert.equal(times, [...times].sort().reverse());
    await page.getByRole('button', { name: 'Time' }).click();
    assert.equal(await column(page, 'Removed keys', 1), times.reverse());
    await page.getByRole('searchbox', { name: 'Filter removed keys' }).fill('rename moved');
    await page.getByRole('heading', { name: /^1 of \d+ removed keys$/ }).waitFor();
    assert.equal(await column(page, 'Removed keys', 2), ['renamed']);
    await page.getByRole('searchbox', { name: 'Filter removed keys' }).fill('nothing of this');
    await page.getByText('No removed key matches.').waitFor();
    await page.close();
  });

  pages('tell the story of one key, by keyboard too', async () => {
    const { page } = await openView(browser);
    await kill('plain');
    await visit(page, server.httpPort, 'key-fates');
    await removedKeys(page).getByRole('button', { name: '\\xff\\x00\\nA' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 of 1 removed key' }).waitFor();
    await page.getByText('in database 0, and flushes of that database').waitFor();
    await page.getByRole('button', { name: 'All keys' }).click();
    await page.getByRole('textbox', { name: 'What happened to the key' }).fill('plain');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 of 2 removed keys' }).waitFor();
    await page.getByRole('textbox', { name: 'What happened to the key' }).fill('none');
    await page.getByRole('spinbutton', { name: 'in database' }).fill('16');
    await page.keyboard.press('Enter');
    const refusal = 'Db must be a whole number from 0 to 15';
    await page.getByRole('alert').filter({ hasText: refusal }).first().waitFor();
    await page.close();
  });

  pages('switch the recording on and off, and forget', async () => {
    const { page, complaints } = await openView(browser);
    await client.call('CONFIG', 'SET', 'keyfate-max-len', 0);
    await visit(page, server.httpPort, 'key-fates');
    await page.getByText('Removed keys are not recorded.').waitFor();
    await page.getByText('keyfate.max-len is 0').waitFor();
    await shoot(page, 'key-fates-off');
    await page.getByRole('button', { name: 'Record the last 128 removed keys' }).click();
    await page.getByText('keyfate.max-len is 128 until the next restart.').waitFor();
    await page.getByText('No keys removed yet.').waitFor();
    const overwritten = page.getByRole('checkbox', { name: 'record overwritten values as well' });
    await overwritten.click();
    await page.getByText('keyfate.overwritten is yes').waitFor();
    await client.call('SET', 'name', 3);
    await removedKeys(page).getByRole('button', { name: 'name', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No keys removed yet.').waitFor();
    assert.is(await client.call('KEYFATE', 'LEN'), 0);
    await client.call('CONFIG', 'SET', 'keyfate-overwritten', 'no');
    assert.equal(complaints, []);
    await page.close();
  });

  pages('say which shards are missing while they are stuck', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    const stuck = await server.client();
    const slept = stuck.call('DEBUG', 'SLEEP', '4');
    await page
      .getByText('Shards 0 and 1 did not reply in time; their removed keys are missing.')
      .waitFor();
    await visit(page, server.httpPort, 'performance');
    await page
      .getByRole('table', { name: 'Flight recorder' })
      .locator('tbody tr')
      .first()
      .waitFor();
    await slept;
    await stuck.end();
    await page.close();
  });

  pages('show the events of one thread', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'performance');
    const recorder = page.getByRole('table', { name: 'Flight recorder' });
    const search = page.getByRole('searchbox', { name: 'Filter events' });
    // The page shows the newest rows, and a machine with much to do has newer ones than this.
    await search.fill('slowlog.max-len');
    await recorder.getByText('setting slowlog.max-len, value 77').waitFor();
    await page.getByRole('combobox', { name: 'Thread' }).selectOption('shard-1');
    await recorder.getByText('setting slowlog.max-len').first().waitFor({ state: 'detached' });
    await search.fill('');
    await recorder.getByText('shard-1').first().waitFor();
    assert.equal([...new Set(await column(page, 'Flight recorder', 2))], ['shard-1']);
    await search.fill('slow-batch debug|sleep');
    // More than the newest are looked through, and have to come first.
    await recorder.getByText('debug|sleep').first().waitFor();
    const events = new Set(await column(page, 'Flight recorder', 3));
    assert.equal([...events], ['slow-batch']);
    await page.close();
  });
}

pages.run();
