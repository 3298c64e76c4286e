/** Memory of large values returns to the system after their removal. */
// test-tier: long
import { type ChildServer, type RespClient, startServer, textOf, until } from '#testkit';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const memory = suite('memory return');

const MIB = 1024 ** 2;
const VALUE_BYTES = 64 * MIB;
const ROUNDS = 4;
const KEPT_VALUE_BYTES = 300_000;
const KEPT_VALUES = 800;
const ELEMENTS = 12;
const ELEMENT_BYTES = 8 * MIB;
const WATCHED_KEYS = 20_000;
const WATCHING_CLIENTS = 20;

let server: ChildServer;
let client: RespClient;

memory.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
});
memory.after(async () => {
  await server.stop();
});

async function residentBytes(): Promise<number> {
  const pid = /process_id:(\d+)/.exec(textOf(await client.call('INFO', 'server')))![1]!;
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
}

/** Values come and go, several times over. */
async function churn(): Promise<void> {
  const value = Buffer.alloc(VALUE_BYTES, 'v');
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    await client.call('SET', `key:${nth}`, value);
    assert.is(await client.call('DEL', `key:${nth}`), 1);
  }
}

/** Values of a size whose memory glibc keeps until it is trimmed. */
async function churnMany(): Promise<void> {
  const value = Buffer.alloc(KEPT_VALUE_BYTES, 'v');
  for (let round = 0; round < 2; round += 1) {
    for (let nth = 0; nth < KEPT_VALUES; nth += 1) await client.call('SET', `key:${nth}`, value);
    for (let nth = 0; nth < KEPT_VALUES; nth += 1) await client.call('DEL', `key:${nth}`);
  }
}

memory('comes back by itself', async () => {
  // What the first values make the process keep (rings, code) is no garbage.
  await churn();
  await client.call('MEMORY', 'PURGE');
  const before = await residentBytes();
  await churn();
  const isBack = async (): Promise<boolean> => (await residentBytes()) < 1.5 * before;
  await until(isBack, 'the memory of what is gone comes back', 40_000);
});

memory('comes back at once when it is purged', async () => {
  await client.call('SET', 'k', Buffer.alloc(VALUE_BYTES, 'v'));
  await client.call('DEL', 'k');
  await client.call('MEMORY', 'PURGE');
  await until(async () => {
    const info = textOf(await client.call('INFO', 'everything'));
    const external = [...info.matchAll(/,external=(\d+)/g)].map(([, bytes]) => Number(bytes));
    return external.length > 0 && external.every((bytes) => bytes < VALUE_BYTES / 2);
  }, 'no thread owns the value any more');
});

memory(
  'of what clients have watched comes back when they are gone, though nobody else comes',
  async () => {
    await client.call('MEMORY', 'PURGE');
    const before = await residentBytes();
    const keys = Array.from({ length: WATCHED_KEYS }, (_, nth) => `watched:${nth}`);
    const watching = Array.from({ length: WATCHING_CLIENTS }, () => server.client());
    for (const watcher of await Promise.all(watching)) {
      await watcher.call('WATCH', ...keys);
      await watcher.end();
    }
    const isBack = async (): Promise<boolean> => (await residentBytes()) < 1.5 * before;
    await until(isBack, 'the memory of what is gone comes back', 40_000);
  },
);

memory('of many values comes back by itself, though malloc keeps it', async () => {
  await client.call('MEMORY', 'PURGE');
  const before = await residentBytes();
  await churnMany();
  const isBack = async (): Promise<boolean> => (await residentBytes()) < 1.5 * before;
  await until(isBack, 'the memory of what is gone comes back', 40_000);
});

memory('of many values comes back at once with MEMORY PURGE', async () => {
  await client.call('MEMORY', 'PURGE');
  const before = await residentBytes();
  await churnMany();
  assert.is(await client.call('MEMORY', 'PURGE'), 'OK');
  const after = await residentBytes();
  assert.ok(after < 1.5 * before, `${after} bytes are resident, and ${before} were before`);
});

/** Commands that add the nth element to the key; removed elements of each kind are kept by another object of a shard. */
const kinds: readonly (readonly [kind: string, words: (nth: number) => readonly string[]])[] = [
  ['list', () => ['RPUSH', 'k']],
  ['hash', (nth) => ['HSET', 'k', `field:${nth}`]],
  ['set', () => ['SADD', 'k']],
  ['sorted set', (nth) => ['ZADD', 'k', String(nth)]],
  ['stream', () => ['XADD', 'k', '*', 'field']],
];

for (const [kind, words] of kinds) {
  memory(`of a ${kind} comes back, though no other ${kind} is asked for`, async () => {
    await client.call('MEMORY', 'PURGE');
    const before = await residentBytes();
    const value = Buffer.alloc(ELEMENT_BYTES, 'v');
    for (let nth = 0; nth < ELEMENTS; nth += 1) {
      value.writeUInt32LE(nth);
      await client.call(...words(nth), value);
    }
    if (kind === 'stream') await client.call('XRANGE', 'k', '-', '+', 'COUNT', 1);
    assert.is(await client.call('DEL', 'k'), 1);
    const isBack = async (): Promise<boolean> => {
      await client.call('MEMORY', 'PURGE');
      return (await residentBytes()) - before < (ELEMENTS * ELEMENT_BYTES) / 4;
    };
    await until(isBack, 'the memory of what is gone comes back', 40_000);
  });
}

memory('of an element comes back, though its list, sorted set or stream stays', async () => {
  const value = Buffer.alloc(VALUE_BYTES, 'v');
  const kept = ['a', 'b', 'c'];
  await client.call('MEMORY', 'PURGE');
  const before = await residentBytes();
  for (const key of kept) {
    await client.call('RPUSH', `list:${key}`, 'first', value);
    await client.call('LPOS', `list:${key}`, 'nobody');
    assert.is(await client.call('LTRIM', `list:${key}`, 0, 0), 'OK');
    await client.call('ZADD', `sorted:${key}`, 1, value, 2, 'last');
    assert.is(await client.call('ZREMRANGEBYRANK', `sorted:${key}`, 0, 0), 1);
    await client.call('XADD', `stream:${key}`, '1-1', 'field', value);
    await client.call('XADD', `stream:${key}`, '1-2', 'field', 'last');
    assert.is(await client.call('XTRIM', `stream:${key}`, 'MAXLEN', 1), 1);
  }
  const isBack = async (): Promise<boolean> => {
    await client.call('MEMORY', 'PURGE');
    return (await residentBytes()) - before < 1.5 * VALUE_BYTES;
  };
  await until(isBack, 'the memory of what is gone comes back', 40_000);
  await client.call('FLUSHALL');
});

memory.run();
