/** A primary with all slots, its replica and their etcd, started for each test of a suite. */

import { type RespClient, textOf, until } from '#testkit';
import type { suite } from 'uvu';
import {
  Etcd,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

/** As short as leases of etcd are. */
const LEASE_MS = 3_000;
/** Wish for a node of the group. */
export const groupWish = { group: 'one', leaseMs: LEASE_MS };

/** The nodes of the test that runs. */
interface Pair {
  etcd: Etcd;
  primary: PlayedNode;
  replica: PlayedNode;
}

/** Has a pair started before each test of the suite, and stopped after it; its fields are those of the test that runs. */
export function pairForEach(tests: ReturnType<typeof suite>): Pair {
  const pair = {} as Pair;
  tests.before.each(async () => {
    pair.etcd = await Etcd.start();
    pair.primary = await startNode(pair.etcd, groupWish);
    await pair.primary.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await isWhole(pair.primary);
    pair.replica = await startNode(pair.etcd, groupWish);
    await hasRole(pair.replica, 'slave');
  });
  tests.after.each(async () => {
    pair.primary.server.signal('SIGCONT');
    pair.etcd.signal('SIGCONT');
    await Promise.all([pair.primary.server.stop(), pair.replica.server.stop()]);
    await pair.etcd.stop();
  });
  return pair;
}

export async function says(client: RespClient, ...words: readonly string[]): Promise<string> {
  return textOf(await client.reply(...words));
}

export async function takesWrites({ client }: PlayedNode): Promise<void> {
  await until(async () => (await says(client, 'SET', 'taken', '1')) === 'OK', 'writes are taken');
}
