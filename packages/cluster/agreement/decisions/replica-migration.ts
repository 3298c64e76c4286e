/** Decisions about nodes that become replicas of another group, because theirs has several or has no slots. */

import type { Group, Topology } from '../topology.ts';
import { replicate, type Self } from './membership.ts';
import { deleteGroup, putGroup, type Plan } from './plan.ts';

/** Returns the replicas of a group that have a lease and its data. */
function workingReplicas(topology: Topology, group: Group): readonly string[] {
  return group.replicas.filter((id) => {
    const node = topology.nodes.get(id);
    return node !== undefined && node.offset >= 0;
  });
}

/**
 * Finds the group to which this replica should move: with slots, a primary with a lease, and no replica although it had one
 * before. Of all spare replicas, the one with the lowest id of the largest groups moves. `barrier` is the number of replicas
 * that must stay in the old group.
 */
export function orphanFor(topology: Topology, self: string, barrier: number): Group | undefined {
  const own = topology.groupOf(self);
  if (own === undefined || own.primary === self || own.handover !== undefined) return undefined;
  const groups = topology.seenBy(self).filter(({ primary }) => topology.nodes.has(primary));
  const counted = groups.map((group) => ({ group, working: workingReplicas(topology, group) }));
  const most = Math.max(...counted.map(({ working }) => working.length));
  if (most <= barrier) return undefined;
  const [candidate] = counted
    .flatMap(({ working }) => (working.length === most ? working : []))
    .toSorted();
  if (candidate !== self) return undefined;
  return counted.find(
    ({ group, working }) =>
      working.length === 0 &&
      hasHadReplicas(group) &&
      group.handover === undefined &&
      topology.slotsOf(group.id).length > 0,
  )?.group;
}

/** False for a group that was founded without replicas, and may be meant to have none. */
function hasHadReplicas({ replicas, reason }: Group): boolean {
  return replicas.length > 0 || reason !== 'founded';
}

/** Moves this replica to the group that it was found for, where it is still to go there. */
export function migrate(
  topology: Topology,
  self: Self,
  barrier: number,
  orphan: string,
): Plan | undefined {
  const target = orphanFor(topology, self.id, barrier);
  return target?.id === orphan ? replicate(topology, self, target.primary) : undefined;
}

/** Joins a group that has no slots any more to that which has taken them: all of its nodes are replicas there. */
export function joinTaker(topology: Topology, self: string, taker: string): Plan | undefined {
  const own = topology.groupOf(self);
  const target = topology.groups.get(taker);
  if (own?.primary !== self || target === undefined || own.id === taker) return undefined;
  if (topology.slotsOf(own.id).length > 0 || !topology.nodes.has(target.primary)) return undefined;
  if (own.handover !== undefined || isMoving(topology, own)) return undefined;
  const document = {
    ...target,
    replicas: [...target.replicas, own.primary, ...own.replicas],
    addresses: { ...target.addresses, ...own.addresses },
  };
  return {
    guards: [topology.guardGroup(own), topology.guardGroup(target), topology.guardSlots()],
    writes: [deleteGroup(own.id), putGroup(target.id, document)],
  };
}

/** True while slots of a group are on their way, or something of a move is left to do. */
function isMoving({ migrations, slots }: Topology, { id }: Group): boolean {
  const isOpen = Object.values(slots.open).some(
    ({ migratingTo, importedBy }) => migratingTo === id || importedBy === id,
  );
  return (
    isOpen || [...migrations.values()].some(({ source, target }) => source === id || target === id)
  );
}
