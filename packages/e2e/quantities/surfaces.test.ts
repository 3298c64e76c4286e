/** One quantity, many places that show it: all of them agree. Which stand where is in quantities.ts. */

import {
  type ChildServer,
  Collector,
  keyPerShard,
  type OtlpMetric,
  type Reply,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { QUANTITIES } from '#quantities';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mixedLoad } from '../observability/mixed-load.ts';
import { onlyInStatus, onlyOfShards, quantities, workedOut } from './quantities.ts';
import { read, valuesOf, type Reading } from './readings.ts';

const surfaces = suite('surfaces');

const SHARDS = 2;
const KEYS_GONE = keyPerShard(SHARDS, 'gone');

let collector: Collector;
let server: ChildServer;
let client: RespClient;

surfaces.before(async () => {
  collector = await Collector.start();
  server = await startServer({
    shards: SHARDS,
    http: true,
    toml: `
      # INFO tells of rate limits only while there are any.
      [[security.users]]
      name = "limited"
      rules = "ratelimit:cps=5"
      [http]
      redis-exporter-names = true
      [metrics]
      otlp-enabled = true
      otlp-endpoint = "${collector.endpoint}"
      otlp-interval-secs = 1
    `,
  });
  client = await server.client();
  await client.call('CONFIG', 'RESETSTAT');
  for (const key of keyPerShard(SHARDS, 'surface')) {
    await client.pipeline([
      ['SET', key, 'v'.repeat(1_000), 'EX', '1000'],
      ['GET', key],
      ['GET', `${key}:none`],
      ['INCR', key],
    ]);
  }
  for (const key of keyPerShard(SHARDS, 'ended')) {
    await client.call('SET', key, 'v', 'PX', 1);
    await until(async () => (await client.call('DBSIZE')) === SHARDS, 'the key has expired');
  }
  await client.reply('NONSENSE');
  await client.pipeline([
    ['SELECT', 9],
    ['MSET', ...KEYS_GONE.flatMap((key) => [key, 1])],
    ['MSET', ...KEYS_GONE.flatMap((key) => [key, 2])],
    ['RENAME', KEYS_GONE[0]!, `${KEYS_GONE[0]!}:new`],
    ['DEL', KEYS_GONE[1]!],
    ['HSET', 'fields', 'f', 1],
    ['HPEXPIRE', 'fields', 1, 'FIELDS', 1, 'f'],
    ['SET', 'flushed', 1],
  ]);
  await until(async () => (await client.call('DBSIZE')) === SHARDS, 'the hash is gone');
  await client.pipeline([['FLUSHDB'], ['SELECT', 0]]);
});
surfaces.after(async () => {
  await server.stop();
  collector.stop();
});

type Status = Record<string, Record<string, unknown>>;

/** Every reason for which a key goes; how often it was so, where that is for sure. */
const reasons: readonly (readonly [reason: string, keys?: number])[] = [
  ['expired-active'],
  ['expired-lazy'],
  ['expired-fields', 1],
  ['evicted', 0],
  ['deleted', 1],
  ['overwritten', SHARDS],
  ['moved', 1],
  ['flushed', 2],
];
/** A reading of the metrics that was taken after now. */
async function nextPush(): Promise<readonly OtlpMetric[]> {
  const count = collector.pushes.length;
  // The one under way may have been read before.
  await until(() => collector.pushes.length >= count + 2, 'a push');
  return collector.pushes.at(-1)!;
}

const shown = (values: ReadonlyMap<string, number>): string =>
  [...values].map(([surface, value]) => `${surface} ${String(value)}`).join(', ');

surfaces('all have each quantity, and agree on it when the server rests', async () => {
  const reading = await read(server, client, nextPush);
  for (const quantity of quantities) {
    const values = valuesOf(quantity, reading);
    // Quantities of a cluster are on metrics only, which are not sent outside of one.
    const isOfCluster = quantity.on.metrics?.every((name) => name.startsWith('svc_cluster_'));
    if (values.size === 0 && isOfCluster === true) continue;
    const least = workedOut.includes(quantity) ? 2 : 1;
    assert.ok(values.size >= least, `${quantity.what} stands on fewer surfaces than ${least}`);
    for (const value of values.values()) {
      assert.ok(Number.isFinite(value), `${quantity.what}: ${shown(values)}`);
    }
    if (quantity.moves) continue;
    assert.is(new Set(values.values()).size, 1, `${quantity.what}: ${shown(values)}`);
  }
});

surfaces('count what was done before', async () => {
  const reading = await read(server, client);
  const expected = new Map([
    ['hits', SHARDS],
    ['misses', SHARDS],
    ['expired', SHARDS],
    ['errors', SHARDS + 1],
    ['calls of GET', 2 * SHARDS],
    ['shards', SHARDS],
    ['process', server.pid],
    ...reasons.map(([reason, keys]) => [`keys gone: ${reason}`, keys] as const),
  ]);
  for (const quantity of quantities) {
    const count = expected.get(quantity.what);
    if (count === undefined) continue;
    assert.equal([...new Set(valuesOf(quantity, reading).values())], [count], quantity.what);
  }
});

surfaces('agree while the server works: what one has told, no other takes back', async () => {
  const load = await mixedLoad(server, keyPerShard(SHARDS, 'load'));
  const readings: Reading[] = [];
  try {
    for (let nth = 0; nth < 4; nth += 1) readings.push(await read(server, client, nextPush));
  } finally {
    await load.stop();
  }
  for (const quantity of quantities.filter(({ grows }) => grows)) {
    for (const [nth, reading] of readings.slice(1).entries()) {
      const before = valuesOf(quantity, readings[nth]!);
      const now = valuesOf(quantity, reading);
      const isFine = Math.max(...before.values()) <= Math.min(...now.values());
      assert.ok(isFine, `${quantity.what}: ${shown(before)}; then ${shown(now)}`);
    }
  }
  await until(async () => (await client.call('DBSIZE')) === SHARDS, 'the keys are gone');
});

surfaces('every number of the status document is compared', async () => {
  const { statuses } = await read(server, client);
  const document = statuses['STATUS JSON']!;
  const compared = new Set(quantities.map(({ on }) => on.status));
  const names: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'number') names.push(path);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`);
  };
  for (const [name, section] of Object.entries(document)) {
    if (name !== 'commands') walk(section, name);
  }
  assert.equal(
    names.filter((name) => !compared.has(name) && !onlyInStatus.includes(name)),
    [],
  );
  const ofShards = new Set(quantities.map(({ on }) => on.shards));
  const [shard] = document['shards'] as Record<string, unknown>[];
  const fields = Object.keys(shard!).filter((name) => typeof shard![name] === 'number');
  assert.equal(
    fields.filter((name) => !ofShards.has(name) && !onlyOfShards.includes(name)),
    [],
  );
});

surfaces('the live samples have a rate of every counter that has a name there', async () => {
  const seen = async (): Promise<object> => {
    const answer = (await request(server.httpPort, '/debug/api/live')).json() as {
      samples: { totals: object | null };
    };
    return answer.samples.totals ?? {};
  };
  await until(async () => 'ops' in (await seen()), 'a sample');
  const has = Object.keys(await seen());
  const wanted = QUANTITIES.flatMap(({ live }) => live ?? []);
  assert.equal(
    wanted.filter((name) => !has.includes(name)),
    [],
  );
});

surfaces('the live samples have every command once', async () => {
  interface Live {
    samples: { first_seq: number | null; after_ms: number[]; totals: { ops: number[] } | null };
  }
  interface Sample {
    readonly seq: number;
    readonly after_ms: number;
    readonly ops: number;
  }
  const samples = async (): Promise<Sample[]> => {
    const answer = (await request(server.httpPort, '/debug/api/live')).json() as Live;
    const { first_seq: first, after_ms: after, totals } = answer.samples;
    return after.map((ms, nth) => ({
      seq: first! + nth,
      after_ms: ms,
      ops: totals!.ops[nth]!,
    }));
  };
  const after = async (seq: number): Promise<Sample[]> => {
    await until(async () => ((await samples()).at(-1)?.seq ?? 0) > seq, 'the next sample');
    return samples();
  };
  const first = (await after((await samples()).at(-1)?.seq ?? 0)).at(-1)!;
  const count = 20_000;
  await client.pipeline(Array.from({ length: count }, () => ['GET', 'live']));
  const last = (await samples()).at(-1)!;
  const all = await after(last.seq);
  const from = all.findIndex(({ seq }) => seq === first.seq);
  let reported = 0;
  for (let nth = from + 1; nth < all.length; nth += 1) {
    reported += (all[nth]!.ops * all[nth]!.after_ms) / 1_000;
  }
  assert.ok(Math.abs(reported - count) < 0.2 * count, `${reported} of ${count}`);
});

surfaces('show a setting as soon as CONFIG SET has answered', async () => {
  type Entries = { entries: { name: string; value: unknown }[] };
  for (let nth = 1; nth <= 40; nth += 1) {
    const limit = nth * 1_000_000_000;
    const setting =
      nth % 2 === 0
        ? client.call('CONFIG', 'SET', 'maxmemory', limit)
        : client.pipeline([['MULTI'], ['CONFIG', 'SET', 'maxmemory', limit], ['EXEC']]);
    await setting;
    const config = (await request(server.httpPort, '/debug/api/config')).json() as Entries;
    const status = (await request(server.httpPort, '/status/json')).json() as Status;
    const metrics = (await request(server.httpPort, '/metrics')).text;
    assert.is(status['memory']!['limit_bytes'], limit, 'status');
    assert.is(Number(/^svc_memory_maxmemory_bytes (.*)$/m.exec(metrics)?.[1]), limit, 'metrics');
    const entry = config.entries.find(({ name }) => name === 'memory.maxmemory');
    assert.is(String(entry!.value), String(limit), 'config');
  }
  await client.call('CONFIG', 'SET', 'maxmemory', 0);
});

surfaces('know the same reasons', async () => {
  const answer = await request(server.httpPort, '/debug/api/key-fates');
  const { counts } = answer.json() as { counts: Record<string, number> };
  assert.equal(
    Object.keys(counts),
    reasons.map(([reason]) => reason),
  );
});

surfaces('tell the same removed keys', async () => {
  const reported = (await client.call('KEYFATE', 'GET', '-1')) as Reply[][];
  const answer = await request(server.httpPort, '/debug/api/key-fates?count=-1');
  const { removed_keys: removed } = answer.json() as {
    removed_keys: { id: number; key: string | null; reason: string }[];
  };
  const field = (entry: Reply[], name: string): Reply | undefined =>
    entry[entry.findIndex((each) => textOf(each) === name) + 1];
  assert.ok(removed.length > 0);
  assert.equal(
    removed.map(({ id, key, reason }) => [id, key ?? '', reason]),
    reported.map((entry) => [
      field(entry, 'id'),
      textOf(field(entry, 'key')),
      textOf(field(entry, 'reason')),
    ]),
  );
});

surfaces('tell the same events of threads', async () => {
  const byCommand = async (): Promise<string[]> => {
    const reply = (await client.call('DEBUG', 'FLIGHT-RECORDER', 'COUNT', '-1')) as Reply[][];
    return reply.map((flat) => flat.map((each) => (each === null ? '' : textOf(each))).join(' '));
  };
  await client.call('DEBUG', 'SLEEP', '0.01');
  await client.call('CONFIG', 'SET', 'slowlog-max-len', '130');
  const before = await byCommand();
  const answer = await request(server.httpPort, '/debug/api/flight-recorder');
  const { entries } = answer.json() as { entries: Record<string, string | number | null>[] };
  const after = await byCommand();
  const byHttp = entries.map((entry) =>
    Object.entries(entry)
      .map(([name, value]) =>
        name === 'time_ms'
          ? `time_us ${Math.round(1_000 * Number(value))}`
          : `${name} ${value === null ? '' : String(value)}`,
      )
      .join(' '),
  );
  assert.ok(before.length >= SHARDS + 1);
  // Threads continue recording while they are read.
  assert.equal(byHttp.slice(0, before.length), before);
  assert.equal(after.slice(0, byHttp.length), byHttp);
});

surfaces('give latencies of one histogram', async () => {
  await client.call('CONFIG', 'SET', 'latency-tracking-info-percentiles', '50 99');
  const { info } = await read(server, client);
  const p50 = Number(/^latency_percentiles_usec_get:p50=([\d.]+)/m.exec(info)?.[1]);
  const document = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
    commands: { top: { command: string; p50_us: number }[] };
  };
  const shown = document.commands.top.find(({ command }) => command === 'get')!.p50_us;
  assert.is(p50, Number(shown.toFixed(3)));
});

surfaces.run();
