/** Collectors that are dead, slow or refuse cost what they were to be told, which is counted, and nothing else. */

// test-limit: 60s

import {
  Collector,
  freePort,
  request,
  startServer,
  until,
  type ChildServer,
  type RespClient,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const failures = suite('collectors that fail');

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
failures.after.each(async () => {
  await server.stop();
  collector?.stop();
});

async function status(): Promise<Record<string, string | number>> {
  const flat = (await client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  return Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), flat[at + 1]!]] : [])),
  );
}

async function metric(name: string): Promise<number> {
  const { text } = await request(server.httpPort, '/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

/** More requests than any queue holds, all answered. */
async function load(): Promise<void> {
  const replies = await client.pipeline(
    Array.from({ length: COMMANDS }, (_, nth) => ['SET', `k${String(nth % 100)}`, 'v']),
  );
  assert.ok(replies.every((reply) => reply === 'OK'));
}

const lines = (event: string): number =>
  server.stdout.split('\n').filter((line) => line.includes(` ${event} `)).length;

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

failures('one that nobody listens as', async () => {
  await start(`http://127.0.0.1:${String(await freePort())}`);
  await load();
  await until(
    async () => (await status())['collector'] === 'failing',
    'the failure is noticed',
    30_000,
  );
  assert.ok(
    Number((await status())['dropped-queue-total']) +
      Number((await status())['dropped-busy-total']) >
      0,
  );
  await allAccountedFor();
  await until(
    async () => (await metric('svc_metrics_pushes_total{result="failed"}')) >= 2,
    'two pushes',
    30_000,
  );
  assert.is(lines('traces-export-failed'), 1, 'told once');
  assert.is(lines('metrics-export-failed'), 1, 'told once');
});

failures('one that refuses, and then takes', async () => {
  collector = await Collector.start();
  collector.mode = 'refuse';
  await start(collector.endpoint);
  await client.pipeline(Array.from({ length: 1_000 }, () => ['PING']));
  await until(async () => Number((await status())['dropped-collector-total']) >= 1_000, 'refused');
  await until(
    async () => (await metric('svc_metrics_pushes_total{result="failed"}')) >= 2,
    'pushes',
  );
  const taking = collector;
  taking.mode = 'take';
  await until(async () => {
    await client.call('PING');
    return taking.spans.length > 0 && taking.pushes.length > 0;
  }, 'it takes again');
  await until(() => lines('traces-export-works') === 1, 'told of');
  await until(() => lines('metrics-export-works') === 1, 'told of');
  assert.is(lines('traces-export-failed'), 1);
  assert.is(lines('metrics-export-failed'), 1);
  assert.match(server.stdout, /refused by the test/);
});

failures.run();
