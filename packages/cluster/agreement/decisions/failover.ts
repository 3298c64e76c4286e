/** Decisions about which node of a group is its primary. */

import { ClusterError } from '../cluster-error.ts';
import type { Handover } from '../documents/documents.ts';
import type { Group, Topology } from '../topology.ts';
import { putGroup, type Plan } from './plan.ts';

/** Reasons of a change of the primary, as groups keep them. */
export const FAILOVER_REASONS = {
  leaseLost: 'the primary had no lease',
  handedOver: 'the primary handed over its role',
} as const;

/** State of a replica in the election of a new primary. */
type Candidacy =
  /** The primary has a lease, or this node is not a replica of the group. */
  | 'none'
  /** This node must publish its offset. */
  | 'stand'
  /** Other replicas have not published their offsets yet. */
  | 'await'
  /** Another replica becomes the primary. */
  | 'yield'
  /** This node becomes the primary. */
  | 'win'
  /** No node has the data. */
  | 'hopeless';

/**
 * Decides what a replica does about its primary. All connected replicas publish their offset before one is chosen, so
 * that one with acknowledged writes is never passed over; a replica that does not publish it loses its lease soon.
 */
export function candidacyOf(topology: Topology, self: string): Candidacy {
  const group = topology.groupOf(self);
  if (group === undefined || group.primary === self || !topology.nodes.has(self)) return 'none';
  if (topology.nodes.has(group.primary)) return 'none';
  const { nodes } = topology;
  const own = nodes.get(self)!;
  if (own.noFailover) return 'none';
  if (own.standsFor !== group.revision) return 'stand';
  const present = group.replicas.flatMap((id) => {
    const node = nodes.get(id);
    return node === undefined || node.noFailover ? [] : [{ id, node }];
  });
  if (present.some(({ node }) => node.standsFor !== group.revision)) return 'await';
  const able = present.filter(({ node }) => node.offset >= 0);
  const [best] = able.toSorted(
    (one, other) => other.node.offset - one.node.offset || (one.id < other.id ? -1 : 1),
  );
  if (best === undefined) return 'hopeless';
  return best.id === self ? 'win' : 'yield';
}

/** Takes the place of a primary that has no lease. */
export function takeOver(topology: Topology, self: string): Plan | undefined {
  const group = topology.groupOf(self);
  if (group === undefined || candidacyOf(topology, self) !== 'win') return undefined;
  return {
    guards: [topology.guardGroup(group), topology.guardNode(group.primary)],
    writes: [putGroup(group.id, flipped(group, self, FAILOVER_REASONS.leaseLost))],
  };
}

/** Asks the primary to hand its place over to this replica. */
export function askForHandover(
  topology: Topology,
  self: string,
  isForced: boolean,
): Plan | undefined {
  const group = topology.groupOf(self);
  if (group === undefined || group.primary === self) {
    throw new ClusterError('You should send CLUSTER FAILOVER to a replica');
  }
  if (!topology.nodes.has(group.primary)) {
    if (isForced) return undefined;
    throw new ClusterError('Master is down or failed, please use CLUSTER FAILOVER FORCE');
  }
  const handover: Handover = { target: self, isForced };
  return {
    guards: [topology.guardGroup(group)],
    writes: [putGroup(group.id, { ...group, handover })],
  };
}

/** Hands the primary's place over; only the primary itself does, when it takes no more writes. */
export function handOver(topology: Topology, self: string, target: string): Plan | undefined {
  const group = topology.groupOf(self);
  if (group?.primary !== self || group.handover?.target !== target) return undefined;
  if (!group.replicas.includes(target)) return undefined;
  return {
    guards: [topology.guardGroup(group)],
    writes: [putGroup(group.id, flipped(group, target, FAILOVER_REASONS.handedOver))],
  };
}

/** Drops a wish for a handover that cannot be had. */
export function refuseHandover(topology: Topology, self: string): Plan | undefined {
  const group = topology.groupOf(self);
  if (group?.primary !== self || group.handover === undefined) return undefined;
  return {
    guards: [topology.guardGroup(group)],
    writes: [putGroup(group.id, { ...group, handover: undefined })],
  };
}

function flipped(group: Group, primary: string, reason: string): Group {
  const replicas = [...group.replicas.filter((id) => id !== primary), group.primary];
  return { ...group, primary, replicas, handover: undefined, reason };
}
