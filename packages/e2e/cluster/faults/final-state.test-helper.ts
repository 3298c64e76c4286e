/** Compares what a cluster that was healed has with what clients know of it. */

import { Random, type Reply, textOf, until } from '#testkit';
import { ClusterClient } from './cluster-client.test-helper.ts';
import { slotOf, type Stage } from './fault-events.test-helper.ts';
import { keyOf } from './load.test-helper.ts';

/** Returns all that is not as it was promised. */
export async function finalFaults(stage: Stage): Promise<string[]> {
  const { cluster, load, moves } = stage;
  const client = new ClusterClient(cluster, new Random(0));
  try {
    const faults: string[] = [];
    for (const tag of load.tags) {
      const found = new Set(textsOf(await replyOf(client, tag, ['SMEMBERS', keyOf(tag)])));
      faults.push(...load.sets.faults(keyOf(tag), found));
    }
    for (const [register, history] of load.registers) {
      const calledAt = performance.now();
      const reply = await replyOf(client, register, ['GET', keyOf(register)]);
      const returnedAt = performance.now();
      // Nothing is written any more, and replicas follow: no failover can take it back.
      const value = reply === null ? '' : textOf(reply);
      history.read({ client: 'end', value, calledAt, returnedAt, isConfirmed: true });
      faults.push(...history.faults(register));
    }
    const movesOf = (key: string): number =>
      moves.filter(([first, last]) => slotOf(keyOf(key)) >= first && slotOf(keyOf(key)) <= last)
        .length;
    return [...faults, ...load.ownership.faults(movesOf), ...(await replicaFaults(stage))];
  } finally {
    client.close();
  }
}

async function replyOf(
  client: ClusterClient,
  tag: string,
  words: readonly string[],
): Promise<Reply> {
  const answer = await client.send(tag, [words]);
  if (typeof answer === 'string') throw new Error(`${words.join(' ')}: ${answer}`);
  return answer[0]!;
}

function textsOf(reply: Reply | undefined): string[] {
  return Array.isArray(reply) ? reply.map((one) => textOf(one)).sort() : [textOf(reply)];
}

/** Sets of which a replica does not come to have what its primary has. */
async function replicaFaults({ cluster, load }: Stage): Promise<string[]> {
  const faults: string[] = [];
  for (const group of cluster.groups) {
    const primary = await cluster.primaryOf(group);
    const replica = await cluster.replicaOf(group);
    await replica?.ask('READONLY');
    for (const tag of load.tags) {
      const words = ['SMEMBERS', keyOf(tag)];
      const held = await primary?.ask(...words);
      if (!Array.isArray(held)) continue;
      const wanted = textsOf(held).join();
      await until(
        async () => textsOf(await replica?.ask(...words)).join() === wanted,
        'the replica has what its primary has',
      ).catch(() => {
        faults.push(`${tag}: ${replica?.name} has other members than ${primary?.name}`);
      });
    }
  }
  return faults;
}
