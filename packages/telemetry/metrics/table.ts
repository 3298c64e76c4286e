/** The table of metrics: everything the server exports, once. */

import {
  ACCESS_QUANTITIES,
  CLIENT_QUANTITIES,
  CLUSTER_QUANTITIES,
  COMMAND_QUANTITIES,
  DURABILITY_QUANTITIES,
  KEY_QUANTITIES,
  MEMORY_QUANTITIES,
  type PageQuantity,
  REPLICATION_QUANTITIES,
  THREAD_QUANTITIES,
  TIER_QUANTITIES,
  TLS_QUANTITIES,
} from '#quantities';
import { clientMetrics } from './families/clients.ts';
import { clusterMetrics } from './families/cluster.ts';
import { commandMetrics } from './families/commands.ts';
import type { MetricDefinition } from './definition.ts';
import { userMetrics } from './families/users.ts';
import { exportMetrics } from './exports.ts';
import { keyspaceMetrics } from './families/keyspace.ts';
import { opsMetrics } from './families/ops.ts';
import { persistenceMetrics } from './families/persistence.ts';
import { prefixMetrics } from './families/prefixes.ts';
import { replicationMetrics } from './families/replication.ts';
import { restOf } from './quantities.ts';
import { redisMetrics } from './redis-names.ts';
import { scriptMetrics } from './families/scripts.ts';
import { verdictMetrics } from './families/verdict.ts';
import { processMetrics, shardMetrics, threadMetrics } from './families/threads.ts';

/** Features whose metrics are sent only while they are on; they are switched at the start. */
export type MetricFeature = 'cluster' | 'tier';

interface MetricFamily {
  readonly title: string;
  readonly feature?: MetricFeature;
  readonly metrics: readonly MetricDefinition[];
}

interface NamedFamily extends MetricFamily {
  /** Subjects of the table of quantities whose rows belong here where no family names their list. */
  readonly subjects?: readonly Readonly<Record<string, readonly PageQuantity[]>>[];
}

const NAMED: readonly NamedFamily[] = [
  { title: 'Process', metrics: processMetrics },
  { title: 'Health and limits', metrics: verdictMetrics },
  { title: 'Commands', metrics: commandMetrics, subjects: [COMMAND_QUANTITIES] },
  { title: 'Connections', metrics: clientMetrics, subjects: [CLIENT_QUANTITIES, TLS_QUANTITIES] },
  { title: 'Users', metrics: userMetrics, subjects: [ACCESS_QUANTITIES] },
  {
    title: 'Keys and memory',
    metrics: keyspaceMetrics,
    subjects: [KEY_QUANTITIES, MEMORY_QUANTITIES],
  },
  { title: 'Key prefixes', metrics: prefixMetrics },
  { title: 'Scripts and functions', metrics: scriptMetrics },
  { title: 'Log and snapshots', metrics: persistenceMetrics, subjects: [DURABILITY_QUANTITIES] },
  { title: 'Warm tier', feature: 'tier', metrics: [], subjects: [TIER_QUANTITIES] },
  { title: 'Replication', metrics: replicationMetrics, subjects: [REPLICATION_QUANTITIES] },
  {
    title: 'Cluster',
    feature: 'cluster',
    metrics: clusterMetrics,
    subjects: [CLUSTER_QUANTITIES],
  },
  { title: 'Shards', metrics: shardMetrics },
  { title: 'Threads', metrics: threadMetrics, subjects: [THREAD_QUANTITIES] },
  { title: 'HTTP and log', metrics: opsMetrics },
  { title: 'Traces and pushes', metrics: exportMetrics },
];

const named = NAMED.flatMap((family) => family.metrics);

/** Metrics by subject, in the order of the reference. */
export const metricFamilies: readonly MetricFamily[] = NAMED.map(
  ({ title, feature, metrics: own, subjects = [] }) => ({
    title,
    ...(feature === undefined ? {} : { feature }),
    metrics: [...own, ...restOf(named, subjects.flatMap(Object.values).flat())],
  }),
);

/** All of the server's own. */
export const metrics: readonly MetricDefinition[] = metricFamilies.flatMap(
  (family) => family.metrics,
);

/** Metrics of the server's own that are sent while only these features are on. */
export function metricsWith(features: ReadonlySet<MetricFeature>): readonly MetricDefinition[] {
  return metricFamilies
    .filter(({ feature }) => feature === undefined || features.has(feature))
    .flatMap((family) => family.metrics);
}

/** Metrics under other names, for dashboards that exist. */
export { redisMetrics };
