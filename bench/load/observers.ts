/** Cost of observers to the load that a server is under: scrapes of its metrics, and debug bundles. */

import { setTimeout as pause } from 'node:timers/promises';
import { type ChildServer, request, startServer } from '#testkit';
import { longestStallWhile } from './growth.ts';
import { median } from './rounds.ts';

/** Each asks every millisecond: about 15,000 commands a second, which leaves the machine some room. */
const CONNECTIONS = 20;
const LOOK_MS = 4_000;
const SCRAPE_EVERY_MS = 1_000;
const SLOW_ENTRIES = 1_000;

interface ObserversResult {
  /** Milliseconds, of each turn. */
  readonly quietP99Ms: number[];
  readonly scrapedP99Ms: number[];
  readonly bundledP99Ms: number[];
  readonly bundleMs: number[];
}

/** Measures a load by turns: unobserved, with a scrape every second, with a debug bundle. */
async function observersOf(shards: number, turns: number): Promise<ObserversResult> {
  const server = await startServer({
    shards,
    http: true,
    args: [
      ...['--log-level', 'warn', '--set', 'persistence.enabled=no'],
      ...['--set', 'tracing.enabled=yes', '--set', 'slowlog.log-slower-than=0'],
      ...['--set', `slowlog.max-len=${SLOW_ENTRIES}`, '--set', 'debug-bundle.max-bundles=3'],
    ],
  });
  const result: ObserversResult = {
    quietP99Ms: [],
    scrapedP99Ms: [],
    bundledP99Ms: [],
    bundleMs: [],
  };
  const p99Of = async (act: () => Promise<unknown>): Promise<number> =>
    (await longestStallWhile(server.port, act, CONNECTIONS)).p99Ms;
  // Fills the slow log and the traces, and compiles what will run.
  await p99Of(() => bundle(server));
  await p99Of(() => bundle(server));
  for (let turn = 0; turn < turns; turn += 1) {
    result.quietP99Ms.push(await p99Of(() => pause(LOOK_MS)));
    result.scrapedP99Ms.push(await p99Of(() => scrapeOften(server)));
    result.bundledP99Ms.push(
      await p99Of(async () => {
        result.bundleMs.push(await bundle(server));
      }),
    );
  }
  await server.stop();
  return result;
}

async function scrapeOften({ httpPort }: ChildServer): Promise<void> {
  for (let leftMs = LOOK_MS; leftMs > 0; leftMs -= SCRAPE_EVERY_MS) {
    await request(httpPort, '/metrics');
    await pause(SCRAPE_EVERY_MS);
  }
}

/** Generates a bundle; returns the duration in milliseconds. */
async function bundle({ httpPort }: ChildServer): Promise<number> {
  await pause(LOOK_MS / 2);
  const beganMs = performance.now();
  const { status } = await request(httpPort, '/debug/api/bundle/generate');
  if (status !== 200) throw new Error(`no bundle: ${status}`);
  const tookMs = performance.now() - beganMs;
  await pause(LOOK_MS / 2);
  return tookMs;
}

/** Every command that takes a key alone, so that there are as many series as a busy server has. */
const SCRAPE_COMMANDS =
  'GET INCR STRLEN LLEN LPOP RPOP SCARD SPOP HLEN HGETALL HKEYS HVALS ZCARD ZPOPMIN ZPOPMAX TYPE TTL PTTL ' +
  'PERSIST EXISTS DUMP XLEN BITCOUNT SMEMBERS GETDEL EXPIRETIME PEXPIRETIME DEL UNLINK TOUCH DECR PFCOUNT';

/** Milliseconds that each of thirty scrapes took at 8 shards, and how many series there are. */
async function scrapeTimes(): Promise<{ times: number[]; series: number }> {
  const server = await startServer({ shards: 8, http: true, args: ['--log-level', 'warn'] });
  const client = await server.client();
  const words = SCRAPE_COMMANDS.split(' ');
  for (let nth = 0; nth < 200; nth += 1) {
    await client.pipeline(words.map((word) => [word, `key:${nth}`]));
  }
  const times: number[] = [];
  let series = 0;
  for (let nth = 0; nth < 30; nth += 1) {
    // Further apart than scrapes that share one rendering.
    await pause(100);
    const beganMs = performance.now();
    const { text } = await request(server.httpPort, '/metrics');
    times.push(performance.now() - beganMs);
    series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  }
  await server.stop();
  return { times, series };
}

/** Prints a row of a table. */
type Row = (cells: readonly (string | number)[]) => void;

/** The observers' part of the report, printed too. */
export async function observers(shards: number, turns: number, row: Row): Promise<ObserversResult> {
  const result = await observersOf(shards, turns);
  const quiet = median(result.quietP99Ms);
  row(['observers', 'p99 ms', 'ratio']);
  row(['nobody', quiet, 1]);
  row(['scrapes', median(result.scrapedP99Ms), median(result.scrapedP99Ms) / quiet]);
  row(['bundles', median(result.bundledP99Ms), median(result.bundledP99Ms) / quiet]);
  row(['a bundle', 'median ms', 'longest ms']);
  row(['', median(result.bundleMs), Math.max(...result.bundleMs)]);
  return result;
}

/** The part of scrapes, printed too. */
export async function scrapes(row: Row): Promise<Record<string, number>> {
  const { times, series } = await scrapeTimes();
  row(['scrape', 'median ms', 'longest ms', 'series']);
  row(['8 shards', median(times), Math.max(...times), String(series)]);
  return { shards: 8, series, median_ms: median(times), longest_ms: Math.max(...times) };
}
