/** Values of every type, as large as is asked for. */

import type { RespClient } from './clients/resp-client.ts';

const AT_ONCE = 1_000;
const STRING_BYTES = 100;

/** Creates a value of `count` elements under a key; for a string, of `count` bytes. */
type Make = (client: RespClient, key: string, count: number) => Promise<unknown>;

function filling(command: string, words: (nth: number) => readonly string[]): Make {
  return async (client, key, count) => {
    for (let nth = 0; nth < count; nth += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, at) => words(nth + at)).flat();
      await client.call(command, key, ...some);
    }
  };
}

const fillStream: Make = async (client, key, count) => {
  for (let nth = 0; nth < count; nth += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, at) => `1-${nth + at + 1}`);
    await client.pipeline(ids.map((id) => ['XADD', key, id, 'field', 'x'.repeat(20)]));
  }
};

export const largeValues = {
  hash: filling('HSET', (nth) => [`field:${nth}`, `value:${nth}`]),
  list: filling('RPUSH', (nth) => [`${nth}`.padStart(24, 'element')]),
  set: filling('SADD', (nth) => [`member:${nth}`]),
  zset: filling('ZADD', (nth) => [`${(nth * 7919) % 1009}`, `member:${nth}`]),
  stream: fillStream,
  string: (client, key, count) => client.call('SETRANGE', key, String(STRING_BYTES * count), 'end'),
} as const satisfies Record<string, Make>;
