/** INFO: its sections, their order, and what they say of keys, memory and threads. MEMORY too. */
import {
  type ChildServer,
  keysOnShard,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';

const info = suite('INFO');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;

info.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
info.after(async () => {
  await server.stop();
});

const read = async (...sections: string[]): Promise<string> =>
  textOf(await client.call('INFO', ...sections));

const heads = (text: string): string[] =>
  [...text.matchAll(/^# (.*)\r$/gm)].map(([, name]) => name!);

const DEFAULT = [
  'Server',
  'Clients',
  'Memory',
  'Persistence',
  'Stats',
  'Replication',
  'CPU',
  'Keyspace',
];
const EXTRA = [
  'Commandstats',
  'Errorstats',
  'Latencystats',
  'Latency_baseline',
  'Tiered',
  'Keysizes',
];

const asked: readonly (readonly [words: string[], sections: string[]])[] = [
  [[], DEFAULT],
  [['default'], DEFAULT],
  [['all'], [...DEFAULT, ...EXTRA]],
  [['EVERYTHING'], [...DEFAULT, ...EXTRA]],
  [
    ['cpu', 'Server'],
    ['Server', 'CPU'],
  ],
  [
    ['default', 'keysizes'],
    [...DEFAULT, 'Keysizes'],
  ],
  [
    ['all', 'nothing', 'cpu'],
    [...DEFAULT, ...EXTRA],
  ],
  [['nothing'], []],
  [['ratelimit'], []],
  [['cluster'], ['Cluster']],
  [
    ['modules', 'default'],
    [...DEFAULT, 'Modules'],
  ],
];

for (const [words, sections] of asked) {
  info(`INFO ${words.join(' ')} has its sections in order`, async () => {
    assert.equal(heads(await read(...words)), sections);
  });
}

const number = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:([-\\d.]+)`, 'm').exec(text)?.[1]);

info('says that there is no cluster, in a bare INFO and where it is asked for', async () => {
  for (const words of [[], ['server'], ['cluster']]) {
    assert.match(await read(...words), /^cluster_enabled:0\r$/m);
  }
});

info('shows the mean time to live', async () => {
  const keys = keysOnShard(0, SHARDS, 3, 'ttl');
  await client.call('SET', keys[0]!, 'v', 'PX', '100000');
  await client.call('SET', keys[1]!, 'v', 'PX', '300000');
  await client.call('SET', keys[2]!, 'v');
  const [, shown = ''] = /db0:keys=3,expires=2,avg_ttl=(\d+),subexpiry=0/.exec(await read()) ?? [];
  assert.ok(Number(shown) > 190_000 && Number(shown) <= 200_000, shown);
  await client.call('PERSIST', keys[0]!);
  await client.call('DEL', keys[1]!);
  assert.match(await read('keyspace'), /db0:keys=2,expires=0,avg_ttl=0,subexpiry=0/);
  await client.call('FLUSHALL');
});

/** Asks until the shards have walked their keys and found all of that. */
async function findsSizes(...lines: string[]): Promise<void> {
  let text = '';
  const isThere = (line: string): boolean => text.includes(`${line}\r\n`);
  const areThere = async (): Promise<boolean> => {
    text = await read('keysizes');
    return lines.every(isThere);
  };
  await until(areThere, lines.join()).catch(() => undefined);
  for (const line of lines) assert.ok(isThere(line), `${line}\n${text}`);
}

info('counts keys by size and type, over all shards', async () => {
  await client.call('SET', 'a', '');
  await client.call('SET', 'b', 'x');
  for (const key of [...keysOnShard(0, SHARDS, 2, 's'), ...keysOnShard(1, SHARDS, 2, 's')]) {
    await client.call('SET', key, 'x'.repeat(1_500));
  }
  await client.call('RPUSH', 'list', '1', '2', '3', '4');
  await client.call('SADD', 'set', ...Array.from({ length: 300 }, (_, nth) => nth));
  await client.call('ZADD', 'zset', 1, 'a', 2, 'b', 3, 'c');
  await client.call('HSET', 'hash', 'f', 'v');
  await client.call('XADD', 'stream', '*', 'f', 'v');
  await client.call('SELECT', '3');
  await client.call('RPUSH', 'other', '1', '2');
  await client.call('SELECT', '0');
  await findsSizes(
    'db0_distrib_strings_sizes:0=1,1=1,1K=4',
    'db0_distrib_lists_items:4=1',
    'db0_distrib_sets_items:256=1',
    'db0_distrib_zsets_items:2=1',
    'db0_distrib_hashes_items:1=1',
    'db0_distrib_streams_items:1=1',
    'db3_distrib_lists_items:2=1',
  );
  const bytes = Number(await client.call('MEMORY', 'USAGE', 'set', 'SAMPLES', '0'));
  const power = 2 ** Math.floor(Math.log2(bytes));
  const label = power < 1_024 ? String(power) : `${power / 1_024}K`;
  await findsSizes(`db0_distrib_sets_sizes:${label}=1`);
  const text = await read('keysizes');
  assert.match(text, /db0_distrib_hashes_sizes:\d+=1\r\n/);
  assert.match(text, /db3_distrib_lists_sizes:\d+=1\r\n/);
  await client.call('RPUSH', 'list', '5', '6', '7', '8');
  await findsSizes('db0_distrib_lists_items:8=1');
  // Exporters ask for all, and would make metrics of these lines.
  const all = await read('all');
  assert.match(all, /^# Keysizes\r\nkeysizes_age_ms:\d+\r$/m);
  assert.not.match(all, '_distrib_');
  assert.match(await read('everything'), 'db0_distrib_lists_items:8=1');
  assert.match(await read('all', 'keysizes'), 'db0_distrib_lists_items:8=1');
});

info('memory adds up to what is resident', async () => {
  await client.call('DEBUG', 'POPULATE', '20000', 'fill', '500');
  let text = '';
  // Threads look at their heaps once a second.
  const isSeen = async (): Promise<boolean> => {
    text = await read('memory');
    const external = number(text, 'mem_rss_external');
    const data = ['slabs', 'blobs', 'indexes'].map((name) => number(text, `mem_${name}`));
    const dataBytes = data.reduce((total, part) => total + part, 0);
    return external > 20_000 * 500 && external >= dataBytes && number(text, 'mem_rss_rest') > 0;
  };
  await until(isSeen, 'the threads have seen what they take');
  const parts = ['heaps', 'external', 'files', 'rest'].map((name) =>
    number(text, `mem_rss_${name}`),
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  assert.is(sum, number(text, 'used_memory_rss'));
  const slabs = number(text, 'mem_slabs') + number(text, 'mem_blobs') + number(text, 'mem_indexes');
  assert.ok(slabs > 20_000 * 500, `${slabs} bytes of data`);
  assert.ok(slabs <= number(text, 'mem_rss_external'), 'which are outside of the heaps');
  assert.ok(
    parts.every((part) => part > 0),
    parts.join(' '),
  );
});

info('MEMORY tells of the same, in words and in numbers', async () => {
  const stats = (await client.call('MEMORY', 'STATS')) as unknown[];
  const value = (name: string): unknown => stats[stats.indexOf(name) + 1];
  assert.is(value('keys.count'), Number(await client.call('DBSIZE')) + 1);
  assert.is(value('total.allocated'), number(await read('memory'), 'used_memory'));
  const tree = value('resident') as unknown[];
  assert.equal(
    tree.filter((_, nth) => nth % 2 === 0),
    [
      ...['total', 'files', 'code', 'stacks', 'link', 'heaps', 'buffers'],
      ...['unexplained', 'unexplained.percentage'],
    ],
  );
  assert.match(textOf(await client.call('MEMORY', 'MALLOC-STATS')), /shard 1 +\d+ +\d+/);
  const many = Number(await client.call('DBSIZE'));
  await client.call(
    'CONFIG',
    'SET',
    'maxmemory',
    String(number(await read('memory'), 'used_memory')),
  );
  const advice = textOf(await client.call('MEMORY', 'DOCTOR'));
  assert.match(advice, `in the memory of ${many + 1} keys`);
  assert.match(advice, /Near the limit: 100\.0% of maxmemory is used\. Writes will be refused/);
  await client.call('CONFIG', 'SET', 'maxmemory', '0');
});

info('the allocator is not told to be fragmented because there is little data', async () => {
  const ratio = /^allocator_frag_ratio:([\d.]+)\r$/m.exec(await read('memory'))?.[1];
  assert.ok(Number(ratio) >= 1 && Number(ratio) < 2, `a ratio of ${String(ratio)}`);
  const reported = number(await read('memory'), 'allocator_allocated');
  assert.ok(reported >= number(await read('memory'), 'used_memory_startup'));
});

info('MEMORY PURGE gives back what deleted keys have left', async () => {
  const heldBytes = async (): Promise<number> => {
    const text = await read('memory');
    return number(text, 'allocator_active') - number(text, 'used_memory_startup');
  };
  const before = await heldBytes();
  const keys = Array.from({ length: 20_000 }, (_, nth) => `fill:${nth}`).filter(
    (_, nth) => nth % 10 > 0,
  );
  await client.call('UNLINK', ...keys);
  for (let nth = 0; nth < 10; nth += 1) assert.is(await client.call('MEMORY', 'PURGE'), 'OK');
  const after = await heldBytes();
  assert.ok(after < before / 2, `${before} before, ${after} after`);
});

info('counts processor time of every thread', async () => {
  let text = await read('cpu');
  for (let tries = 0; tries < 40 && !text.includes('used_cpu_user_shard_1'); tries += 1) {
    await client.pipeline(Array.from({ length: 5_000 }, (_, nth) => ['SET', `cpu:${nth}`, 'v']));
    text = await read('cpu');
  }
  for (const name of ['main_thread', 'shard_0', 'shard_1']) {
    assert.ok(number(text, `used_cpu_user_${name}`) > 0, name);
  }
});

info('has a baseline of the machine after a startup test, and warns of it', async () => {
  assert.not.match(await read('latency_baseline'), 'latency_baseline_');
  const tested = await startServer({
    args: [
      ...['--startup-latency-check', '--set', 'latency.startup-test-duration-secs=1'],
      ...['--set', 'latency.warning-threshold-us=0'],
    ],
  });
  const other = await tested.client();
  const text = textOf(await other.call('INFO', 'latency_baseline'));
  assert.is(number(text, 'latency_baseline_seconds'), 1);
  assert.ok(number(text, 'latency_baseline_samples') > 1_000);
  assert.ok(number(text, 'latency_baseline_max_us') >= number(text, 'latency_baseline_p99_us'));
  assert.match(text, /latency_baseline_verdict:above the threshold of 0 us/);
  await tested.stop();
  assert.match(tested.stdout, /WARN .*latency-test .*above the threshold of 0 us/);
});

info('--intrinsic-latency prints maxima, a summary and a verdict, and ends with 0', async () => {
  const { exitCode, stdout } = await runMain([
    ...['--intrinsic-latency', '1', '--set', 'latency.warning-threshold-us=1000000000'],
  ]);
  assert.is(exitCode, 0);
  assert.match(stdout, /^max so far [\d.]+ us$/m);
  assert.match(stdout, /^samples +\d+ in 1 s$/m);
  assert.match(stdout, /^verdict +within the threshold of 1000000000 us\n$/m);
  const wrong = await runMain(['--intrinsic-latency', '0']);
  assert.is(wrong.exitCode, 1);
  assert.match(wrong.stderr, '--intrinsic-latency needs whole seconds from 1 to 86400, not 0');
});

info.run();
