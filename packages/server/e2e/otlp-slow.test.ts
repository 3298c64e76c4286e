/** A collector that never answers costs what it was to be told, which is counted, and nothing else. */

// test-limit: 60s

import {
  Collector,
  request,
  startServer,
  until,
  type ChildServer,
  type RespClient,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const slow = suite('a collector that is slow');

const COMMANDS = 30_000;
/** Traces that wait for the collector, and that are under way to it, at the most. */
const QUEUE = 2_048;
const BATCH = 256;

let collector: Collector | undefined;
let server: ChildServer;
let client: RespClient;

async function start(endpoint: string): Promise<void> {
  server = await startServer({
    http: true,
    toml: `
      [tracing]
      enabled = true
      otlp-endpoint = "${endpoint}"
      [metrics]
      otlp-enabled = true
      otlp-endpoint = "${endpoint}"
      otlp-interval-secs = 1
    `,
  });
  client = await server.client();
}
slow.after.each(async () => {
  await server.stop();
  collector?.stop();
});

async function status(): Promise<Record<string, string | number>> {
  const flat = (await client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  return Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), flat[at + 1]!]] : [])),
  );
}

/** More requests than any queue holds, all answered. */
async function load(): Promise<void> {
  const replies = await client.pipeline(
    Array.from({ length: COMMANDS }, (_, nth) => ['SET', `k${String(nth % 100)}`, 'v']),
  );
  assert.ok(replies.every((reply) => reply === 'OK'));
}

/** Every trace comes to be somewhere: taken, waiting, under way to the collector, or counted as lost. */
async function allAccountedFor(): Promise<void> {
  await until(async () => {
    const now = await status();
    const of = (name: string): number => Number(now[name]);
    const lost =
      of('dropped-busy-total') + of('dropped-queue-total') + of('dropped-collector-total');
    const missing = of('sampled-total') - lost - of('queued');
    return missing >= 0 && missing <= BATCH && of('queued') <= QUEUE;
  }, 'all traces are accounted for');
}

slow('one that never answers', async () => {
  collector = await Collector.start();
  collector.mode = 'hold';
  await start(collector.endpoint);
  await load();
  const { status: code } = await request(server.httpPort, '/health/ready');
  assert.is(code, 200, 'the thread that exports answers meanwhile');
  await allAccountedFor();
  await until(async () => (await status())['collector'] === 'failing', 'its time is over', 30_000);
  await load();
  await allAccountedFor();
});

slow.run();
