/** Differences of two pictures of a cluster, as events that people read. */

import { FAILOVER_REASONS } from '../decisions/failover.ts';
import type { Group, Topology } from '../topology.ts';

/** Kinds of events in a cluster. */
export type ClusterEventKind =
  | 'failover'
  | 'node-up'
  | 'node-down'
  | 'group-added'
  | 'group-removed'
  | 'replica-added'
  | 'replica-removed'
  | 'slots'
  /** The cluster is up or down, as this node sees it. */
  | 'state'
  | 'coordinator'
  /** Lease of this node. */
  | 'lease'
  /** This node has discarded writes that it had taken as a primary. */
  | 'discarded-writes';

/** Reasons of failovers, as metrics name them. */
export type FailoverKind = 'lease-lost' | 'handover' | 'other';

/** An event without its time. */
export interface TopologyChange {
  readonly event: ClusterEventKind;
  /** Ids of the node and the group that it is about; empty for none. */
  readonly node: string;
  readonly group: string;
  /** Primary before a failover; empty otherwise. */
  readonly before: string;
  /** Kind of a failover. */
  readonly failover?: FailoverKind;
  readonly reason: string;
}

/** The changes that a node sees; none where it knew nothing before. */
export function topologyChanges(
  before: Topology,
  after: Topology,
  self: string,
): readonly TopologyChange[] {
  if (before.revision === 0) return [];
  const known = byId(before.seenBy(self));
  const seen = byId(after.seenBy(self));
  const groups = new Set([...known.keys(), ...seen.keys()]);
  return [...groups].flatMap((id) => {
    const [old, now] = [known.get(id), seen.get(id)];
    if (now === undefined) return [change('group-removed', { group: id }, 'it is no longer seen')];
    const came =
      old === undefined
        ? [change('group-added', { group: id, node: now.primary }, now.reason)]
        : groupChanges(old, now);
    return [...came, ...presenceChanges(before, after, now), ...slotChanges(before, after, id)];
  });
}

function byId(groups: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(groups.map((group) => [group.id, group]));
}

function change(
  event: ClusterEventKind,
  about: Partial<Pick<TopologyChange, 'node' | 'group' | 'before'>>,
  reason: string,
): TopologyChange {
  return { event, node: '', group: '', before: '', ...about, reason };
}

function groupChanges(old: Group, now: Group): TopologyChange[] {
  const group = now.id;
  const changes: TopologyChange[] = [];
  if (old.primary !== now.primary) {
    const about = { group, node: now.primary, before: old.primary };
    changes.push({
      ...change('failover', about, now.reason),
      failover: failoverKind(now.reason),
    });
  }
  const [were, are] = [members(old), members(now)];
  for (const node of are) {
    if (!were.has(node)) changes.push(change('replica-added', { group, node }, 'it has joined'));
  }
  for (const node of were) {
    if (!are.has(node)) changes.push(change('replica-removed', { group, node }, 'it has left'));
  }
  return changes;
}

function members({ primary, replicas }: Group): ReadonlySet<string> {
  return new Set([primary, ...replicas]);
}

function failoverKind(reason: string): FailoverKind {
  if (reason === FAILOVER_REASONS.leaseLost) return 'lease-lost';
  return reason === FAILOVER_REASONS.handedOver ? 'handover' : 'other';
}

/** Changes of leases of members; a node that restarted between two readings has lost and acquired one. */
function presenceChanges(before: Topology, after: Topology, now: Group): TopologyChange[] {
  return [...members(now)].flatMap((node) => {
    const [old, own] = [before.nodes.get(node), after.nodes.get(node)];
    const about = { group: now.id, node };
    if (old === undefined && own !== undefined) {
      return [change('node-up', about, 'it has a lease')];
    }
    if (old !== undefined && own === undefined) {
      return [change('node-down', about, 'its lease expired or was revoked')];
    }
    return old?.run === own?.run ? [] : [change('node-up', about, 'it restarted')];
  });
}

function slotChanges(before: Topology, after: Topology, group: string): TopologyChange[] {
  const [were, are] = [slotCount(before, group), slotCount(after, group)];
  if (were === are) return [];
  const reason = `it has ${are} slots, and had ${were}`;
  return [change('slots', { group, node: after.groups.get(group)?.primary ?? '' }, reason)];
}

/** Slots that a group has. */
export function slotCount(topology: Topology, group: string): number {
  return topology.slotsOf(group).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
