/** Keys of every type, and what a server says of its keys: the same words for svc and for Redis. */

import { createHash } from 'node:crypto';
import type { RespClient } from './clients/resp-client.ts';
import { ReplyError, textOf, type Reply } from './clients/resp-parser.ts';

/** A time of expiry far enough from every test. */
const FAR_MS = 4_102_444_800_123;

/** Longer values are shown as a checksum. */
const BRIEF_CHARS = 300;

/** Fills a server with keys of every type, small and large, in several databases, some that expire. */
export async function fill(client: RespClient): Promise<void> {
  const many = (make: (nth: number) => readonly string[]): string[] =>
    Array.from({ length: 600 }, (_, nth) => make(nth)).flat();
  await client.pipeline([
    ['SET', Buffer.from([0, 255, 13, 10]), Buffer.from([0, 1, 2, 200, 13, 10])],
    ['SET', 'number', '-9223372036854775808'],
    ['SET', 'long', 'x'.repeat(100_000)],
    ['SET', 'expires', 'later', 'PXAT', String(FAR_MS)],
    ['SET', 'gone', 'soon', 'PX', '1'],
    ['RPUSH', 'list', 'a', '1', '', 'b'.repeat(300)],
    ['RPUSH', 'list:large', ...many((nth) => [`element ${nth}`.repeat(5)])],
    ['SADD', 'set:numbers', '1', '-5', '70000', '5000000000'],
    ['SADD', 'set', 'a', 'b', 'c'],
    ['SADD', 'set:large', ...many((nth) => [`member ${nth}`])],
    ['HSET', 'hash', 'field', 'value', 'empty', ''],
    ['HSET', 'hash:large', ...many((nth) => [`field ${nth}`, `${nth}`])],
    ['ZADD', 'zset', '1.5', 'a', '-inf', 'b', '0.1', 'c'],
    ['ZADD', 'zset:large', ...many((nth) => [`${nth / 7}`, `member ${nth}`])],
    ['XADD', 'stream', '1-1', 'field', 'value', 'other', 'value'],
    ['XADD', 'stream', '5-0', 'field', 'value'],
    ['XDEL', 'stream', '1-1'],
    ['XGROUP', 'CREATE', 'stream', 'group', '0'],
    ['XREADGROUP', 'GROUP', 'group', 'consumer', 'STREAMS', 'stream', '>'],
    ['PFADD', 'hyperloglog', 'a', 'b', 'c'],
    ['PEXPIREAT', 'zset', String(FAR_MS)],
    ['SELECT', '7'],
    ['SET', 'in seven', 'yes'],
    ['LPUSH', 'list', 'in', 'seven'],
    ['SELECT', '0'],
  ]);
}

const readers: Readonly<Record<string, (key: Buffer) => readonly (string | Buffer)[]>> = {
  string: (key) => ['GET', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  hash: (key) => ['HGETALL', key],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** All keys of all databases, with their values and expiries, one line for each. `client` answers Buffers. */
export async function contentsOf(client: RespClient): Promise<string[]> {
  const lines: string[] = [];
  for (let database = 0; database < 16; database += 1) {
    await client.call('SELECT', database);
    for (const key of (await client.call('KEYS', '*')) as Buffer[]) {
      const type = textOf(await client.call('TYPE', key));
      const value = await client.call(...readers[type]!(key));
      const details = [shown(shape[type]?.(value) ?? value)];
      details.push(shown(await client.call('PEXPIRETIME', key)));
      if (type === 'stream') details.push(shown(await client.reply('XPENDING', key, 'group')));
      lines.push(`${database} ${key.toString('latin1')} ${type} ${brief(details.join(' '))}`);
    }
  }
  await client.call('SELECT', '0');
  return lines.sort();
}

/** Canonical forms by type: values without an order are sorted, and scores are compared as numbers. */
const shape: Readonly<Record<string, (value: Reply) => Reply>> = {
  hash: byField,
  set: members,
  zset: scores,
};

function scores(value: Reply): Reply {
  return (value as Buffer[]).map((word, nth) => (nth % 2 === 0 ? word : Number(word)));
}

function members(value: Reply): Reply {
  return (value as Buffer[]).map((member) => member.toString('hex')).sort();
}

function byField(value: Reply): Reply {
  const words = value as Buffer[];
  const pairs = words.flatMap((word, nth) =>
    nth % 2 === 0 ? [`${word.toString('hex')}=${words[nth + 1]!.toString('hex')}`] : [],
  );
  return pairs.sort();
}

/** Returns a text short enough for the report of a failed test: a long one as its hash. */
function brief(text: string): string {
  if (text.length < BRIEF_CHARS) return text;
  return createHash('sha256').update(text).digest('hex');
}

function shown(reply: Reply): string {
  if (Buffer.isBuffer(reply)) return reply.toString('hex');
  if (reply instanceof ReplyError) return reply.message;
  return Array.isArray(reply) ? `[${reply.map((each) => shown(each)).join(' ')}]` : textOf(reply);
}
