/** Values of every type that take more than a megabyte. */

import { textOf, type Reply, type RespClient } from '#testkit';

/** Elements of a large value, so many in one command. */
export const ELEMENTS = 60_000;
const AT_ONCE = 1_000;

type Make = (client: RespClient, key: string) => Promise<unknown>;

function filling(command: string, words: (nth: number) => string[]): Make {
  return async (client, key) => {
    for (let nth = 0; nth < ELEMENTS; nth += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, at) => words(nth + at)).flat();
      await client.call(command, key, ...some);
    }
  };
}

const fillStream: Make = async (client, key) => {
  const commands = Array.from({ length: ELEMENTS }, (_, nth) => ['XADD', key, `1-${nth + 1}`]);
  const fields = ['field', 'x'.repeat(20)];
  await client.pipeline(commands.map((words) => [...words, ...fields]));
  await client.call('XGROUP', 'CREATE', key, 'g', '0');
  await client.call('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '5000', 'STREAMS', key, '>');
};

/** What makes a value of each type under a key. */
export const longValues = {
  hash: filling('HSET', (nth) => [`field:${nth}`, `value:${nth}`]),
  list: filling('RPUSH', (nth) => [`${nth}`.padStart(24, 'element')]),
  set: filling('SADD', (nth) => [`member:${nth}`]),
  zset: filling('ZADD', (nth) => [`${(nth * 7919) % 1009}`, `member:${nth}`]),
  stream: fillStream,
  string: (client, key) => client.call('SETRANGE', key, '3000000', 'end'),
} as const satisfies Record<string, Make>;

/** Type, value and expiry of a key. */
export async function digestOf(client: RespClient, key: string): Promise<string> {
  const [type, value, expiry] = await Promise.all([
    client.call('TYPE', key),
    client.call('DEBUG', 'DIGEST-VALUE', key),
    client.call('PEXPIRETIME', key),
  ]);
  return [type, (value as Reply[])[0], expiry].map(textOf).join(' ');
}
