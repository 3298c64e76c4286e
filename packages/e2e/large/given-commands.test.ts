/** A long command that comes alone is given to its shard with the memory that it was received in. */
// test-tier: long
import {
  type ChildServer,
  keysOnShard,
  type Reply,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const given = suite('commands that are given away with their memory');

const SHARDS = 3;
const MIB = 1024 * 1024;
const LONG = longText(9 * MIB);
const OTHER = longText(10 * MIB + 3);
const keys = Array.from({ length: SHARDS }, (_, shard) => keysOnShard(shard, SHARDS, 1, 'key')[0]!);

let server: ChildServer;
let client: RespClient;

given.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
given.after(async () => {
  await server.stop();
});
given.before.each(async () => {
  await client.call('FLUSHALL');
});

/** Text that differs from place to place. */
function longText(length: number): string {
  const words = Array.from({ length: Math.ceil(length / 8) }, (_, nth) =>
    nth.toString(36).padStart(8, '.'),
  );
  return words.join('').slice(0, length);
}

async function holds(key: string, value: string): Promise<void> {
  assert.ok(textOf(await client.call('GET', key)) === value, `${key} holds what was set`);
}

given('a value is there as it was sent, on every shard, and may grow and move', async () => {
  for (const key of keys) {
    assert.is(await client.call('SET', key, LONG), 'OK');
    await holds(key, LONG);
    assert.is(await client.call('APPEND', key, OTHER), LONG.length + OTHER.length);
    assert.is(await client.call('SETRANGE', key, 3, 'abc'), LONG.length + OTHER.length);
    await holds(key, `${LONG.slice(0, 3)}abc${LONG.slice(6)}${OTHER}`);
  }
  await client.call('SET', keys[0]!, LONG);
  await client.call('RENAME', keys[0]!, keys[1]!);
  await holds(keys[1]!, LONG);
});

given('what follows in the same pipeline is answered in its order', async () => {
  const [key = '', other = ''] = keys;
  const replies = await client.pipeline([
    ['SET', key, LONG],
    ['STRLEN', key],
    ['SET', other, OTHER],
    ['SET', key, OTHER],
    ['STRLEN', key],
    ['STRLEN', other],
  ]);
  assert.equal(replies, ['OK', LONG.length, 'OK', 'OK', OTHER.length, OTHER.length]);
  await holds(key, OTHER);
  await holds(other, OTHER);
});

given('long arguments of other commands', async () => {
  const [key = '', other = '', third = ''] = keys;
  assert.is(await client.call('HSET', key, 'field', LONG, 'next', 'x'), 2);
  assert.ok(textOf(await client.call('HGET', key, 'field')) === LONG);
  assert.is(await client.call('RPUSH', other, 'a', LONG, 'b'), 3);
  assert.ok(textOf(await client.call('LINDEX', other, 1)) === LONG);
  assert.is(await client.call('MSET', key, LONG, other, OTHER, third, 'x'), 'OK');
  await holds(key, LONG);
  await holds(other, OTHER);
  assert.is(await client.call('MSETNX', key, LONG, `{${key}}2`, OTHER), 0);
  assert.match(textOf(await client.reply('INCR', LONG)), /1/);
  assert.match(textOf(await client.reply('NOSUCH', LONG)), /unknown command/);
  assert.match(textOf(await client.reply('LPUSH', key, LONG)), /WRONGTYPE/);
  assert.is(await client.call('EXISTS', LONG, OTHER), 1);
});

given('in transactions, where others wait, and to all shards', async () => {
  const [key = '', other = ''] = keys;
  const replies = await client.pipeline([['MULTI'], ['SET', key, LONG], ['STRLEN', key], ['EXEC']]);
  assert.equal(replies.at(-1), ['OK', LONG.length]);
  const waiting = await server.client();
  const served = waiting.call('BLPOP', other, 0);
  await client.call('RPUSH', other, LONG);
  const [, element] = (await served) as Reply[];
  assert.ok(textOf(element) === LONG);
  const moved = waiting.call('BLMOVE', LONG, other, 'LEFT', 'LEFT', 0);
  await client.call('RPUSH', LONG, 'through');
  assert.is(await moved, 'through');
  assert.is(await client.call('PUBLISH', 'channel', LONG), 0);
  assert.is(await client.call('DEL', LONG, other), 1);
  await waiting.end();
});

given('who watches sees it', async () => {
  const [key = ''] = keys;
  const watching = await server.client();
  await watching.call('MONITOR');
  await client.call('SET', key, LONG);
  const line = textOf(await watching.receive());
  assert.ok(line.includes(`"SET" "${key}" "${LONG.slice(0, 100)}`));
  await holds(key, LONG);
  await watching.end();
});

given.run();
