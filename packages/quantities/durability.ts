/** Quantities of snapshots, recovery and waits for the disk. */

import type { Quantity } from './quantity.ts';

export const DURABILITY_QUANTITIES = {
  /** Snapshots that are on disk, and those that failed. */
  snapshots: [
    {
      counter: 'saves',
      by: 'main',
      kind: 'counter',
      help: 'Snapshots that are on disk.',
      info: 'rdb_saves',
      metric: 'svc_snapshots_total',
    },
    {
      counter: 'savesFailed',
      by: 'main',
      kind: 'counter',
      help: 'Snapshots that failed.',
      metric: 'svc_snapshots_failed_total',
    },
  ],
  /** State of the snapshots and of the start; `status/durability.ts` makes a report of it. */
  state: [
    /** Bytes of files that the start reads, and has read so far, and keys that it has found. */
    { counter: 'loadTotalBytes', by: 'shards', kind: 'gauge', unit: 'bytes' },
    { counter: 'loadedBytes', by: 'shards', kind: 'gauge', unit: 'bytes' },
    { counter: 'loadedKeys', by: 'shards', kind: 'gauge' },
    /** 1 while the data is kept on disk; and while a start would find none of it, before the first snapshot. */
    { counter: 'keepsData', by: 'main', kind: 'gauge' },
    { counter: 'awaitsSnapshot', by: 'main', kind: 'gauge' },
    /** 1 while the data is read at the start. */
    { counter: 'loading', by: 'main', kind: 'gauge' },
    /** The snapshot under way (Unix milliseconds of its beginning; 0 = none), and what became of the last one. */
    { counter: 'savingSinceMs', by: 'main', kind: 'gauge' },
    { counter: 'lastSaveMs', by: 'main', kind: 'gauge' },
    { counter: 'lastSaveFailed', by: 'main', kind: 'gauge' },
    { counter: 'lastSaveUs', by: 'main', kind: 'gauge', unit: 'us' },
    /** Bytes of the last snapshot and of the log behind it when it was on disk; and what the logs had counted then. */
    { counter: 'logBaseBytes', by: 'main', kind: 'gauge', unit: 'bytes' },
    { counter: 'logCountAtBase', by: 'main', kind: 'gauge' },
    /** The count of changes of all shards when the last snapshot began. */
    { counter: 'changesAtSave', by: 'main', kind: 'gauge' },
    /** 1 while the log cannot be written. */
    { counter: 'logFailed', by: 'main', kind: 'gauge' },
  ],
  /** The last snapshot; metrics have it only where something is kept on disk. */
  lastSnapshot: [
    { counter: 'lastSaveKeys', by: 'main', kind: 'gauge', info: 'snapshot_last_keys' },
    {
      counter: 'lastSaveBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      info: 'snapshot_last_bytes',
    },
  ],
  snapshotWork: [
    {
      counter: 'snapshotPreservedBytes',
      by: 'shards',
      kind: 'gauge',
      unit: 'bytes',
      help: 'Bytes of keys that the snapshot under way, or the last, kept because they changed meanwhile.',
      metric: 'svc_snapshot_preserved_bytes',
    },
    {
      counter: 'snapshotUs',
      by: 'shards',
      kind: 'counter',
      unit: 'us',
      help: 'Time that shards spent on snapshots.',
      metric: 'svc_snapshot_busy_seconds_total',
    },
  ],
  /** Time that replies have waited for the disk, in sync mode, and the number of waits. */
  diskWaits: [
    {
      counter: 'durableUs',
      by: 'shards',
      kind: 'counter',
      unit: 'us',
      resets: true,
      help: 'Time that batches of replies have waited for the disk, in sync mode.',
      metric: 'svc_persistence_reply_wait_seconds_total',
    },
    { counter: 'durableWaits', by: 'shards', kind: 'counter', resets: true },
  ],
  /** Damaged bytes that recovery has left out, and logs without an end: the disk had not taken what came then. */
  recovery: [
    {
      counter: 'recoveryUs',
      by: 'main',
      kind: 'gauge',
      unit: 'us',
      help: 'Time that reading the data took at the start.',
      metric: 'svc_recovery_duration_seconds',
    },
    {
      counter: 'recoveryLostBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      help: 'Damaged bytes that the start has left out.',
      info: 'recovery_lost_bytes',
      status: 'persistence.recovery.lost_bytes',
      metric: 'svc_recovery_lost_bytes',
    },
    {
      counter: 'recoveryHoles',
      by: 'main',
      kind: 'gauge',
      help: 'Logs that the start has found to have no end, because the disk had not taken it.',
      info: 'recovery_log_holes',
      status: 'persistence.recovery.log_holes',
      metric: 'svc_recovery_log_holes',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
