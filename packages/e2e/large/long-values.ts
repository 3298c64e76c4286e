/** Values of every type that take more than a megabyte. */

import { largeValues, type Reply, type RespClient, textOf } from '#testkit';

/** Elements of a value. */
export const ELEMENTS = 60_000;

type Make = (client: RespClient, key: string) => Promise<unknown>;

const fillStream: Make = async (client, key) => {
  await largeValues.stream(client, key, ELEMENTS);
  await client.call('XGROUP', 'CREATE', key, 'g', '0');
  await client.call('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '5000', 'STREAMS', key, '>');
};

/** Makers of a value of each type under a key. */
export const longValues = {
  hash: (client, key) => largeValues.hash(client, key, ELEMENTS),
  list: (client, key) => largeValues.list(client, key, ELEMENTS),
  set: (client, key) => largeValues.set(client, key, ELEMENTS),
  zset: (client, key) => largeValues.zset(client, key, ELEMENTS),
  stream: fillStream,
  string: (client, key) => largeValues.string(client, key, ELEMENTS),
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
