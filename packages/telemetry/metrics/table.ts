/** The table of metrics: everything the server exports, once. */

import { clientMetrics } from './families/clients.ts';
import { commandMetrics } from './families/commands.ts';
import type { MetricDefinition } from './definition.ts';
import { userMetrics } from './families/users.ts';
import { exportMetrics } from './exports.ts';
import { keyspaceMetrics } from './families/keyspace.ts';
import { opsMetrics } from './families/ops.ts';
import { persistenceMetrics } from './families/persistence.ts';
import { prefixMetrics } from './families/prefixes.ts';
import { redisMetrics } from './redis-names.ts';
import { scriptMetrics } from './families/scripts.ts';
import { processMetrics, shardMetrics, threadMetrics } from './families/threads.ts';

interface MetricFamily {
  readonly title: string;
  readonly metrics: readonly MetricDefinition[];
}

/** Metrics by subject, in the order of the reference. */
export const metricFamilies: readonly MetricFamily[] = [
  { title: 'Process', metrics: processMetrics },
  { title: 'Commands', metrics: commandMetrics },
  { title: 'Connections', metrics: clientMetrics },
  { title: 'Users', metrics: userMetrics },
  { title: 'Keys and memory', metrics: keyspaceMetrics },
  { title: 'Key prefixes', metrics: prefixMetrics },
  { title: 'Scripts and functions', metrics: scriptMetrics },
  { title: 'Log and snapshots', metrics: persistenceMetrics },
  { title: 'Shards', metrics: shardMetrics },
  { title: 'Threads', metrics: threadMetrics },
  { title: 'HTTP and log', metrics: opsMetrics },
  { title: 'Traces and pushes', metrics: exportMetrics },
];

/** All of the server's own. */
export const metrics: readonly MetricDefinition[] = metricFamilies.flatMap(
  (family) => family.metrics,
);

/** Metrics under other names, for dashboards that exist. */
export { redisMetrics };
