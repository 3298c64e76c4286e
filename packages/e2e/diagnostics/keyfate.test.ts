/** KEYFATE: every way in which a key can be removed, on one shard and on several, reported correctly and counted once. */
import {
  byName,
  type ChildServer,
  keyPerShard,
  keysOnShard,
  type Reply,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const keyfate = suite('KEYFATE on a server');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;

keyfate.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client();
  await client.call('CLIENT', 'SETNAME', 'killer');
});
keyfate.after(async () => {
  await server.stop();
});
keyfate.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 128, 'keyfate-overwritten', 'no');
  await client.call('KEYFATE', 'RESET');
  await client.call('CONFIG', 'RESETSTAT');
});

type RemovedKey = Record<string, string | number>;

function removedKeysOf(reply: Reply | undefined): RemovedKey[] {
  return (reply as Reply[]).map((flat) =>
    Object.fromEntries(
      [...byName(flat)].map(([name, value]) => [
        name,
        typeof value === 'number' ? value : textOf(value),
      ]),
    ),
  );
}

const removedKeys = async (): Promise<RemovedKey[]> =>
  removedKeysOf(await client.call('KEYFATE', 'GET', -1));

async function counts(): Promise<Record<string, number>> {
  const all = byName(await client.call('KEYFATE', 'COUNTS')) as Map<string, number>;
  return Object.fromEntries([...all].filter(([, keys]) => keys !== 0));
}

/** Each way is tried on keys of the same shard, and on keys of different ones. */
const same = keysOnShard(0, SHARDS, 3, 'same');
const apart = [...keyPerShard(SHARDS, 'apart'), ...keysOnShard(0, SHARDS, 1, 'third')];

type Ways = readonly (readonly [
  commands: readonly (readonly (string | number)[])[],
  fates: readonly (readonly [key: string, reason: string, command: string])[],
])[];

const waysOf = (a: string, b: string, c: string): Ways => [
  [
    [
      ['MSET', a, 1, b, 2],
      ['DEL', a, b, c],
    ],
    [
      [a, 'deleted', 'del'],
      [b, 'deleted', 'del'],
    ],
  ],
  [
    [
      ['SET', a, 1],
      ['GETDEL', a],
    ],
    [[a, 'deleted', 'getdel']],
  ],
  [
    [
      ['SET', a, 1],
      ['EXPIRE', a, -1],
    ],
    [[a, 'deleted', 'expire']],
  ],
  [
    [
      ['RPUSH', a, 1, 2],
      ['LPOP', a, 2],
    ],
    [[a, 'deleted', 'lpop']],
  ],
  [
    [
      ['RPUSH', a, 1],
      ['LMOVE', a, b, 'LEFT', 'LEFT'],
    ],
    [[a, 'deleted', 'lmove']],
  ],
  [
    [
      ['HSET', a, 'f', 1],
      ['HDEL', a, 'f'],
    ],
    [[a, 'deleted', 'hdel']],
  ],
  [
    [
      ['SADD', a, 1],
      ['SPOP', a],
    ],
    [[a, 'deleted', 'spop']],
  ],
  [
    [
      ['ZADD', a, 1, 'm'],
      ['ZREM', a, 'm'],
    ],
    [[a, 'deleted', 'zrem']],
  ],
  [
    [
      ['SADD', a, 1],
      ['SADD', b, 2],
      ['SINTERSTORE', a, a, b],
    ],
    [[a, 'deleted', 'sinterstore']],
  ],
  [
    [
      ['SET', a, 1],
      ['RENAME', a, b],
    ],
    [[a, 'moved', 'rename']],
  ],
  [
    [
      ['SET', a, 1],
      ['MOVE', a, 5],
    ],
    [[a, 'moved', 'move']],
  ],
  [
    [['SET', a, 1], ['SET', b, 2], ['MULTI'], ['DEL', a], ['GETDEL', b], ['EXEC']],
    [
      [a, 'deleted', 'del'],
      [b, 'deleted', 'getdel'],
    ],
  ],
];

/** Commands that put a value in the place of another. */
const overwritingOf = (a: string, b: string, c: string): Ways => [
  [
    [
      ['SET', a, 1],
      ['SET', a, 2],
      ['SET', a, 3, 'KEEPTTL'],
      ['GETSET', a, 4],
    ],
    [
      [a, 'overwritten', 'set'],
      [a, 'overwritten', 'set'],
      [a, 'overwritten', 'getset'],
    ],
  ],
  [
    [
      ['SET', a, 1],
      ['INCR', a],
      ['APPEND', a, 'x'],
      ['SETRANGE', a, 100, 'x'],
      ['SETBIT', a, 1, 1],
      ['EXPIRE', a, 100],
      ['PERSIST', a],
    ],
    [],
  ],
  [
    [
      ['MSET', a, 1, b, 1],
      ['MSET', a, 2, b, 2, c, 3],
    ],
    [
      [a, 'overwritten', 'mset'],
      [b, 'overwritten', 'mset'],
    ],
  ],
  [
    [
      ['MSET', a, 1, b, 1],
      ['RENAME', a, b],
    ],
    [
      [a, 'moved', 'rename'],
      [b, 'overwritten', 'rename'],
    ],
  ],
  [
    [
      ['MSET', a, 1, b, 1],
      ['COPY', a, b, 'REPLACE'],
    ],
    [[b, 'overwritten', 'copy']],
  ],
  [
    [
      ['SADD', a, 1],
      ['SET', b, 1],
      ['SUNIONSTORE', b, a],
    ],
    [[b, 'overwritten', 'sunionstore']],
  ],
  [
    [
      ['ZADD', a, 1, 1],
      ['SET', b, 1],
      ['ZUNIONSTORE', b, 1, a],
    ],
    [[b, 'overwritten', 'zunionstore']],
  ],
  [
    [
      ['RPUSH', a, 1],
      ['SET', b, 1],
      ['SORT', a, 'STORE', b],
    ],
    [[b, 'overwritten', 'sort']],
  ],
  [
    [
      ['SET', a, 1],
      ['SET', b, 1],
      ['BITOP', 'NOT', b, a],
    ],
    [[b, 'overwritten', 'bitop']],
  ],
];

const sets = [
  ['one shard', same],
  ['several shards', apart],
] as const;

for (const [where, [a = '', b = '', c = '']] of sets) {
  const all = [...waysOf(a, b, c), ...overwritingOf(a, b, c)];
  for (const [commands, fates] of all) {
    const title = commands.map(([name]) => name).join(', ');
    keyfate(`${title} on ${where}`, async () => {
      await client.call('CONFIG', 'SET', 'keyfate-overwritten', 'yes');
      await client.pipeline(commands);
      const reported = await removedKeys();
      const seen = reported.map(({ key, reason, command }) => [key, reason, command].join(' '));
      assert.equal(seen.sort(), fates.map((fate) => fate.join(' ')).sort());
      for (const removed of reported) {
        assert.is(removed['client-name'], 'killer');
        assert.is(removed['keys'], 1);
        assert.is(removed['key-length'], textOf(removed['key']).length);
      }
      const byReason: Record<string, number> = {};
      for (const [, reason] of fates) byReason[reason] = (byReason[reason] ?? 0) + 1;
      assert.equal(await counts(), byReason);
    });
  }
}

keyfate('values that are overwritten are counted, and kept when that is asked for', async () => {
  await client.pipeline([
    ['SET', 'k', 1],
    ['SET', 'k', 2],
  ]);
  assert.equal(await counts(), { overwritten: 1 });
  assert.is(await client.call('KEYFATE', 'LEN'), 0);
  await client.call('CONFIG', 'SET', 'keyfate-overwritten', 'yes');
  await client.call('SET', 'k', 3);
  assert.is(await client.call('KEYFATE', 'LEN'), 1);
});

keyfate('expiry tells whether a command met the key or the shard found it', async () => {
  const [lazy = '', active = ''] = apart;
  await client.call('DEBUG', 'SET-ACTIVE-EXPIRE', 0);
  await client.call('SET', lazy, 1, 'PX', 1);
  await until(async () => (await client.call('GET', lazy)) === null, 'the key is found expired');
  await client.call('DEBUG', 'SET-ACTIVE-EXPIRE', 1);
  await client.call('SET', active, 1, 'PX', 1);
  await until(async () => (await client.call('KEYFATE', 'LEN')) === 2, 'both removals');
  const [second, first] = await removedKeys();
  assert.equal([first!['key'], first!['reason']], [lazy, 'expired-lazy']);
  assert.equal([first!['command'], first!['client-name']], ['get', 'killer']);
  assert.equal([second!['key'], second!['reason']], [active, 'expired-active']);
  assert.equal([second!['command'], second!['client-id']], ['', 0]);
});

keyfate('a hash whose last field expired', async () => {
  await client.pipeline([
    ['HSET', 'h', 'f', 1],
    ['HPEXPIRE', 'h', 1, 'FIELDS', 1, 'f'],
  ]);
  await until(async () => (await client.call('EXISTS', 'h')) === 0, 'the hash is gone');
  await until(async () => (await client.call('KEYFATE', 'LEN')) === 1, 'its removal');
  assert.is((await removedKeys())[0]!['reason'], 'expired-fields');
});

keyfate('eviction names the command that needed the room', async () => {
  const [a = ''] = same;
  const filling = keysOnShard(0, SHARDS, 200, 'evict');
  await client.pipeline(filling.map((key) => ['SET', key, 'x'.repeat(10_000)]));
  await client.call('KEYFATE', 'RESET');
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random', 'maxmemory', '1mb');
  await client.call('SET', a, 'x'.repeat(100));
  const reported = await removedKeys();
  await client.call('CONFIG', 'SET', 'maxmemory', 0, 'maxmemory-policy', 'noeviction');
  assert.ok(reported.length > 0);
  for (const { reason } of reported) assert.is(reason, 'evicted');
  assert.is(await infoField('evicted_keys'), (await counts())['evicted']);
});

keyfate('a flush is told with how many keys went, and is found by their names', async () => {
  await client.pipeline([...same, ...apart].map((key) => ['SET', key, 1]));
  const total = new Set([...same, ...apart]).size;
  await client.call('FLUSHDB');
  const reported = await removedKeys();
  const keys = reported.reduce((sum, removed) => sum + Number(removed['keys']), 0);
  assert.is(keys, total);
  assert.equal(await counts(), { flushed: total });
  for (const { reason, command, key } of reported) {
    assert.equal([reason, command, key], ['flushed', 'flushdb', '']);
  }
  const [one = ''] = same;
  const found = removedKeysOf(await client.call('KEYFATE', 'KEY', one));
  assert.ok(found.some(({ reason }) => reason === 'flushed'));
  await client.call('SELECT', 1);
  assert.equal(await client.call('KEYFATE', 'KEY', one), []);
  await client.call('SELECT', 0);
});

keyfate('DEBUG RELOAD removes no key', async () => {
  await client.call('SET', 'k', 1);
  await client.call('DEBUG', 'RELOAD');
  assert.equal(await counts(), {});
});

keyfate('the story of one key, newest first', async () => {
  const [a = '', b = ''] = apart;
  await client.pipeline([
    ['SET', a, 1],
    ['DEL', a],
    ['SET', a, 1],
    ['RENAME', a, b],
    ['DEL', b],
  ]);
  const story = removedKeysOf(await client.call('KEYFATE', 'KEY', a));
  assert.equal(
    story.map(({ reason }) => reason),
    ['moved', 'deleted'],
  );
  assert.is(removedKeysOf(await client.call('KEYFATE', 'KEY', a, 1)).length, 1);
});

keyfate('long and binary keys', async () => {
  const long = Buffer.alloc(1_000, 0xfe);
  await client.pipeline([
    ['SET', long, 1],
    ['DEL', long],
  ]);
  const raw = await server.client({ buffers: true });
  const [removed] = removedKeysOf(await raw.call('KEYFATE', 'KEY', long));
  await raw.end();
  assert.is(removed!['key'], '\xfe'.repeat(128));
  assert.is(removed!['key-length'], 1_000);
});

keyfate('the length is a limit over all shards, and 0 keeps nothing', async () => {
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 3);
  await client.pipeline(
    apart.flatMap((key) =>
      [0, 1].flatMap(() => [
        ['SET', key, 1],
        ['DEL', key],
      ]),
    ),
  );
  assert.is(await client.call('KEYFATE', 'LEN'), 3);
  assert.is((await removedKeys()).length, 3);
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 10);
  assert.is(await client.call('KEYFATE', 'LEN'), 3, 'what was cut off stays away');
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 0);
  await client.pipeline([
    ['SET', 'k', 1],
    ['DEL', 'k'],
  ]);
  assert.is(await client.call('KEYFATE', 'LEN'), 0);
  assert.equal(await removedKeys(), []);
  assert.is((await counts())['deleted'], 7, 'the counts go on');
});

async function infoField(name: string): Promise<number> {
  const info = textOf(await client.call('INFO', 'stats'));
  return Number(new RegExp(`^${name}:(.*)\r$`, 'm').exec(info)?.[1]);
}

keyfate('counts are the same on every surface', async () => {
  const [a = '', b = ''] = apart;
  await client.pipeline([
    ['MSET', a, 1, b, 1],
    ['MSET', a, 1, b, 1],
    ['RENAME', a, b],
    ['DEL', b],
    ['SET', a, 1],
    ['FLUSHALL'],
  ]);
  const byCommand = await counts();
  assert.equal(byCommand, { deleted: 1, overwritten: 3, moved: 1, flushed: 1 });
  const metrics = (await request(server.httpPort, '/metrics')).text;
  for (const [reason, count] of Object.entries(byCommand)) {
    assert.is(await infoField(`keyfate_${reason}`), count, reason);
    assert.match(metrics, `svc_key_fates_total{reason="${reason}"} ${String(count)}\n`);
  }
});

keyfate.run();
