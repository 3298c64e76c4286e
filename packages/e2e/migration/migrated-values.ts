/** For tests of MIGRATE: values to be moved, and what is said. */

import { ReplyError, type RespClient } from '#testkit';

/** Replies to a line, an error as `-TEXT`. */
export async function said(of: RespClient, line: string | readonly string[]): Promise<unknown> {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const reply = await of.reply(...words);
  return reply instanceof ReplyError ? `-${reply.message}` : reply;
}

/** MIGRATE to a server on this machine, whose database 0 is to have the keys. */
export const migrate = (port: number, ...rest: readonly string[]): readonly string[] => [
  ...['MIGRATE', '127.0.0.1', String(port), '', '0', '5000'],
  ...rest,
];

/** Values of every type, by key. */
export const VALUES: readonly (readonly string[])[] = [
  ['SET', 'string', 'text'],
  ['SET', 'integer', '12'],
  ['SETRANGE', 'long', '3000000', 'end'],
  ['RPUSH', 'list', 'a', 'b'],
  ['RPUSH', 'long-list', ...Array.from({ length: 3_000 }, (_, nth) => `element ${nth}`)],
  ['SADD', 'set', 'a', 'b'],
  ['SADD', 'intset', '1', '2'],
  ['SADD', 'long-set', ...Array.from({ length: 3_000 }, (_, nth) => `m${nth}`)],
  ['ZADD', 'zset', '1', 'a', '2.5', 'b'],
  ['ZADD', 'long-zset', ...Array.from({ length: 3_000 }, (_, nth) => [`${nth}`, `m${nth}`]).flat()],
  ['HSET', 'hash', 'f', 'v'],
  ['HSET', 'long-hash', ...Array.from({ length: 3_000 }, (_, nth) => [`f${nth}`, 'v']).flat()],
  ['XADD', 'stream', '1-1', 'f', 'v'],
  ['XGROUP', 'CREATE', 'stream', 'group', '0'],
  ['PFADD', 'hll', 'a', 'b'],
];
/** A hash of which one field ends. */
export const FIELDS_THAT_END: readonly (readonly string[])[] = [
  ['HSET', 'ending', 'f', 'v', 'g', 'w'],
  ['HPEXPIREAT', 'ending', '9999999999999', 'FIELDS', '1', 'f'],
];

/** Makes values; answers the names of all keys. */
export async function fill(
  client: RespClient,
  values: readonly (readonly string[])[],
): Promise<readonly string[]> {
  for (const line of values) await client.call(...line);
  return ((await client.call('KEYS', '*')) as string[]).toSorted();
}

/** Digests of keys, as this server makes them. */
export const digests = async (of: RespClient, keys: readonly string[]): Promise<unknown> =>
  of.call('DEBUG', 'DIGEST-VALUE', ...keys);
