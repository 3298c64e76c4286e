/** Gathered lists of the debug pages while a shard does not reply. */
// test-tier: long
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from './browser.ts';

const missing = suite('missing shards on the debug pages');

const LOOP = 'while true do end';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

if (needs('chromium')) {
  missing.before(async () => {
    const args = ['slowlog.log-slower-than=0', 'hotkeys.window-enabled=true'];
    args.push('hotkeys.window-seconds=1', 'scripting.busy-reply-threshold-ms=50');
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args: args.flatMap((each) => ['--set', each]) }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.call('HOTKEYS', 'START', 'METRICS', 2, 'cpu', 'net');
    await client.pipeline(Array.from({ length: 50 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
  });
  missing.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const [name, panels] of [
    ['performance', { 'Slow commands': 'entries' }],
    ['hot-keys', { 'hottest key': 'keys', 'Last window': 'keys' }],
  ] as const) {
    missing(`are named on the page ${name}, and only while they are missing`, async () => {
      const { page, complaints } = await openView(browser);
      await visit(page, server.httpPort, name);
      const looping = await server.client();
      const running = looping.pipeline([['EVAL', LOOP, '0']]);
      const notes = Object.entries(panels).map(([title, part]) =>
        page
          .locator('.panel', { has: page.getByRole('heading', { name: title }) })
          .getByText(new RegExp(`^Shards? [01].* did not reply in time; .* ${part} are missing`)),
      );
      for (const note of notes) await note.waitFor();
      await shoot(page, `missing-shards-${name}`);
      await client.call('SCRIPT', 'KILL');
      await running;
      for (const note of notes) await note.waitFor({ state: 'detached' });
      assert.equal(complaints, []);
      await looping.end();
      await page.close();
    });
  }
}

missing.run();
