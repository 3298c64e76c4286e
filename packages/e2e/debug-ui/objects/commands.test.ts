/** The page about commands, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import type { CommandsDocument } from '#api-types';
import { type ChildServer, needs, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from '../browser.ts';

const pages = suite('debug page of commands');

const LOOP = 'while true do end';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const row = (page: Page, command: string) =>
  page
    .getByRole('table', { name: 'Commands', exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: command, exact: true }) });

async function commands(): Promise<CommandsDocument> {
  return (await request(server.httpPort, '/debug/api/commands')).json() as CommandsDocument;
}

if (needs('chromium')) {
  pages.before(async () => {
    const args = ['slowlog.log-slower-than=0', 'scripting.busy-reply-threshold-ms=50'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args: args.flatMap((each) => ['--set', each]) }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.call('CLIENT', 'SETNAME', 'caller');
    await client.pipeline(Array.from({ length: 50 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
    await client.reply('LPUSH', 'key:1', 'v');
    await client.reply('GET');
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  pages('the document has counts, errors by code, and refuses unknown parameters', async () => {
    const { commands: all, errors, executing } = await commands();
    const of = (name: string) => all.find(({ command }) => command === name)!;
    assert.is(of('set').calls, 50);
    assert.ok(of('set').p99_us > 0);
    assert.is(of('lpush').failed, 1);
    assert.is(of('get').rejected, 1);
    assert.equal(errors.map(({ code, count }) => [code, count]).sort(), [
      ['ERR', 1],
      ['WRONGTYPE', 1],
    ]);
    assert.equal(executing, []);
    const wrong = await request(server.httpPort, '/debug/api/commands?command=get');
    assert.is(wrong.status, 400);
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows slow entries and clients of a command, ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'commands');
      await page.getByRole('searchbox', { name: 'Filter commands' }).fill('set');
      await row(page, 'get').waitFor({ state: 'detached' });
      await row(page, 'set').getByRole('button').click();
      const detail = page.locator('.detail');
      await detail
        .getByText(/^SET key:\d+ v$/)
        .first()
        .waitFor();
      await detail.getByRole('link', { name: /caller$/ }).waitFor();
      await detail.getByText('It is not the last command of any connected client.').waitFor();
      await page
        .getByRole('table', { name: 'Error replies by code' })
        .getByText('WRONGTYPE')
        .waitFor();
      assert.match(page.url(), /#\/commands\?command=set$/);
      await shoot(page, `commands-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      await detail.getByRole('button', { name: 'Close' }).click();
      await detail.waitFor({ state: 'detached' });
      assert.not.match(page.url(), /command=/);
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('a command leads to the clients whose last command it was', async () => {
    const { page } = await openView(browser);
    await client.call('GET', 'key:1');
    await visit(page, server.httpPort, 'commands?command=get');
    await page.locator('.detail').getByRole('link', { name: '1 client', exact: true }).click();
    await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'caller' }).waitFor();
    await page.close();
  });

  pages(
    'a stuck shard takes all of its time, and links lead to script, shard and client',
    async () => {
      const { page, complaints } = await openView(browser);
      const looping = await server.client();
      const running = looping.pipeline([['EVAL', LOOP, '0']]);
      await until(async () => (await commands()).executing.length > 0, 'the script runs');
      const share = async (): Promise<number> => {
        const { commands: all } = await commands();
        return all.find(({ command }) => command === 'eval')?.shard_percent ?? 0;
      };
      // Of two shards one is busy.
      await until(async () => (await share()) > 25, 'its time is counted while it runs');
      await visit(page, server.httpPort, 'commands');
      const runs = page.getByRole('table', { name: 'Commands that run now' });
      await runs.getByText('eval', { exact: true }).waitFor();
      await row(page, 'eval').waitFor();
      await shoot(page, 'commands-stuck');
      const linksNow = (): Promise<string> =>
        runs
          .getByRole('link')
          .evaluateAll((all) =>
            all.map((link) => (link as unknown as { hash: string }).hash).join(' '),
          );
      const wanted = /^#\/shards\?shard=[01] #\/scripts\?sha=[\da-f]{40} #\/clients\?id=\d+$/;
      // The id of the client is left out while main is late.
      await until(async () => wanted.test(await linksNow()), 'script, shard and client are links');
      await client.call('SCRIPT', 'KILL');
      await running;
      await page.getByText('No shard is executing a command at this moment.').waitFor();
      assert.equal(complaints, []);
      await looping.end();
      await page.close();
    },
  );
}

pages.run();
