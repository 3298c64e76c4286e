/** The cluster in the debug API. */

import type {
  ClusterDocument,
  ClusterGroupReport,
  ClusterNodeDocument,
  ClusterNodeReport,
  ClusterState,
  DiscardReport,
  OpenSlotReport,
} from '#api-types';
import { CLUSTER_QUANTITIES } from '#quantities';
import type { MemberAddress } from '../agreement/documents/documents.ts';
import { slotCount } from '../agreement/history/topology-changes.ts';
import type { Group, Member } from '../agreement/topology.ts';
import type { Discard } from '#replication';
import type { ClusterObservation } from './cluster-observation.ts';

/** All of it. */
export function clusterDocument(observation: ClusterObservation): ClusterDocument {
  return { ...clusterState(observation), history: observation.events.latest };
}

/** All of it but the history. */
export function clusterState(observation: ClusterObservation): ClusterState {
  const { subject, page, events, settings } = observation;
  const { node, isUp } = subject;
  const { topology, group } = node;
  observation.show();
  const seen = topology.seenBy(node.id);
  return {
    enabled: true,
    name: settings.string('cluster.name'),
    state: isUp ? 'ok' : 'fail',
    state_reason: isUp ? null : subject.downReason,
    node_id: node.id,
    group: group?.id ?? null,
    role: group === undefined ? null : group.primary === node.id ? 'primary' : 'replica',
    known_nodes: page.get('clusterKnownNodes'),
    nodes_present: page.get('clusterNodesPresent'),
    size: page.get('clusterSize'),
    groups_without_primary: page.get('clusterGroupsWithoutPrimary'),
    current_epoch: page.get('clusterEpoch'),
    my_epoch: page.get('clusterOwnEpoch'),
    coordinator: {
      endpoints: settings.get('cluster.coordinator-endpoints').map(withoutUser),
      up: node.problem === undefined,
      problem: node.problem ?? null,
      down_ms: events.coordinatorDownMs,
      calls: observation.coordinator.reports,
    },
    lease: leaseReport(observation),
    slots: {
      assigned: page.get('clusterSlotsAssigned'),
      ok: page.get('clusterSlotsOk'),
      fail: page.get('clusterSlotsFailed'),
      free: page.get('clusterSlotsFree'),
      own: page.get('clusterOwnSlots'),
      open: openSlots(observation),
    },
    groups: seen.map((each) => groupReport(observation, each)),
    nodes: topology.membersSeenBy(node.id).map((member) => nodeReport(observation, member)),
    redirects: observation.redirects.totals,
    redirects_by_library: observation.redirects.byLibrary,
    discarded_writes: page.get('discardedWrites'),
    discarded_bytes: page.get('discardedBytes'),
    discards: observation.discards.map(discardReport),
    failovers_by_reason: Object.fromEntries(
      CLUSTER_QUANTITIES.failovers.map(({ counter, label: [, reason] }) => [
        reason,
        page.get(counter),
      ]),
    ),
  };
}

/** One node; null where this node knows none of that id. */
export function clusterNodeDocument(
  observation: ClusterObservation,
  id: string,
): ClusterNodeDocument | null {
  const { subject, events, pings } = observation;
  const { topology, id: self } = subject.node;
  const member = topology.membersSeenBy(self).find((each) => each.id === id);
  if (member === undefined) return null;
  return {
    ...nodeReport(observation, member),
    group_detail: groupReport(observation, member.group),
    latency_samples: pings.samples(id).map(({ timeMs, us }) => ({ time_ms: timeMs, us })),
    history: events.latest.filter(({ node, before }) => node === id || before === id),
  };
}

function discardReport(discard: Discard): DiscardReport {
  return {
    time_ms: Math.round(discard.timeMs),
    stream: discard.stream,
    from: discard.from,
    to: discard.to,
    primary: discard.primary,
    writes: discard.writes,
    bytes: discard.bytes,
    unkept_bytes: discard.unkeptBytes,
    file: discard.file ?? null,
    lacks: discard.lacks || null,
  };
}

function leaseReport({ subject, page }: ClusterObservation): ClusterState['lease'] {
  const { node } = subject;
  const { nowMs, writesUntilMs, renewedMs, ttlMs } = node.lease;
  return {
    held: node.isRegistered && writesUntilMs > 0,
    ttl_ms: Math.round(ttlMs),
    age_ms: renewedMs > 0 ? Math.round(nowMs - renewedMs) : null,
    remaining_ms: Math.max(0, Math.round(writesUntilMs - nowMs)),
    losses: page.get('clusterLeaseLosses'),
  };
}

function openSlots({ subject }: ClusterObservation): readonly OpenSlotReport[] {
  const { topology } = subject.node;
  return Object.entries(topology.slots.open).map(([slot, { migratingTo, importedBy }]) => ({
    slot: Number(slot),
    owner: topology.owners[Number(slot)] ?? null,
    migrating_to: migratingTo ?? null,
    imported_by: importedBy ?? null,
  }));
}

function groupReport(observation: ClusterObservation, group: Group): ClusterGroupReport {
  const { subject, events } = observation;
  const { topology } = subject.node;
  const { id, primary, replicas, revision, hasMet, handover, reason } = group;
  return {
    id,
    primary,
    replicas,
    slots: slotCount(topology, id),
    ranges: topology.slotsOf(id).map(([first, last]) => [first, last] as const),
    epoch: revision,
    has_met: hasMet,
    handover: handover ? { target: handover.target, forced: handover.isForced } : null,
    reason,
    without_primary_ms: events.withoutPrimaryMs(id),
    keys: keysOf(observation, primary),
  };
}

/** Keys of a node: the own ones as the pages have them, of others as they have answered. */
function keysOf({ subject, pings, ownKeys }: ClusterObservation, node: string): number | null {
  return node === subject.node.id ? ownKeys() : pings.keys(node);
}

function nodeReport(observation: ClusterObservation, member: Member): ClusterNodeReport {
  const { subject, pings } = observation;
  const { id, group, isPrimary, node: document, address, slots } = member;
  const isSelf = id === subject.node.id;
  return {
    id,
    self: isSelf,
    role: isPrimary ? 'primary' : 'replica',
    group: group.id,
    present: document !== undefined,
    ...placeOf(address),
    http: document?.http ?? null,
    version: document?.version ?? null,
    slots: slots.reduce((sum, [first, last]) => sum + last - first + 1, 0),
    offset: offsetOf(observation, id),
    lag_bytes: isPrimary ? null : lagOf(observation, id, group.primary),
    no_failover: document?.noFailover ?? null,
    keys: keysOf(observation, id),
    latency: isSelf ? null : pings.report(id),
  };
}

function placeOf({ host, port, tlsPort, hostname, nodename, zone }: MemberAddress) {
  return {
    host,
    port,
    tls_port: tlsPort,
    hostname: hostname || null,
    nodename: nodename || null,
    availability_zone: zone || null,
  };
}

/** Offset of a node; null where it is away, or has no data. */
function offsetOf({ subject }: ClusterObservation, id: string): number | null {
  const document = subject.node.topology.nodes.get(id);
  if (document === undefined || document.offset < 0) return null;
  return document.offset;
}

/** Returns the lag of a replica in bytes, from the offsets that it and its primary publish once a second. */
function lagOf(observation: ClusterObservation, replica: string, primary: string): number | null {
  const { nodes } = observation.subject.node.topology;
  const [its, theirs] = [offsetOf(observation, replica), offsetOf(observation, primary)];
  if (its === null || theirs === null) return null;
  if (nodes.get(replica)?.streamId !== nodes.get(primary)?.streamId) return null;
  return Math.max(0, theirs - its);
}

/** An address of the coordinator without user and password. */
function withoutUser(endpoint: string): string {
  return endpoint.replace(/^(\w+:\/\/)?[^@/]*@/, '$1');
}
