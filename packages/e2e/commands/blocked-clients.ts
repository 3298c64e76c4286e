/** Clients that wait, for suites of blocking commands. */

import {
  type ChildServer,
  keysOnShard,
  type Reply,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import type { Test } from 'uvu';

const SHARDS = 3;

/** The server of the suite that is under way. */
export let server: ChildServer;
/** One that is never blocked. */
export let client: RespClient;
let clients: RespClient[] = [];

/** Gives a suite a server, and every test of it a fresh client and empty databases. */
export function serveBlocked(of: Test): void {
  of.before(async () => {
    server = await startServer({ shards: SHARDS });
  });
  of.after(async () => {
    await server.stop();
  });
  of.before.each(async () => {
    client = await newClient();
    await client.call('FLUSHALL');
  });
  of.after.each(async () => {
    for (const open of clients) await open.end();
    clients = [];
  });
}

/** Two keys of one shard, and one of each of the others. */
export function placedKeys(prefix: string): Record<'here' | 'near' | 'far' | 'third', string> {
  const [here = '', near = ''] = keysOnShard(0, SHARDS, 2, prefix);
  const [far = ''] = keysOnShard(1, SHARDS, 1, prefix);
  const [third = ''] = keysOnShard(2, SHARDS, 1, prefix);
  return { here, near, far, third };
}

export async function newClient(): Promise<RespClient> {
  const made = await server.client();
  clients.push(made);
  return made;
}

/** Sends one command, and returns its reply; errors begin with their dash. */
export const call = async (of: RespClient, line: string): Promise<unknown> =>
  shown(await of.pipeline([line.split(' ')]));
const shown = ([reply]: readonly Reply[]): unknown =>
  reply instanceof ReplyError ? `-${reply.message}` : reply;

/** Waits until `count` clients are blocked. */
export async function blocked(count: number): Promise<void> {
  const areBlocked = async (): Promise<boolean> =>
    textOf(await client.call('INFO', 'clients')).includes(`\nblocked_clients:${count}\r`);
  await until(areBlocked, `${count} clients are blocked`);
}

/** A client that has sent a command and waits for its reply. */
export async function waiting(
  line: string,
  among = 1,
): Promise<{ reply: Promise<unknown>; of: RespClient }> {
  const of = await newClient();
  const reply = call(of, line);
  // A test that fails before it awaits the reply reports its own fault, not the closed connection.
  reply.catch(() => undefined);
  await blocked(among);
  return { reply, of };
}
