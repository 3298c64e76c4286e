/** Statistics of one shard's log. Each shard has its own; metrics report them by shard, INFO their sums. */

import type { LogQuantity } from './quantity.ts';

export const LOG_QUANTITIES = {
  /** Counted since the start, unless stated otherwise. */
  work: [
    {
      figure: 'records',
      kind: 'counter',
      help: 'Records written to the log.',
      info: 'log_records_written',
      metric: 'svc_persistence_log_records_total',
    },
    {
      figure: 'blocks',
      kind: 'counter',
      help: 'Writes of the log: blocks of records.',
      metric: 'svc_persistence_log_writes_total',
    },
    {
      figure: 'bytes',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes written to the log.',
      info: 'log_bytes_written',
      metric: 'svc_persistence_log_written_bytes_total',
    },
    /** Finished syncs, their total time, the longest and the last. */
    {
      figure: 'syncs',
      kind: 'counter',
      moves: true,
      help: 'Completed fsyncs of the log.',
      info: 'log_syncs',
      metric: 'svc_persistence_log_syncs_total',
    },
    {
      figure: 'syncUs',
      kind: 'counter',
      unit: 'us',
      help: 'Time spent in fsyncs of the log.',
      metric: 'svc_persistence_log_sync_seconds_total',
    },
    {
      figure: 'syncUsMax',
      kind: 'gauge',
      unit: 'us',
      help: 'Longest fsync of the log.',
      metric: 'svc_persistence_log_sync_max_seconds',
    },
    { figure: 'syncUsLast', kind: 'gauge', unit: 'us' },
    {
      figure: 'delayedSyncs',
      kind: 'counter',
      moves: true,
      help: 'Fsyncs that became due while another one was running.',
      metric: 'svc_persistence_log_delayed_syncs_total',
    },
    /** Failed writes and syncs, and records dropped because of them. */
    { figure: 'writeErrors', kind: 'counter' },
    { figure: 'syncErrors', kind: 'counter' },
    {
      figure: 'lostRecords',
      kind: 'counter',
      help: 'Records dropped because the log could not be written.',
      info: 'log_lost_records',
      metric: 'svc_persistence_log_lost_records_total',
    },
    /** Current segment: its number and its bytes. */
    { figure: 'segment', kind: 'gauge' },
    {
      figure: 'segmentBytes',
      kind: 'gauge',
      unit: 'bytes',
      help: 'Size of the current log segment.',
      metric: 'svc_persistence_log_segment_bytes',
    },
  ],
  /** Records written since the last sync began. */
  pending: [
    {
      figure: 'unsyncedRecords',
      kind: 'gauge',
      moves: true,
      info: 'log_pending_records',
      status: 'persistence.wal.pending_ops',
    },
    {
      figure: 'unsyncedBytes',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Bytes written but not yet synced to disk.',
      info: 'log_pending_bytes',
      status: 'persistence.wal.pending_bytes',
      metric: 'svc_persistence_pending_bytes',
    },
    /** Time (monotonic microseconds) of the oldest write that is not yet synced; 0 when all are. */
    { figure: 'unsyncedSinceUs', kind: 'gauge', unit: 'us' },
  ],
} as const satisfies Readonly<Record<string, readonly LogQuantity[]>>;
