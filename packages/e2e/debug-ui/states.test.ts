/** Debug pages while nothing is new, and what becomes of text typed meanwhile. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, PAGES, shoot, visit } from './browser.ts';

const states = suite('states of the debug pages');

/** Pages but the first that request data by themselves: Live does so once it is started. */
const ASKING = PAGES.slice(1).filter((name) => name !== 'live');

/** Said where there is nothing; a lie where nothing is known. */
const CLAIMS = [
  ...['No issues.', 'healthy', '0 clients', '0 of 0 settings', '0 of 0 removed keys'],
  ...['No bundles stored.', 'Continuous sampling is off', 'No prefixes are configured'],
  ...['No commands executed yet.', 'Bands are off', 'No traces', 'Removed keys are not recorded.'],
];

let server: ChildServer;
let client: RespClient;
let browser: Browser;

/** Waits until the page has taken an answer: it asks again only after that. */
async function twoAnswers(page: Page, path: RegExp): Promise<void> {
  await page.waitForResponse(path);
  await page.waitForResponse(path);
}

/** Goes to a page, and waits until it is shown: the one before it stays until then. */
async function go(page: Page, name: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${name}'`);
  await page.locator(`nav a[href="#/${name}"][aria-current="page"]`).waitFor();
}

const badge = (page: Page) => page.locator('header.top .badge');

async function demandNoClaims(page: Page, name: string): Promise<void> {
  const text = await page.locator('main .panel:not([data-freshness="fresh"])').allInnerTexts();
  const shown = await page.locator('main').innerText();
  assert.ok(text.length > 0, `${name} says nothing of its state`);
  for (const claim of CLAIMS) assert.not.ok(shown.includes(claim), `${name} says: ${claim}`);
}

if (needs('chromium')) {
  states.before(async () => {
    [server, browser] = await Promise.all([
      startServer({ http: true, args: ['--set', 'hotkeys.window-enabled=true'] }),
      openBrowser(),
    ]);
    client = await server.client();
  });
  states.after(async () => {
    await browser.close();
    await server.stop();
  });

  states('a page shows its own data, however soon it follows the one before', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'shards');
    for (let round = 0; round < 5; round += 1) {
      await go(page, 'overview');
      await go(page, 'performance');
      await answered(page);
      await go(page, 'configuration');
      await go(page, 'key-fates');
      await answered(page);
    }
    await page.close();
  });

  states('the form of hot keys keeps what was entered, and sends it', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'hot-keys');
    await page.getByRole('checkbox', { name: 'time of execution' }).uncheck();
    await page.getByRole('spinbutton', { name: /Keys/ }).fill('7');
    await page.getByRole('spinbutton', { name: /Seconds/ }).fill('0');
    await twoAnswers(page, /api\/hotkeys$/);
    assert.is(await page.getByRole('spinbutton', { name: /Keys/ }).inputValue(), '7');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Collecting for').waitFor();
    await page.getByText('until stopped').waitFor();
    const answer = await request(server.httpPort, '/debug/api/hotkeys');
    const { metrics, count } = answer.json() as { metrics: string[]; count: number };
    assert.equal([metrics, count], [['net'], 7]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Collected for').waitFor();
    assert.is(await page.getByText('until stopped').count(), 1, 'only the form says so');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.close();
  });

  states('latency bands that are off say how they are switched on', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'performance');
    await page.getByText('Bands are off. Set latency-bands.enabled to true').waitFor();
    const table = page.locator('table.bands');
    assert.is(await table.count(), 0);
    await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'yes');
    await table.waitFor();
    await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'no');
    await page.getByText('Bands are off.').waitFor();
    await page.close();
  });

  states('the look-up of key fates keeps its database', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    await page.getByRole('spinbutton', { name: 'in database' }).fill('3');
    await page.getByRole('textbox', { name: 'What happened to the key' }).fill('gone');
    await twoAnswers(page, /api\/key-fates/);
    const asked = page.waitForRequest(/key=gone/);
    await page.getByRole('button', { name: 'Look up' }).click();
    assert.match((await asked).url(), /key=gone&db=3$/);
    await page.close();
  });

  states('a box that was ticked is never seen without its tick again', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'key-fates');
    const box = page.getByRole('checkbox', { name: 'record overwritten values as well' });
    await box.waitFor();
    // Looks at every frame from the tick on.
    await page.evaluate(`(() => {
      const box = document.querySelector('.check input');
      window.seen = [];
      box.addEventListener('change', () => {
        const look = () => { window.seen.push(box.checked); requestAnimationFrame(look); };
        look();
      });
    })()`);
    await box.click();
    await page.getByText('keyfate.overwritten is yes').waitFor();
    await twoAnswers(page, /api\/key-fates/);
    const seen = await page.evaluate<boolean[]>('window.seen');
    assert.ok(seen.length > 2);
    assert.ok(seen.every(Boolean), JSON.stringify(seen));
    await client.call('CONFIG', 'SET', 'keyfate-overwritten', 'no');
    await page.close();
  });

  states('while paused nothing is claimed of what was never asked for', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'overview');
    await page.getByText('No issues.').last().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await badge(page).getByText('paused').waitFor();
    assert.match(await page.locator('.panel .age').first().innerText(), /^paused as of \d\d:\d\d/);
    for (const name of ASKING) {
      await go(page, name);
      await page.getByText('Paused: not requested yet.').first().waitFor();
      await demandNoClaims(page, name);
    }
    await shoot(page, 'state-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('No bundles stored.').waitFor();
    await page.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    states(`a process that stands still is not shown as healthy, ${theme}`, async () => {
      const { page } = await openView(browser, { theme });
      const frozen = await startServer({ http: true, shards: 1 });
      await visit(page, frozen.httpPort, 'overview');
      await page.getByText('No issues.').last().waitFor();
      frozen.signal('SIGSTOP');
      await badge(page).getByText('not responding').waitFor();
      await page.locator('.panel[data-freshness="stale"]').first().waitFor();
      assert.is(await page.getByText('healthy').count(), 0);
      const alert = await page.getByRole('alert').first().innerText();
      assert.match(
        alert,
        /^The server does not respond\. The data shown is as of \d\d:\d\d:\d\d\./,
      );
      await shoot(page, `state-stale-${theme}`);
      frozen.signal('SIGCONT');
      await badge(page).getByText('healthy').waitFor();
      assert.is(await page.locator('.panel[data-freshness="stale"]').count(), 0);
      await page.close();
      await frozen.stop();
    });

    states(`a server that is gone is told on every panel, ${theme}`, async () => {
      const { page } = await openView(browser, { theme });
      const gone = await startServer({ http: true, shards: 1 });
      await visit(page, gone.httpPort, 'overview');
      // A page that was never there is not to be had any more.
      for (const name of [...PAGES.slice(1), 'overview']) await go(page, name);
      await page.getByText('No issues.').last().waitFor();
      // A panel without any data shows no time of its data.
      await answered(page);
      gone.signal('SIGKILL');
      await gone.ended;
      await badge(page).getByText('not reachable').waitFor();
      const panels = page.locator('main .panel');
      for (let nth = 0; nth < (await panels.count()); nth += 1) {
        assert.is(await panels.nth(nth).getAttribute('data-freshness'), 'unreachable');
        assert.match(
          await panels.nth(nth).locator('.age').innerText(),
          /not reachable as of \d\d:/,
        );
      }
      const opacity = 'getComputedStyle(document.querySelector(".panel .content")).opacity';
      assert.is(await page.evaluate(opacity), '0.5');
      await shoot(page, `state-gone-${theme}`);
      for (const name of ASKING) {
        await go(page, name);
        await page.getByText('The server cannot be reached.').nth(1).waitFor();
        await demandNoClaims(page, name);
      }
      await page.close();
      await gone.stop();
    });
  }

  states('a trace is shown beside the list, and kept until it is closed', async () => {
    const { page } = await openView(browser, { width: 1440 });
    await client.call('CONFIG', 'SET', 'tracing-enabled', 'yes');
    const ping = (count: number) => client.pipeline(Array.from({ length: count }, () => ['PING']));
    await ping(60);
    await visit(page, server.httpPort, 'traces');
    await page.getByRole('button', { name: 'PING' }).nth(40).click();
    const detail = page.locator('.detail');
    await detail.locator('.waterfall').waitFor();
    const { y, height } = (await detail.locator('.waterfall').boundingBox())!;
    assert.ok(y >= 0 && y + height <= 800, `at ${y}, ${height} high`);
    const id = (await detail.getByRole('heading').innerText()).replace('Trace ', '');
    // As many as push it out of what the server keeps.
    await ping(150);
    const isKept = async (): Promise<boolean> => {
      const answer = await request(server.httpPort, '/debug/api/traces');
      return answer.text.includes(id);
    };
    await until(async () => !(await isKept()), 'the server forgets the trace');
    await twoAnswers(page, /api\/traces/);
    await detail.locator('.waterfall').waitFor();
    assert.is(await page.getByRole('cell', { name: id }).count(), 1);
    await shoot(page, 'trace-detail');
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await page.locator('.table:focus').waitFor();
    await client.call('CONFIG', 'SET', 'tracing-enabled', 'no');
    await page.close();
  });

  states('the focus comes back after Esc', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'configuration');
    const button = page.getByRole('button', { name: 'Change slowlog.max-len' });
    await button.click();
    await page.keyboard.press('Escape');
    await page.locator('button[aria-label="Change slowlog.max-len"]:focus').waitFor();
    await visit(page, server.httpPort, 'clients');
    await page
      .getByRole('button', { name: /^Kill client/ })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button[aria-label^="Kill client"]:focus').waitFor();
    await page.close();
  });

  states('the head of a table stays in observer', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'configuration');
    await page.getByRole('cell', { name: 'wal', exact: false }).first().waitFor();
    const table = page.getByRole('region', { name: 'Settings', exact: true });
    await table.scrollIntoViewIfNeeded();
    const scrolled = 'document.querySelector(".table").scrollTop';
    await page.evaluate(`${scrolled} = 1_000`);
    assert.is(await page.evaluate(scrolled), 1_000);
    const top = (await table.boundingBox())!.y;
    const head = await page.getByRole('columnheader', { name: 'Name' }).boundingBox();
    assert.ok(Math.abs(head!.y - top) < 2, `${head!.y} is not at ${top}`);
    await page.close();
  });

  states('a phone shows every column of a client', async () => {
    const { page } = await openView(browser, { width: 390 });
    await client.call('CLIENT', 'SETNAME', 'with-a-name');
    await visit(page, server.httpPort, 'clients');
    await page.getByText('with-a-name').waitFor();
    await page.getByRole('heading', { name: '1 client', exact: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'with-a-name' });
    const cells = row.getByRole('cell');
    assert.is(await cells.count(), 17);
    for (let nth = 0; nth < 17; nth += 1) {
      const { x, width } = (await cells.nth(nth).boundingBox())!;
      assert.ok(x >= 0 && width > 0 && x + width <= 390, `cell ${nth}`);
    }
    await shoot(page, 'clients-phone');
    await page.close();
  });
}

states.run();
