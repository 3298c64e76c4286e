/** Decisions about which nodes there are, and to which group they belong. */

import { ClusterError } from '../cluster-error.ts';
import { IDENTITY_KEY, type MemberAddress } from '../documents/documents.ts';
import type { Group, Topology } from '../topology.ts';
import { deleteGroup, putGroup, putIdentity, putSlots, type Plan } from './plan.ts';

/** The node that decides. */
export interface Self {
  readonly id: string;
  readonly address: MemberAddress;
}

/** Group that a node joins when it has none. */
export interface JoinWish {
  readonly group: string;
  /** The group is named by the settings, so the node has met the others from the start. */
  readonly isNamed: boolean;
}

/** Gives the cluster its identity, where it has none. */
export function identify(topology: Topology, id: string): Plan | undefined {
  if (topology.clusterId !== '') return undefined;
  return { guards: [topology.guard(IDENTITY_KEY)], writes: [putIdentity(id)] };
}

/** Gives the node a place: in the group that it wants, as the primary where that has none. */
export function join(topology: Topology, self: Self, wish: JoinWish): Plan | undefined {
  const own = topology.groupOf(self.id);
  if (own !== undefined) return readdress(topology, self, own);
  const group = topology.groups.get(wish.group);
  const guards = [topology.guard(`groups/${wish.group}`)];
  if (group === undefined) {
    const document = {
      primary: self.id,
      replicas: [],
      addresses: { [self.id]: self.address },
      hasMet: wish.isNamed,
      handover: undefined,
      reason: 'founded',
    };
    return { guards, writes: [putGroup(wish.group, document)] };
  }
  return { guards, writes: [putGroup(group.id, withReplica(group, self))] };
}

/** Plans the publication of a changed address. */
function readdress(topology: Topology, self: Self, own: Group): Plan | undefined {
  if (JSON.stringify(own.addresses[self.id]) === JSON.stringify(self.address)) return undefined;
  const addresses = { ...own.addresses, [self.id]: self.address };
  return {
    guards: [topology.guardGroup(own)],
    writes: [putGroup(own.id, { ...own, addresses })],
  };
}

function withReplica(group: Group, { id, address }: Self): Group {
  return {
    ...group,
    replicas: [...group.replicas, id],
    addresses: { ...group.addresses, [id]: address },
  };
}

function withoutReplica(group: Group, id: string): Group {
  const handover = group.handover?.target === id ? undefined : group.handover;
  return { ...group, handover, replicas: group.replicas.filter((replica) => replica !== id) };
}

/** Has the groups of two nodes see each other, and all that have met before. */
export function meet(topology: Topology, one: string, other: string): Plan | undefined {
  const groups = new Set([groupOf(topology, one), groupOf(topology, other)]);
  const strangers = [...groups].filter(({ hasMet }) => !hasMet);
  if (strangers.length === 0) return undefined;
  return {
    guards: strangers.map((group) => topology.guardGroup(group)),
    writes: strangers.map((group) => putGroup(group.id, { ...group, hasMet: true })),
  };
}

/** Makes the node a replica of another. */
export function replicate(topology: Topology, self: Self, primary: string): Plan | undefined {
  if (primary === self.id) throw new ClusterError("Can't replicate myself");
  const target = groupOf(topology, primary);
  if (target.primary !== primary) {
    throw new ClusterError('I can only replicate a master, not a replica.');
  }
  const own = topology.groupOf(self.id);
  if (own?.id === target.id) return undefined;
  const guards = [topology.guardGroup(target), topology.guardSlots()];
  const writes = [putGroup(target.id, withReplica(target, self))];
  if (own !== undefined) {
    guards.push(topology.guardGroup(own));
    writes.push(leave(topology, own, self.id));
  }
  return { guards, writes };
}

/** The write by which a node leaves its group. A primary can where nothing hangs on it. */
function leave(topology: Topology, own: Group, id: string): Plan['writes'][number] {
  if (own.primary !== id) return putGroup(own.id, withoutReplica(own, id));
  if (topology.slotsOf(own.id).length > 0) {
    throw new ClusterError('To set a master the node must be empty and without assigned slots.');
  }
  if (own.replicas.length > 0) {
    throw new ClusterError('The node has replicas: let them replicate another node first.');
  }
  return deleteGroup(own.id);
}

/** Plans the removal of a node from the cluster; a node that is up continues alone. */
export function forget(topology: Topology, self: string, id: string): Plan | undefined {
  if (id === self) {
    throw new ClusterError("I tried hard but I can't forget myself...");
  }
  const group = topology.groupOf(id);
  if (group === undefined) {
    if (topology.nodes.has(id)) return undefined;
    throw unknownNode(id);
  }
  if (group.primary === id && group.replicas.includes(self)) {
    throw new ClusterError("Can't forget my master!");
  }
  // It was removed already, and knows no other node.
  if (!group.hasMet && topology.nodes.has(id)) return undefined;
  if (group.primary === id && topology.slotsOf(group.id).length > 0) {
    throw new ClusterError('The node has slots: move or delete them first.');
  }
  return {
    guards: [topology.guardGroup(group), topology.guardSlots()],
    writes: [leave(topology, group, id)],
  };
}

/** Takes the node itself out of its group, with the slots that it has. */
export function reset(topology: Topology, self: string): Plan | undefined {
  const own = topology.groupOf(self);
  if (own === undefined) return undefined;
  if (own.primary === self && own.replicas.length > 0) {
    throw new ClusterError('The node has replicas: let them replicate another node first.');
  }
  const guards = [topology.guardGroup(own), topology.guardSlots()];
  if (own.primary !== self)
    return { guards, writes: [putGroup(own.id, withoutReplica(own, self))] };
  const { ranges, open } = topology.slots;
  const kept = ranges.filter(([, , group]) => group !== own.id);
  const writes = [deleteGroup(own.id)];
  if (kept.length < ranges.length) {
    writes.push(putSlots({ ranges: kept, open }));
  }
  return { guards, writes };
}

/** Plans a rewrite of a node's group without changes: its revision is the new epoch. */
export function bumpEpoch(topology: Topology, self: string): Plan | undefined {
  const own = topology.groupOf(self);
  return own && { guards: [topology.guardGroup(own)], writes: [putGroup(own.id, own)] };
}

/** The group of a node that the cluster knows. */
function groupOf(topology: Topology, node: string): Group {
  const group = topology.groupOf(node);
  if (group === undefined) throw unknownNode(node);
  return group;
}

function unknownNode(node: string): ClusterError {
  return new ClusterError(`Unknown node ${node}`);
}
