/** Changes for a primary, of all types. */

import type { RespClient } from '#testkit';

/** Changes keys of all types, in transactions and scripts too, over keys of all shards. */
export async function change(primary: RespClient, round: number): Promise<void> {
  const keys = Array.from({ length: 20 }, (_, nth) => `key:${nth}`);
  await primary.pipeline([
    ...keys.map((key) => ['INCRBY', `count:${key}`, String(round)]),
    ['MULTI'],
    ['MSET', ...keys.flatMap((key) => [key, `${key} ${round}`])],
    ['RPUSH', 'list', `a ${round}`, `b ${round}`],
    ['SPOP', 'set:large'],
    ['EXEC'],
    [
      'EVAL',
      "for i, k in ipairs(KEYS) do redis.call('APPEND', k, ARGV[1]) end",
      '3',
      ...keys.slice(0, 3),
      '!',
    ],
    ['RENAME', 'key:5', 'key:6'],
    ['SINTERSTORE', 'inter', 'set', 'set:large'],
    ['ZADD', 'zset', String(round), `m ${round}`],
    ['XADD', 'stream', '*', 'round', String(round)],
    ['SET', `short:${round}`, 'x', 'PX', '1'],
    ['SELECT', '5'],
    ['LPUSH', 'in five', String(round)],
    ['SELECT', '0'],
    ['LMOVE', 'list', 'other list', 'LEFT', 'RIGHT'],
  ]);
}
