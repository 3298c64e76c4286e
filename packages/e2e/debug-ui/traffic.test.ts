/** Cost of the debug pages: bytes of the first load and of watching, and requests. */
// test-tier: long
import { gzipSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { type ChildServer, needs, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, visit } from './browser.ts';

const traffic = suite('traffic of the debug pages');

const FIRST_LOAD_BYTES_MAX = 70_000;
/** Samples that the server keeps, and a page draws when it is opened. */
const SAMPLES = 300;
/**
 * The live document is requested once a second: the other traffic of this number of requests is the cost of that number
 * of seconds.
 */
const SECONDS = 10;
const KIB = 1_024;

let server: ChildServer;
let browser: Browser;
let load: NodeJS.Timeout;

interface Received {
  readonly path: string;
  /** With headers, as it came over the wire. */
  readonly bytes: number;
}

/** Everything that a page receives from now on. */
async function listen(page: Page): Promise<Received[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const received: Received[] = [];
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.push({ path: paths.get(requestId) ?? '', bytes: encodedDataLength });
  });
  await session.send('Network.enable');
  return received;
}

const sum = (received: readonly Received[]): number =>
  received.reduce((bytes, each) => bytes + each.bytes, 0);

const countOf = (received: readonly Received[], path: string): number =>
  received.filter((each) => each.path === path).length;

async function seconds(page: Page, received: readonly Received[], wanted: number): Promise<void> {
  while (countOf(received, '/debug/api/live') < wanted) await page.waitForResponse(/api\/live/);
}

if (needs('chromium')) {
  traffic.before(async () => {
    const args = ['--set', 'slowlog.log-slower-than=0', '--set', 'latency-bands.enabled=true'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 4, args }),
      openBrowser(),
    ]);
    const client = await server.client();
    load = setInterval(() => {
      const commands = Array.from({ length: 20 }, (_, nth) => ['INCR', `key:${nth}`]);
      client.pipeline(commands).catch(() => undefined);
    }, 20);
  });
  traffic.after(async () => {
    clearInterval(load);
    await browser.close();
    await server.stop();
  });

  for (const [name, kibMax] of [
    ['overview', 3],
    ['performance', 10],
  ] as const) {
    traffic(
      `${name} takes at most ${kibMax} KiB a second, and is small to begin with`,
      async () => {
        const { page } = await openView(browser);
        const received = await listen(page);
        await visit(page, server.httpPort, name);
        await seconds(page, received, 3);
        assert.ok(sum(received) <= FIRST_LOAD_BYTES_MAX, `${sum(received)} bytes`);
        received.length = 0;
        await seconds(page, received, SECONDS);
        const kib = sum(received) / KIB / SECONDS;
        assert.ok(kib <= kibMax, `${kib} KiB a second`);
        await page.close();
      },
    );
  }

  for (const [name, parts] of [
    ['overview', 'figures,totals'],
    ['performance', 'times,bands'],
    ['shards', 'shards,shard-samples'],
    ['replication', 'replication'],
  ] as const) {
    traffic(`${name} is small to begin with, also with five minutes to draw`, async () => {
      const live = async (since: number): Promise<{ bytes: number; count: number }> => {
        const path = `/debug/api/live?since=${since}&with=${parts}`;
        const { text } = await request(server.httpPort, path);
        const { samples } = JSON.parse(text) as { samples: { after_ms: unknown[] } };
        return { bytes: gzipSync(text).length, count: samples.after_ms.length };
      };
      await until(async () => (await live(0)).count >= SECONDS, 'there are samples');
      const { page } = await openView(browser);
      const received = await listen(page);
      await visit(page, server.httpPort, name);
      // The first second is what is loaded; the next shows that all of it has come.
      await seconds(page, received, 2);
      const some = await live(0);
      // The more there are, the better they pack.
      const each = (some.bytes - (await live(1e9)).bytes) / some.count;
      const bytes = sum(received) + each * (SAMPLES - some.count);
      assert.ok(bytes <= FIRST_LOAD_BYTES_MAX, `${bytes} bytes, ${each} for a sample`);
      await page.close();
    });
  }

  traffic('a page that is not looked at is not loaded', async () => {
    const { page } = await openView(browser);
    const received = await listen(page);
    await visit(page, server.httpPort, 'clients');
    await seconds(page, received, 1);
    const files = received.filter(({ path }) => path.endsWith('.js')).map(({ path }) => path);
    assert.ok(files.some((path) => path.includes('/clients-')));
    assert.not.ok(
      files.some((path) => /\/(chart|overview|shards)-/.test(path)),
      files.join(' '),
    );
    await page.close();
  });

  traffic('a document is asked for once for all panels that show it', async () => {
    const { page } = await openView(browser);
    const received = await listen(page);
    await visit(page, server.httpPort, 'performance');
    await seconds(page, received, SECONDS);
    // Three panels show it, every two seconds.
    const asked = countOf(received, '/debug/api/latency');
    assert.ok(asked > 0 && asked <= SECONDS / 2 + 1, `${asked} times`);
    await page.close();
  });
}

traffic.run();
