/** Metrics of the cluster as this node sees it: its lease, groups, other nodes, the coordinator, and redirects by library. */

import type { ClusterNodeReport, LibraryRedirects } from '#api-types';
import { leaseAgeUs, leaseRemainingUs } from '#stats';
import { metric, type MetricDefinition, type MetricSource } from '../definition.ts';

/** Maximum number of nodes and groups with their own samples. */
const NODES_MAX = 128;

const REDIRECT_KINDS = [
  'moved',
  'ask',
  'tryagain',
  'crossslot',
  'clusterdown',
] as const satisfies readonly (keyof LibraryRedirects)[];

const REPORTED = 'main, reported every second';

function nodesOf({ cluster }: MetricSource): readonly ClusterNodeReport[] {
  return (cluster?.state.nodes ?? []).slice(0, NODES_MAX);
}

function addressOf({ host, port }: ClusterNodeReport): string {
  return `${host}:${port}`;
}

/** A figure of each node that has it, by id and address. */
function perNode(
  kind: 'counter' | 'gauge',
  head: { readonly name: string; readonly help: string; readonly unit?: 'bytes' | 'seconds' },
  of: (node: ClusterNodeReport) => number | null,
): MetricDefinition {
  return metric(kind, { ...head, labels: ['node', 'address'] }, REPORTED, (source, samples) => {
    for (const node of nodesOf(source)) {
      const value = of(node);
      if (value !== null) samples.value(value, node.id, addressOf(node));
    }
  });
}

/** Seconds of a lease, where the server has any. */
function ofLease(name: string, help: string, of: typeof leaseAgeUs): MetricDefinition {
  return metric(
    'gauge',
    { name, help, unit: 'seconds' },
    'main page',
    ({ main, nowUs }, samples) => {
      if (main.get('clusterEnabled') === 1) samples.value(of(main, nowUs) / 1_000_000);
    },
  );
}

export const clusterMetrics: readonly MetricDefinition[] = [
  ofLease(
    'svc_cluster_lease_remaining_seconds',
    'Time until this node refuses writes unless its lease is renewed; 0 without a lease.',
    leaseRemainingUs,
  ),
  ofLease(
    'svc_cluster_lease_age_seconds',
    'Time since the last lease renewal of this node was sent.',
    leaseAgeUs,
  ),
  metric(
    'gauge',
    {
      name: 'svc_cluster_group_without_primary_seconds',
      help: 'Time for which the primary of a group has had no lease; 0 while it has one.',
      unit: 'seconds',
      labels: ['group'],
    },
    REPORTED,
    ({ cluster }, samples) => {
      for (const group of (cluster?.state.groups ?? []).slice(0, NODES_MAX)) {
        samples.value((group.without_primary_ms ?? 0) / 1_000, group.id);
      }
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_cluster_group_slots',
      help: 'Slots of a group.',
      labels: ['group'],
    },
    REPORTED,
    ({ cluster }, samples) => {
      for (const group of (cluster?.state.groups ?? []).slice(0, NODES_MAX)) {
        samples.value(group.slots, group.id);
      }
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_cluster_node_present',
      help: '1 for each node with a lease, by role.',
      labels: ['node', 'address', 'role'],
    },
    REPORTED,
    (source, samples) => {
      for (const node of nodesOf(source)) {
        samples.value(Number(node.present), node.id, addressOf(node), node.role);
      }
    },
  ),
  perNode(
    'gauge',
    {
      name: 'svc_cluster_replica_behind_bytes',
      help: 'Bytes by which a replica is behind its primary, as both have reported to the coordinator.',
      unit: 'bytes',
    },
    (node) => node.lag_bytes,
  ),
  perNode(
    'gauge',
    {
      name: 'svc_cluster_node_latency_seconds',
      help: 'Round-trip time of the last PING to another node.',
      unit: 'seconds',
    },
    ({ latency }) => secondsOf(latency?.last_us),
  ),
  perNode(
    'gauge',
    {
      name: 'svc_cluster_node_latency_max_seconds',
      help: 'Longest round-trip time of the last 60 PINGs to another node.',
      unit: 'seconds',
    },
    ({ latency }) => secondsOf(latency?.max_us),
  ),
  perNode(
    'counter',
    { name: 'svc_cluster_node_pings_total', help: 'PINGs to another node.' },
    ({ latency }) => latency?.pings ?? null,
  ),
  perNode(
    'counter',
    {
      name: 'svc_cluster_node_ping_failures_total',
      help: 'PINGs to another node without a reply.',
    },
    ({ latency }) => latency?.failures ?? null,
  ),
  metric(
    'histogram',
    {
      name: 'svc_cluster_coordinator_duration_seconds',
      help: 'Duration of successful calls to the coordinator.',
      unit: 'seconds',
      labels: ['call'],
    },
    REPORTED,
    ({ cluster }, samples) => {
      for (const { call, counts, sumUs } of cluster?.times ?? []) {
        samples.histogram(counts, sumUs / 1_000_000, call);
      }
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_cluster_library_redirects_total',
      help: 'Commands not executed on this node because of their slots, by client library (CLIENT SETINFO).',
      labels: ['library', 'kind'],
    },
    REPORTED,
    ({ cluster }, samples) => {
      for (const counts of cluster?.state.redirects_by_library ?? []) {
        for (const kind of REDIRECT_KINDS) samples.value(counts[kind], counts.library, kind);
      }
    },
  ),
];

function secondsOf(us: number | null | undefined): number | null {
  return us === null || us === undefined ? null : us / 1_000_000;
}
