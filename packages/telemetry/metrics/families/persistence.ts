/** Metrics of the log, of snapshots and of recovery. */

import { DURABILITY_QUANTITIES, LOG_QUANTITIES } from '#quantities';
import type { DurabilityReport } from '#stats';
import { metric, type MetricDefinition } from '../definition.ts';
import { logMetricsOf, metricsOf } from '../quantities.ts';

const US = 1e-6;
const MS = 1e-3;

/** One value of the report that STATUS and INFO are made from. */
function ofReport(
  head: { name: string; help: string; unit?: 'bytes' | 'seconds' },
  source: string,
  of: (report: DurabilityReport) => number,
): MetricDefinition {
  return metric('gauge', head, source, ({ durability }, samples) => {
    if (durability.isEnabled) samples.value(of(durability));
  });
}

export const persistenceMetrics: readonly MetricDefinition[] = [
  metric(
    'counter',
    {
      name: 'svc_persistence_errors_total',
      help: 'Failed writes, fsyncs and snapshots.',
    },
    'log figures: writeErrors, syncErrors; main page: savesFailed',
    ({ durability }, samples) => {
      samples.value(durability.errors);
    },
  ),
  ...logMetricsOf(Object.values(LOG_QUANTITIES).flat()),
  metric(
    'gauge',
    {
      name: 'svc_persistence_durability_lag_seconds',
      help: 'Age of the oldest write that is not yet synced to disk.',
      unit: 'seconds',
      labels: ['shard'],
    },
    'log figures: unsyncedSinceUs',
    ({ durability }, samples) => {
      for (const { shard, lagMs } of durability.logs) samples.value(lagMs * MS, String(shard));
    },
  ),
  ofReport(
    { name: 'svc_persistence_log_failed', help: '1 while the log cannot be written.' },
    'main page: logFailed',
    ({ hasLogFailed }) => Number(hasLogFailed),
  ),
  ofReport(
    {
      name: 'svc_persistence_awaits_snapshot',
      help: '1 after persistence was switched on, until its first snapshot has finished: a restart would lose all changes since.',
    },
    'main page: awaitsSnapshot',
    ({ awaitsSnapshot }) => Number(awaitsSnapshot),
  ),
  ofReport(
    {
      name: 'svc_persistence_changes_since_snapshot',
      help: 'Changes since the start of the last snapshot.',
    },
    'shard pages: changes; main page: changesAtSave',
    ({ changesSinceSave }) => changesSinceSave,
  ),
  ...metricsOf(DURABILITY_QUANTITIES.snapshots),
  ofReport(
    { name: 'svc_snapshot_in_progress', help: '1 while a snapshot is running.' },
    'main page: savingSinceMs',
    ({ isSaving }) => Number(isSaving),
  ),
  ofReport(
    {
      name: 'svc_snapshot_last_timestamp_seconds',
      help: 'Unix time at which the last snapshot finished.',
      unit: 'seconds',
    },
    'main page: lastSaveMs',
    ({ lastSaveMs }) => lastSaveMs * MS,
  ),
  ofReport(
    {
      name: 'svc_snapshot_last_duration_seconds',
      help: 'Duration of the last snapshot.',
      unit: 'seconds',
    },
    'main page: lastSaveUs',
    ({ lastSaveUs }) => lastSaveUs * US,
  ),
  ofReport(
    { name: 'svc_snapshot_last_bytes', help: 'Size of the last snapshot on disk.', unit: 'bytes' },
    'main page: lastSaveBytes',
    ({ lastSaveBytes }) => lastSaveBytes,
  ),
  ...metricsOf(
    DURABILITY_QUANTITIES.snapshotWork,
    DURABILITY_QUANTITIES.diskWaits,
    DURABILITY_QUANTITIES.recovery,
  ),
];
