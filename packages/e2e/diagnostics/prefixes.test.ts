/** Counts by key prefix: exact, the same on every surface, and adding up to those of all keys. */
import {
  byName,
  type ChildServer,
  encodeCommand,
  type Reply,
  ReplyError,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const prefixes = suite('PREFIXES on a server');

let server: ChildServer;
let client: RespClient;

prefixes.before(async () => {
  server = await startServer({ shards: 2, http: true });
  client = await server.client();
});
prefixes.after(async () => {
  await server.stop();
});
prefixes.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('CONFIG', 'SET', 'key-prefixes', '');
  await client.call('CONFIG', 'SET', 'key-prefixes', 'user: user:1: order:');
  await client.call('CONFIG', 'RESETSTAT');
});

type Row = Record<string, number | null>;

/** Returns the rows of PREFIXES GET, by prefix. */
async function rows(): Promise<Map<string, Row>> {
  const reply = (await client.call('PREFIXES', 'GET')) as Reply[];
  return new Map(
    reply.map((flat) => {
      const { prefix, ...row } = Object.fromEntries(byName(flat));
      return [textOf(prefix), row as Row];
    }),
  );
}

async function row(prefix: string): Promise<Row> {
  return (await rows()).get(prefix) ?? {};
}

async function walked(): Promise<void> {
  const keys = Number(await client.call('DBSIZE'));
  await until(async () => {
    const all = [...(await rows()).values()];
    return all.reduce((sum, each) => sum + (each['keys'] ?? NaN), 0) === keys;
  }, 'a walk has found all keys');
}

prefixes('count each key for the longest prefix that fits', async () => {
  await client.pipeline([
    ['SET', 'user:9', 'v'],
    ['SET', 'user:1:x', 'v'],
    ['GET', 'user:1:x'],
    ['GET', 'user:none'],
    ['GET', 'nobody'],
    ['EXISTS', 'user:9', 'user:1:x', 'order:1', 'order:2', 'nobody'],
  ]);
  const seen = [...(await rows())].map(([prefix, { ops, hits, misses }]) => [
    prefix,
    ops,
    hits,
    misses,
  ]);
  assert.equal(seen, [
    ['user:', 3, 1, 1],
    ['user:1:', 3, 2, 0],
    ['order:', 2, 0, 2],
    ['', 2, 0, 2],
  ]);
});

prefixes('count bytes of requests and replies', async () => {
  const set = ['SET', 'user:a', 'x'.repeat(1_000)];
  const get = ['GET', 'user:a'];
  await client.pipeline([set, get]);
  const { 'input-bytes': input, 'output-bytes': output } = await row('user:');
  assert.is(input, encodeCommand(set).length + encodeCommand(get).length);
  assert.is(output, '+OK\r\n$1000\r\n\r\n'.length + 1_000);
});

prefixes('share the bytes of a command with several keys, so that they add up', async () => {
  await client.call('RPUSH', 'user:a', 'x');
  await client.call('CONFIG', 'RESETSTAT');
  const rename = ['RENAME', 'user:a', 'order:a'];
  await client.call(...rename);
  const user = await row('user:');
  const order = await row('order:');
  assert.equal([user['ops'], order['ops']], [1, 1]);
  assert.is(user['input-bytes']! + order['input-bytes']!, encodeCommand(rename).length);
  assert.is(user['output-bytes']! + order['output-bytes']!, '+OK\r\n'.length);
});

prefixes('count what transactions and gathered commands do', async () => {
  await client.pipeline([
    ['MULTI'],
    ['SET', 'user:a', 1],
    ['GET', 'user:a'],
    ['EXEC'],
    ['MSET', 'user:b', 1, 'user:c', 1, 'order:b', 1],
    ['MGET', 'user:b', 'user:c', 'user:d', 'order:b'],
    ['DEL', 'user:b', 'order:b'],
  ]);
  const { ops, hits, misses } = await row('user:');
  assert.equal([ops, hits, misses], [8, 3, 1]);
  assert.is((await row('order:'))['ops'], 3);
});

prefixes('the rows add up to the hits and misses of all', async () => {
  for (let nth = 0; nth < 50; nth += 1) {
    await client.pipeline([
      ['SET', `user:${nth}`, nth],
      ['GET', `user:${nth + 25}`],
      ['GET', `other:${nth}`],
      ['SORT', 'user:list', 'BY', 'order:*'],
      ['OBJECT', 'ENCODING', `user:${nth}`],
      ['TYPE', `order:${nth}`],
    ]);
  }
  const sum = async (field: string): Promise<number> =>
    [...(await rows()).values()].reduce((total, each) => total + each[field]!, 0);
  const info = textOf(await client.call('INFO', 'stats'));
  const of = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  assert.is(await sum('hits'), of('keyspace_hits'));
  assert.is(await sum('misses'), of('keyspace_misses'));
});

prefixes('keys and memory are those that a walk finds, over all databases', async () => {
  await client.pipeline([
    ['SET', 'user:a', 'x'.repeat(10_000)],
    ['SET', 'order:a', 'x'],
    ['SET', 'other', 'x'],
    ['RPUSH', 'user:list', 'a', 'b'],
  ]);
  await walked();
  const sizes = [...(await rows()).values()].map(({ keys }) => keys);
  assert.equal(sizes, [2, 0, 1, 1]);
  const usage = async (key: string): Promise<number> =>
    Number(await client.call('MEMORY', 'USAGE', key, 'SAMPLES', 0));
  const memory = (await row('user:'))['memory-bytes']!;
  const expected = (await usage('user:a')) + (await usage('user:list'));
  assert.ok(Math.abs(memory - expected) < 100, `${memory} and ${expected}`);
  await client.call('DEL', 'user:a');
  await until(async () => (await row('user:'))['keys'] === 1, 'a later walk');
  assert.ok((await row('user:'))['memory-bytes']! < 1_000);
});

prefixes('RESETSTAT sets back what happened, and keeps what there is', async () => {
  await client.call('SET', 'user:a', 1);
  await walked();
  await client.call('CONFIG', 'RESETSTAT');
  const { ops, keys } = await row('user:');
  assert.equal([ops, keys], [0, 1]);
});

prefixes('other prefixes begin at zero, and none are an error', async () => {
  await client.call('SET', 'order:a', 1);
  await client.call('CONFIG', 'SET', 'key-prefixes', 'order:');
  assert.equal((await row('order:'))['ops'], 0);
  assert.equal([...(await rows()).keys()], ['order:', '']);
  await walked();
  assert.is((await row('order:'))['keys'], 1);
  await client.call('CONFIG', 'SET', 'key-prefixes', '');
  const refused = await client.reply('PREFIXES', 'GET');
  assert.match(textOf(refused), /^ERR no key prefixes are configured/);
  assert.is(textOf(await client.call('INFO', 'prefixes')), '');
});

const unusable: readonly (readonly [what: string, value: string])[] = [
  ['65 prefixes', Array.from({ length: 65 }, (_, nth) => `p${nth}:`).join(' ')],
  ['a prefix of 65 bytes', 'x'.repeat(65)],
  ['33 characters of two bytes', 'é'.repeat(33)],
  ['a prefix twice', 'a: b: a:'],
];

for (const [what, value] of unusable) {
  prefixes(`${what} are refused`, async () => {
    const refused = await client.reply('CONFIG', 'SET', 'key-prefixes', value);
    assert.ok(refused instanceof ReplyError);
    assert.match(refused.message, /at most 64 different words of at most 64 bytes/);
    assert.is((await rows()).size, 4, 'what was set before stays');
  });
}

prefixes('the most and longest that are allowed', async () => {
  const all = Array.from({ length: 64 }, (_, nth) => `${nth}:`.padEnd(64, 'x'));
  await client.call('CONFIG', 'SET', 'key-prefixes', all.join(' '));
  await client.pipeline(all.map((prefix) => ['SET', `${prefix}key`, 1]));
  const counted = await rows();
  for (const prefix of all) assert.is(counted.get(prefix)?.['ops'], 1, prefix);
});

prefixes('agree on every surface', async () => {
  await client.pipeline([
    ['SET', 'user:a', 'x'],
    ['GET', 'user:a'],
    ['GET', 'user:b'],
    ['GET', 'other'],
  ]);
  await walked();
  const info = textOf(await client.call('INFO', 'prefixes')).split('\r\n');
  const metrics = (await request(server.httpPort, '/metrics')).text;
  const document = (await request(server.httpPort, '/debug/api/prefixes')).json() as {
    prefixes: Record<string, string | number>[];
  };
  const names = [
    ['ops', 'ops', 'svc_prefix_ops_total'],
    ['hits', 'hits', 'svc_prefix_hits_total'],
    ['misses', 'misses', 'svc_prefix_misses_total'],
    ['input-bytes', 'bytes_in', 'svc_prefix_input_bytes_total'],
    ['output-bytes', 'bytes_out', 'svc_prefix_output_bytes_total'],
    ['keys', 'keys', 'svc_prefix_keys'],
    ['memory-bytes', 'memory_bytes', 'svc_prefix_memory_bytes'],
  ] as const;
  for (const [prefix, counted] of await rows()) {
    const line = info.find((each) => each.endsWith(`,prefix=${prefix}`)) ?? '';
    const shown = document.prefixes.find((each) => each['prefix'] === prefix)!;
    for (const [field, inJson, metric] of names) {
      const value = counted[field]!;
      const name = field.replace('-', '_');
      assert.is(Number(new RegExp(`[:,]${name}=(\\d+)`).exec(line)?.[1]), value, line);
      assert.is(shown[inJson], value, inJson);
      assert.match(metrics, `${metric}{prefix="${prefix}"} ${String(value)}\n`);
    }
  }
});

prefixes.run();
