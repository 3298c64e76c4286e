/** Eviction by the last change: commands that write keep a key, and those that read do not. */
import { type ChildServer, keyPerShard, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lastChange = suite('last change');

const SHARDS = 2;
const IDLE = 5_000;

let server: ChildServer;
let client: RespClient;
/** Its replies are bytes. */
let dumping: RespClient;

lastChange.before(async () => {
  const args = ['--set', 'memory.maxmemory-policy=allkeys-lrm'];
  server = await startServer({ shards: SHARDS, args });
  client = await server.client();
  dumping = await server.client({ buffers: true });
});
lastChange.after(async () => {
  await server.stop();
});

/** Runs `setup`, and gives each key the age of IDLE seconds. */
async function aged(...setup: string[]): Promise<void> {
  await client.call('FLUSHALL');
  for (const line of setup) await client.call(...(line.split(' ') as [string]));
  for (const key of (await client.call('KEYS', '*')) as string[]) {
    const dump = (await dumping.call('DUMP', key)) as Buffer;
    await client.call('RESTORE', key, 0, dump, 'REPLACE', 'IDLETIME', IDLE);
  }
}

async function isOld(key: string): Promise<boolean> {
  return Number(await client.call('OBJECT', 'IDLETIME', key)) >= IDLE;
}

const reading: readonly string[] = [
  ...['GET s', 'MGET s s', 'STRLEN s', 'TTL s', 'TOUCH s', 'EXISTS s', 'GETRANGE s 0 1'],
  ...['HGET h f', 'HGETALL h', 'LRANGE l 0 -1', 'SMEMBERS u', 'ZRANGE z 0 -1', 'XRANGE x - +'],
  ...['SET s v NX', 'HSETNX h f v', 'LREM l 0 none', 'HDEL h none', 'SREM u none', 'ZREM z none'],
];
const writing: readonly (readonly [line: string, key: string])[] = [
  ['SET s w', 's'],
  ['APPEND s w', 's'],
  ['SETRANGE s 0 w', 's'],
  ['EXPIRE s 1000', 's'],
  ['HSET h f w', 'h'],
  ['HINCRBY h n 1', 'h'],
  ['LPUSH l 2', 'l'],
  ['LSET l 0 w', 'l'],
  ['SADD u 2', 'u'],
  ['ZADD z 2 m', 'z'],
  ['XADD x * f v', 'x'],
];
const setup: readonly string[] = [
  ...['SET s v', 'HSET h f v', 'HSET h n 1', 'RPUSH l 1', 'SADD u 1', 'ZADD z 1 m'],
  ...['XADD x 1-1 f v', 'SET o v'],
];

for (const line of reading) {
  lastChange(`${line} is no change`, async () => {
    await aged(...setup);
    await client.call(...(line.split(' ') as [string]));
    for (const key of ['s', 'h', 'l', 'u', 'z', 'x']) assert.ok(await isOld(key), key);
  });
}

for (const [line, key] of writing) {
  lastChange(`${line} is a change of ${key}, and of no other key`, async () => {
    await aged(...setup);
    await client.call(...(line.split(' ') as [string]));
    assert.not.ok(await isOld(key));
    assert.ok(await isOld('o'));
  });
}

lastChange('so it is in transactions, in scripts, over shards and in other databases', async () => {
  const [one, other] = keyPerShard(SHARDS, 'k') as [string, string];
  const keys = [`SET ${one} v`, `SADD ${other} m`];
  await aged(...keys);
  await client.call('MULTI');
  await client.call('GET', one);
  await client.call('SADD', other, 'n');
  await client.call('EXEC');
  assert.equal([await isOld(one), await isOld(other)], [true, false]);
  await aged(...keys);
  const script = "redis.call('GET', KEYS[1]) redis.call('SADD', KEYS[2], 'n')";
  await client.call('EVAL', script, 2, one, other);
  assert.equal([await isOld(one), await isOld(other)], [true, false]);
  await aged(...keys);
  await client.call('COPY', other, `${other}:copy`);
  assert.equal([await isOld(other), await isOld(`${other}:copy`)], [true, false]);
  await client.call('RENAME', other, one);
  assert.not.ok(await isOld(one));
  await aged('SET moved v');
  await client.call('MOVE', 'moved', 3);
  await client.call('SELECT', 3);
  assert.not.ok(await isOld('moved'));
  await client.call('SELECT', 0);
});

lastChange('memory that runs out takes what was read, and leaves what was written', async () => {
  const names = Array.from({ length: 60 }, (_, nth) => `k:${nth}`);
  await aged(...names.map((name) => `SET ${name} ${'v'.repeat(20_000)}`));
  const written = names.filter((_, nth) => nth % 3 === 0);
  for (const name of written) await client.call('SETRANGE', name, 0, 'w');
  for (const name of names) if (!written.includes(name)) await client.call('GET', name);
  await client.call('CONFIG', 'SET', 'maxmemory-samples', 64);
  const used = /\bused_memory:(\d+)/.exec(textOf(await client.call('INFO', 'memory')));
  // Room for most keys: fewer go than were only read.
  await client.call('CONFIG', 'SET', 'maxmemory', Number(used![1]) - 300_000);
  await client.call('SET', 'more', 'v');
  await client.call('SET', keyPerShard(SHARDS, 'more')[1]!, 'v');
  const left = new Set((await client.call('KEYS', 'k:*')) as string[]);
  assert.ok(left.size < names.length, 'some are evicted');
  for (const name of written) assert.ok(left.has(name), name);
  await client.call('CONFIG', 'SET', 'maxmemory', 0);
});

lastChange.run();
