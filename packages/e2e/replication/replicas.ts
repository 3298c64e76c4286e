/** Redis' server as a replica of svc, and what both have in the end. */

import { startRedis, until, type ChildServer, type RespClient } from '#testkit';
import { contentsOf } from '../durability/contents.ts';

/** Settings with which a full synchronisation begins at once. */
export const AT_ONCE = ['--set', 'replication.diskless-sync-delay-secs=0'];

/** Starts a replica of a server; it has its data when `online` says so. */
export function startReplica(of: ChildServer): Promise<ChildServer> {
  return startRedis([
    ...['--replicaof', '127.0.0.1', String(of.port)],
    ...['--repl-diskless-load', 'swapdb'],
  ]);
}

/** Returns a field of INFO; undefined where there is none. */
export async function infoOf(client: RespClient, field: string): Promise<string | undefined> {
  const text = String(await client.call('INFO', 'everything'));
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(text)?.[1];
}

/** Waits until a replica follows its primary. */
export async function online(replica: RespClient): Promise<void> {
  const isUp = async (): Promise<boolean> => (await infoOf(replica, 'master_link_status')) === 'up';
  await until(isUp, 'the replica follows its primary');
}

/** Waits until so many replicas have all that was done. */
export async function caughtUp(primary: RespClient, replicas: number): Promise<void> {
  const have = async (): Promise<boolean> =>
    (await primary.call('WAIT', replicas, 1_000)) === replicas;
  await until(have, `${replicas} replicas have all`);
}

/** Lines of what one server has and the other has not, or otherwise. */
export async function differences(one: ChildServer, other: ChildServer): Promise<string[]> {
  const [ours, theirs] = await Promise.all(
    [one, other].map(async (server) => {
      const client = await server.client({ buffers: true });
      const contents = await contentsOf(client);
      await client.end();
      return contents;
    }),
  );
  const missing = ours!.filter((line) => !theirs!.includes(line)).map((line) => `svc: ${line}`);
  const added = theirs!.filter((line) => !ours!.includes(line)).map((line) => `replica: ${line}`);
  return [...missing, ...added].slice(0, 10);
}
