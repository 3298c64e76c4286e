/** Metrics of the log, of snapshots and of recovery. */

import type { DurabilityReport, LogFigure } from '#stats';
import { metric, ofAllShards, ofMain, type MetricDefinition } from './definition.ts';

const US = 1e-6;
const MS = 1e-3;

/** A figure of each shard's log, where there are logs. */
function perLog(
  kind: 'counter' | 'gauge',
  head: { name: string; help: string; unit?: 'bytes' | 'seconds' },
  figure: LogFigure,
  scale = 1,
): MetricDefinition {
  const labelled = { ...head, labels: ['shard'] };
  return metric(kind, labelled, `log figures: ${figure}`, ({ logs }, samples) => {
    for (const [shard, log] of logs.entries())
      samples.value(log.get(figure) * scale, String(shard));
  });
}

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
      help: 'Writes, syncs and snapshots that failed.',
    },
    'log figures: writeErrors, syncErrors; main page: savesFailed',
    ({ durability }, samples) => {
      samples.value(durability.errors);
    },
  ),
  perLog(
    'counter',
    { name: 'svc_persistence_log_records_total', help: 'Records written to the log.' },
    'records',
  ),
  perLog(
    'counter',
    { name: 'svc_persistence_log_writes_total', help: 'Writes of the log: blocks of records.' },
    'blocks',
  ),
  perLog(
    'counter',
    {
      name: 'svc_persistence_log_written_bytes_total',
      help: 'Bytes written to the log.',
      unit: 'bytes',
    },
    'bytes',
  ),
  perLog(
    'counter',
    { name: 'svc_persistence_log_syncs_total', help: 'Syncs of the log that are through.' },
    'syncs',
  ),
  perLog(
    'counter',
    { name: 'svc_persistence_log_sync_seconds_total', help: 'Time of all syncs.', unit: 'seconds' },
    'syncUs',
    US,
  ),
  perLog(
    'gauge',
    { name: 'svc_persistence_log_sync_max_seconds', help: 'The longest sync.', unit: 'seconds' },
    'syncUsMax',
    US,
  ),
  perLog(
    'counter',
    {
      name: 'svc_persistence_log_delayed_syncs_total',
      help: 'Syncs that came due while one was under way.',
    },
    'delayedSyncs',
  ),
  perLog(
    'counter',
    {
      name: 'svc_persistence_log_lost_records_total',
      help: 'Records dropped because the log could not be written.',
    },
    'lostRecords',
  ),
  perLog(
    'gauge',
    {
      name: 'svc_persistence_log_segment_bytes',
      help: 'Size of the segment that is written.',
      unit: 'bytes',
    },
    'segmentBytes',
  ),
  perLog(
    'gauge',
    {
      name: 'svc_persistence_pending_bytes',
      help: 'Bytes written that are not on disk for certain.',
      unit: 'bytes',
    },
    'unsyncedBytes',
  ),
  metric(
    'gauge',
    {
      name: 'svc_persistence_durability_lag_seconds',
      help: 'Age of the oldest write that is not on disk for certain.',
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
      name: 'svc_persistence_changes_since_snapshot',
      help: 'Changes since the last snapshot began.',
    },
    'shard pages: changes; main page: changesAtSave',
    ({ changesSinceSave }) => changesSinceSave,
  ),
  ofMain('counter', { name: 'svc_snapshots_total', help: 'Snapshots that are on disk.' }, 'saves'),
  ofMain(
    'counter',
    { name: 'svc_snapshots_failed_total', help: 'Snapshots that failed.' },
    'savesFailed',
  ),
  ofReport(
    { name: 'svc_snapshot_in_progress', help: '1 while a snapshot is taken.' },
    'main page: savingSinceMs',
    ({ isSaving }) => Number(isSaving),
  ),
  ofReport(
    {
      name: 'svc_snapshot_last_timestamp_seconds',
      help: 'Time at which the last snapshot was on disk, in Unix time.',
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
  ofAllShards(
    'gauge',
    {
      name: 'svc_snapshot_preserved_bytes',
      help: 'Bytes of keys that the snapshot under way, or the last, kept because they changed meanwhile.',
      unit: 'bytes',
    },
    'snapshotPreservedBytes',
  ),
  ofAllShards(
    'counter',
    {
      name: 'svc_snapshot_busy_seconds_total',
      help: 'Time that shards spent on snapshots.',
      unit: 'seconds',
    },
    'snapshotUs',
    US,
  ),
  ofAllShards(
    'counter',
    {
      name: 'svc_persistence_reply_wait_seconds_total',
      help: 'Time that batches of replies have waited for the disk, in sync mode.',
      unit: 'seconds',
    },
    'durableUs',
    US,
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_recovery_duration_seconds',
      help: 'Time that reading the data took at the start.',
      unit: 'seconds',
    },
    'recoveryUs',
    US,
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_recovery_lost_bytes',
      help: 'Damaged bytes that the start has left out.',
      unit: 'bytes',
    },
    'recoveryLostBytes',
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_recovery_log_holes',
      help: 'Logs that the start has found to have no end, because the disk had not taken it.',
    },
    'recoveryHoles',
  ),
];
