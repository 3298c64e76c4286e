/** The page about clients, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import type { ClientReport } from '#api-types';
import { type ChildServer, needs, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from '../browser.ts';

const pages = suite('debug page of clients');

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Connected clients' }).getByRole('row').filter({ hasText: text });

async function report(name: string): Promise<ClientReport | undefined> {
  const answer = await request(server.httpPort, '/debug/api/clients');
  const { clients } = answer.json() as { clients: ClientReport[] };
  return clients.find((each) => each.name === name);
}

async function named(name: string, library = ''): Promise<RespClient> {
  const other = await server.client();
  await other.call('CLIENT', 'SETNAME', name);
  if (library !== '') await other.call('CLIENT', 'SETINFO', 'LIB-NAME', library);
  return other;
}

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    client = await named('main');
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  pages('a client that waits has its key, and one in a transaction its queue', async () => {
    const waiting = await named('waiting');
    const waits = waiting.pipeline([['BLPOP', 'queue', 'other', '0']]);
    await until(async () => ((await report('waiting'))?.blocked ?? null) !== null, 'it is blocked');
    const { blocked, last_command: last, pending_commands: pending } = (await report('waiting'))!;
    assert.ok(Math.abs(blocked!.since_time_ms! - Date.now()) < 60_000);
    assert.equal(
      { ...blocked, since_time_ms: null },
      { by: 'key', since_time_ms: null, key: 'queue', binary: false, cut: false, keys: 2 },
    );
    assert.equal([last, pending], ['blpop', 1]);
    const queueing = await named('queueing');
    await queueing.call('WATCH', 'a', 'b');
    await queueing.call('MULTI');
    await queueing.call('SET', 'a', '1');
    const { queued_commands: queued, watched_keys: watched } = (await report('queueing'))!;
    assert.equal([queued, watched], [1, 2]);
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'clients');
    await row(page, 'waiting').getByText('blpop waits for queue and 1 more key').waitFor();
    await row(page, 'queueing').getByText('transaction').waitFor();
    await client.call('RPUSH', 'queue', 'v');
    await waits;
    await row(page, 'waiting').getByText('idle', { exact: true }).waitFor();
    assert.is((await report('waiting'))!.blocked, null);
    assert.equal(complaints, []);
    await Promise.all([waiting.end(), queueing.end()]);
    await page.close();
  });

  pages('a client held back by CLIENT PAUSE says so', async () => {
    const held = await named('held');
    await client.call('CLIENT', 'PAUSE', 100_000, 'WRITE');
    const write = held.pipeline([['SET', 'held', 'v']]);
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'clients');
    await row(page, 'held').getByText('held back by CLIENT PAUSE').waitFor();
    await client.call('CLIENT', 'UNPAUSE');
    await write;
    await held.end();
    await page.close();
  });

  pages('the address chooses a client, whose rate is measured', async () => {
    const { page, complaints } = await openView(browser);
    const { id } = (await report('main'))!;
    await visit(page, server.httpPort, `clients?id=${id}`);
    const detail = page.locator('.detail');
    await detail.getByRole('heading', { name: `Client #${id}` }).waitFor();
    const load = setInterval(() => void client.call('PING').catch(() => undefined), 20);
    try {
      await detail.getByText(/^[1-9][\d.]*\s*\/s/).waitFor();
    } finally {
      clearInterval(load);
    }
    await shoot(page, 'client-detail');
    await detail.getByRole('button', { name: 'Close' }).click();
    await detail.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `#${id}`, exact: true }).click();
    await detail.waitFor();
    assert.match(page.url(), new RegExp(`id=${id}$`));
    await visit(page, server.httpPort, 'clients?id=999999');
    await page.getByText('Client #999999 is not connected any more.').waitFor();
    assert.equal(complaints, []);
    await page.close();
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'dark'],
    [390, 'light'],
  ] as const) {
    pages(
      `groups of clients limit the list, and are killed, ${width} pixels, ${theme}`,
      async () => {
        const { page, complaints } = await openView(browser, { width, theme });
        const workers = await Promise.all(['w', 'w', 'v'].map((name) => named(name, 'worker-lib')));
        const subscriber = await named('listening', 'worker-lib');
        await subscriber.call('SUBSCRIBE', 'channel');
        await visit(page, server.httpPort, 'clients');
        const kill = page.getByRole('button', { name: 'Kill the filtered' });
        assert.ok(await kill.isDisabled(), 'nothing is filtered');
        const choice = page.getByRole('combobox', { name: 'Group by' });
        for (const by of ['name', 'address', 'user', 'library']) {
          await choice.selectOption(by);
          await page.getByRole('table', { name: `Clients by ${by}` }).waitFor();
        }
        await page.getByRole('button', { name: 'worker-lib' }).click();
        await page.getByRole('heading', { name: /^4 of \d clients$/ }).waitFor();
        await page.getByRole('searchbox').fill('listening');
        await page.getByRole('heading', { name: /^1 of / }).waitFor();
        await page.getByRole('searchbox').fill('');
        await page.getByRole('heading', { name: /^4 of / }).waitFor();
        await shoot(page, `clients-${width}-${theme}`);
        const sideways =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.is(await page.evaluate(sideways), 0);
        await kill.click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Disconnect 4 clients?').waitFor();
        await dialog.getByText('Among them: 1 subscriber.').waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        assert.ok((await report('v')) !== undefined, 'nothing is done before the confirmation');
        await kill.click();
        await dialog.getByRole('button', { name: 'Disconnect' }).click();
        await page.getByText('4 clients disconnected.').waitFor();
        assert.is(await report('w'), undefined);
        assert.ok((await report('main')) !== undefined, 'others stay');
        assert.equal(complaints, []);
        await Promise.all([...workers, subscriber].map((each) => each.end()));
        await page.close();
      },
    );
  }

  pages('one client is killed by its button', async () => {
    const victim = await named('victim');
    const { page } = await openView(browser);
    const { id } = (await report('victim'))!;
    await visit(page, server.httpPort, 'clients');
    await page.getByRole('button', { name: `Kill client #${id}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText(new RegExp(`^Client #${id} .* disconnected`)).waitFor();
    assert.is(await report('victim'), undefined);
    await victim.end();
    await page.close();
  });
}

pages.run();
