/** Controls that all pages share: the switch for UTC, and downloads of tables. */
// test-tier: long
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, visit } from './browser.ts';

const reach = suite('shared controls of the debug pages');

let server: ChildServer;
let browser: Browser;

if (needs('chromium')) {
  reach.before(async () => {
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 1, args: ['--set', 'slowlog.log-slower-than=0'] }),
      openBrowser(),
    ]);
    const client = await server.client();
    await client.call('CLIENT', 'SETNAME', '=cmd');
    await client.call('SET', 'key', 'v');
  });
  reach.after(async () => {
    await browser.close();
    await server.stop();
  });

  reach('times are shown in the zone of the browser or in UTC, also after a reload', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' });
    const page = await context.newPage();
    await visit(page, server.httpPort, 'commands?command=set');
    const cell = page
      .getByRole('table', { name: 'Slow entries of set' })
      .getByRole('cell', { name: /^\d{4}-/ });
    await cell.waitFor();
    const hourOf = async (): Promise<number> => Number((await cell.innerText()).slice(11, 13));
    const local = await hourOf();
    const button = page.getByRole('button', { name: 'UTC' });
    await button.click();
    await page.locator('button[aria-pressed="true"]', { hasText: 'UTC' }).waitFor();
    assert.is(await hourOf(), (local + 24 - 9) % 24);
    await page.reload();
    await cell.waitFor();
    assert.is(await hourOf(), (local + 24 - 9) % 24);
    await button.click();
    assert.is(await hourOf(), local);
    await context.close();
  });

  reach('a table is downloaded as CSV and as JSON', async () => {
    const { page, complaints } = await openView(browser);
    await visit(page, server.httpPort, 'clients');
    const group = page.getByRole('group', { name: 'Download: Connected clients' });
    const contentOf = async (kind: string): Promise<[name: string, text: string]> => {
      const download = page.waitForEvent('download');
      await group.getByRole('button', { name: kind }).click();
      const file = await download;
      // The browser may be another process', so that its files are not at hand.
      return [file.suggestedFilename(), await text(await file.createReadStream())];
    };
    const [csvName, csv] = await contentOf('CSV');
    assert.is(csvName, 'svc-connected-clients.csv');
    assert.match(csv, /^Id,Address,Name,User,Library,State,Flags,Rate,/);
    assert.match(csv, /,'=cmd,/);
    const [jsonName, json] = await contentOf('JSON');
    assert.is(jsonName, 'svc-connected-clients.json');
    const [client] = JSON.parse(json) as { name: string; commands: number }[];
    assert.is(client?.name, '=cmd');
    assert.ok(client!.commands >= 2);
    assert.equal(complaints, []);
    await page.close();
  });
}

reach.run();
