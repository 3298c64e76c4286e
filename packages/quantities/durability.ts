/** Quantities of snapshots, recovery and waits for the disk. */

import { MAIN_GAUGE, MAIN_TOTAL, SHARD_COUNTER, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const DURABILITY_QUANTITIES = {
  /** Snapshots that are on disk, and those that failed. */
  snapshots: [
    {
      ...MAIN_TOTAL,
      counter: 'saves',
      help: 'Finished snapshots.',
      info: 'rdb_saves',
      metric: 'svc_snapshots_total',
    },
    {
      ...MAIN_TOTAL,
      counter: 'savesFailed',
      help: 'Failed snapshots.',
      metric: 'svc_snapshots_failed_total',
    },
  ],
  /** State of the snapshots and of the start; `status/durability.ts` makes a report of it. */
  state: [
    /** Bytes of files that the start reads, and has read so far, and keys that it has found. */
    { ...SHARD_GAUGE, counter: 'loadTotalBytes', unit: 'bytes' },
    { ...SHARD_GAUGE, counter: 'loadedBytes', unit: 'bytes' },
    { ...SHARD_GAUGE, counter: 'loadedKeys' },
    /** 1 while the data is kept on disk; and while a start would find none of it, before the first snapshot. */
    { ...MAIN_GAUGE, counter: 'keepsData' },
    { ...MAIN_GAUGE, counter: 'awaitsSnapshot' },
    /** 1 while the data is read at the start. */
    { ...MAIN_GAUGE, counter: 'loading' },
    /** The snapshot under way (Unix milliseconds of its beginning; 0 = none), and what became of the last one. */
    { ...MAIN_GAUGE, counter: 'savingSinceMs' },
    { ...MAIN_GAUGE, counter: 'lastSaveMs' },
    { ...MAIN_GAUGE, counter: 'lastSaveFailed' },
    { ...MAIN_GAUGE, counter: 'lastSaveUs', unit: 'us' },
    /** Bytes of the last snapshot and of the log behind it when it was on disk; and what the logs had counted then. */
    { ...MAIN_GAUGE, counter: 'logBaseBytes', unit: 'bytes' },
    { ...MAIN_GAUGE, counter: 'logCountAtBase' },
    /** The count of changes of all shards when the last snapshot began. */
    { ...MAIN_GAUGE, counter: 'changesAtSave' },
    /** 1 while the log cannot be written. */
    { ...MAIN_GAUGE, counter: 'logFailed' },
  ],
  /** The last snapshot; metrics have it only where something is kept on disk. */
  lastSnapshot: [
    { ...MAIN_GAUGE, counter: 'lastSaveKeys', info: 'snapshot_last_keys' },
    { ...MAIN_GAUGE, counter: 'lastSaveBytes', unit: 'bytes', info: 'snapshot_last_bytes' },
  ],
  snapshotWork: [
    {
      ...SHARD_GAUGE,
      counter: 'snapshotPreservedBytes',
      unit: 'bytes',
      help: 'Bytes of keys copied because they changed during the current or last snapshot.',
      metric: 'svc_snapshot_preserved_bytes',
    },
    {
      counter: 'snapshotUs',
      by: 'shards',
      kind: 'counter',
      unit: 'us',
      help: 'Time spent by shards on snapshots.',
      metric: 'svc_snapshot_busy_seconds_total',
    },
  ],
  /** Time that replies have waited for the disk, in sync mode, and the number of waits. */
  diskWaits: [
    {
      ...SHARD_COUNTER,
      counter: 'durableUs',
      unit: 'us',
      help: 'Time that batches of replies waited for the disk in sync mode.',
      metric: 'svc_persistence_reply_wait_seconds_total',
    },
    { ...SHARD_COUNTER, counter: 'durableWaits' },
  ],
  /** Damaged bytes that recovery has left out, and logs without an end: the disk had not taken what came then. */
  recovery: [
    {
      ...MAIN_GAUGE,
      counter: 'recoveryUs',
      unit: 'us',
      help: 'Duration of the recovery at the start.',
      metric: 'svc_recovery_duration_seconds',
    },
    {
      ...MAIN_GAUGE,
      counter: 'recoveryLostBytes',
      unit: 'bytes',
      help: 'Damaged bytes skipped by the recovery.',
      info: 'recovery_lost_bytes',
      status: 'persistence.recovery.lost_bytes',
      metric: 'svc_recovery_lost_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'recoveryHoles',
      help: 'Logs whose last records were missing at the start because they had not reached the disk.',
      info: 'recovery_log_holes',
      status: 'persistence.recovery.log_holes',
      metric: 'svc_recovery_log_holes',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
