/** Faults that a cluster is made to bear, each drawn by its name; a fault ends with its links healed and its processes there. */

import { fromLatin1, keySlot } from '#base';
import { type Random, ReplyError, textOf, until } from '#testkit';
import type { FaultCluster } from './fault-cluster.test-helper.ts';
import type { FaultNode } from './fault-node.test-helper.ts';
import type { FaultProxy } from './fault-proxy.test-helper.ts';
import { keyOf, TICK_MS, type Load } from './load.test-helper.ts';

/** Longer than a lease, so that another node has taken the place. */
const PAUSE_MS = [3_000, 5_000] as const;
/** Mostly shorter than a lease. */
const LINK_FAULT_MS = [300, 2_500] as const;
/** Share of disturbed links that are those of a primary: others notice less of it. */
const PRIMARIES = 0.7;
/** Much for a link, and less than a node waits for etcd. */
const DELAY_MS = [20, 400] as const;
const MOVED_SLOTS_MAX = 400;
const SLOTS = 16_384;
const TAKEOVER_MS_MAX = 60_000;

/** All that a fault is done with. */
export interface Stage {
  readonly cluster: FaultCluster;
  readonly load: Load;
  readonly random: Random;
  /** Milliseconds from each kill of a primary to the first write that its group took. */
  readonly takeovers: number[];
  /** Slots that were to move, a list for each move. */
  readonly moves: (readonly [first: number, last: number])[];
  /** Replies to CLUSTER FAILOVER and CLUSTER MIGRATE-SLOTS. */
  readonly answers: string[];
  /** Names of the faults so far. */
  readonly events: string[];
}

type Fault = (stage: Stage) => Promise<void>;

/** Waits for a time in ticks of the load. */
async function lasts(
  { load, random }: Stage,
  [least, most]: readonly [number, number],
): Promise<void> {
  await load.lasts(Math.ceil(random.integer(least, most) / TICK_MS));
}

/** Kills the primary of a group, and starts it again when the group takes writes. */
const killPrimary: Fault = async (stage) => {
  const { cluster, load, random, takeovers } = stage;
  await cluster.isWhole();
  const group = random.pick(cluster.groups);
  const primary = await cluster.primaryOf(group);
  if (primary === undefined) return;
  // The load continues for a while, so that the kill happens during it.
  await lasts(stage, [100, 600]);
  await primary.kill();
  const killedAt = performance.now();
  const takesWrites = (): boolean => load.ownership.firstSince(group, killedAt) !== undefined;
  await until(takesWrites, `${group} takes writes again`, TAKEOVER_MS_MAX);
  takeovers.push(load.ownership.firstSince(group, killedAt)! - killedAt);
  await primary.start();
};

/** Kills a node, and starts it again before or behind the end of its lease. */
const killNode: Fault = async (stage) => {
  const node = stage.random.pick(stage.cluster.nodes);
  await node.kill();
  await lasts(stage, LINK_FAULT_MS);
  await node.start();
};

const pauseNode: Fault = async (stage) => {
  const { random, cluster } = stage;
  const group = random.pick(cluster.groups);
  const node = (await cluster.primaryOf(group)) ?? random.pick(cluster.nodesOf(group));
  node.pause();
  await lasts(stage, PAUSE_MS);
  node.goOn();
};

/** Disturbs proxies in a way that is drawn, for a while. */
function disturbs(proxiesOf: (node: FaultNode, random: Random) => readonly FaultProxy[]): Fault {
  return async (stage) => {
    const { random, cluster } = stage;
    const group = random.pick(cluster.groups);
    const primary = random.chance(PRIMARIES) ? await cluster.primaryOf(group) : undefined;
    const proxies = proxiesOf(primary ?? random.pick(cluster.nodesOf(group)), random);
    const way = random.pick(['cut', 'shut', 'stall', 'stall', 'delay'] as const);
    const delayMs = random.integer(...DELAY_MS);
    for (const proxy of proxies) {
      if (way === 'delay') proxy.delay(delayMs);
      else proxy[way]();
    }
    await lasts(stage, random.pick([LINK_FAULT_MS, PAUSE_MS]));
    for (const proxy of proxies) proxy.heal();
  };
}

/** Kills the member of etcd that leads, or any when none does. */
const killLeader: Fault = async (stage) => {
  const { etcd } = stage.cluster;
  let leader = stage.random.pick(etcd);
  for (const member of etcd) if (await member.leads()) leader = member;
  await leader.kill();
  await lasts(stage, LINK_FAULT_MS);
  await leader.start(etcd);
};

/** Has a replica that follows its primary ask for its place. */
const failOver: Fault = async (stage) => {
  const { random, cluster, answers } = stage;
  const replica = await cluster.replicaOf(random.pick(cluster.groups));
  // A replica that does not follow may lack confirmed writes, and would be promoted with incomplete data.
  if (replica === undefined) return;
  const way = random.pick([[], [], ['FORCE'], ['TAKEOVER']]);
  const answer = await replica.ask('CLUSTER', 'FAILOVER', ...way);
  answers.push(`${['FAILOVER', ...way].join(' ')}: ${textOf(answer)}`);
  await lasts(stage, [100, 1_000]);
};

/** Moves slots to another group, those of a key that is written among them. */
const moveSlots: Fault = async (stage) => {
  const { random, cluster, load, moves, answers } = stage;
  const key = keyOf(random.pick(load.tags));
  const source = await ownerOf(cluster, key);
  const others = cluster.groups.filter((group) => group !== source?.group);
  const target = await cluster.primaryOf(random.pick(others));
  if (source === undefined || target === undefined) return;
  const slot = slotOf(key);
  const last = Math.min(SLOTS - 1, slot + random.integer(0, MOVED_SLOTS_MAX));
  // Some of those beside it may be of another group, and then it goes alone.
  for (const range of [`${slot}-${last}`, `${slot}-${slot}`]) {
    const answer = await source.ask('CLUSTER', 'MIGRATE-SLOTS', range, 'TO', target.id);
    answers.push(`MIGRATE-SLOTS: ${textOf(answer)}`);
    moves.push([slot, last]);
    if (!(answer instanceof ReplyError)) break;
  }
  await lasts(stage, [100, 1_500]);
};

/** Node that serves a key. */
async function ownerOf(cluster: FaultCluster, key: string): Promise<FaultNode | undefined> {
  for (const node of cluster.nodes) {
    if (typeof (await node.ask('EXISTS', key)) === 'number') return node;
  }
  return undefined;
}

export function slotOf(key: string): number {
  return keySlot(fromLatin1(key), 0, key.length);
}

/** Faults by name, with how often each is drawn among all. */
export const faults: Readonly<Record<string, readonly [weight: number, fault: Fault]>> = {
  kill: [3, killPrimary],
  'kill-node': [2, killNode],
  pause: [3, pauseNode],
  peers: [3, disturbs(({ peers }) => [peers])],
  coordinators: [3, disturbs(({ coordinators }) => coordinators)],
  coordinator: [1, disturbs(({ coordinators }, random) => [random.pick(coordinators)])],
  clients: [1, disturbs(({ clients }) => [clients])],
  leader: [2, killLeader],
  failover: [3, failOver],
  move: [3, moveSlots],
};
