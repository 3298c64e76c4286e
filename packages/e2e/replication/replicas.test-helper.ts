/** Redis' server as a replica of svc, and what both have in the end. */

import { type ChildServer, contentsOf, type RespClient, startRedis, until } from '#testkit';

/** Settings with which a full synchronisation begins at once. */
export const AT_ONCE = ['--set', 'replication.diskless-sync-delay-secs=0'];

/** Starts a replica of a server. */
export function startReplica(of: ChildServer): Promise<ChildServer> {
  return startRedis([
    ...['--replicaof', '127.0.0.1', String(of.port)],
    ...['--repl-diskless-load', 'swapdb'],
  ]);
}

/** Waits until `replicas` replicas have acknowledged all writes of any client. */
export async function caughtUp(primary: RespClient, replicas: number): Promise<void> {
  // WAIT is about what its own client has done, and before this is all that others have.
  await primary.call('PUBLISH', 'nobody', 'listens');
  const have = async (): Promise<boolean> =>
    (await primary.call('WAIT', replicas, 1_000)) === replicas;
  await until(have, `${replicas} replicas have all`);
}

/** Lines of what one server has and the other has not, or otherwise. */
export async function differences(one: ChildServer, other: ChildServer): Promise<string[]> {
  const [ours, theirs] = await Promise.all([contentsIn(one), contentsIn(other)]);
  const has = new Set(theirs);
  const had = new Set(ours);
  const missing = ours.filter((line) => !has.has(line)).map((line) => `svc: ${line}`);
  const added = theirs.filter((line) => !had.has(line)).map((line) => `replica: ${line}`);
  return [...missing, ...added].slice(0, 10);
}

async function contentsIn(server: ChildServer): Promise<string[]> {
  const client = await server.client({ buffers: true });
  const contents = await contentsOf(client);
  await client.end();
  return contents;
}
