/** Quantities of snapshots, recovery and waits for the disk. */

import { MAIN_GAUGE, MAIN_TOTAL, SHARD_COUNTER, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const DURABILITY_QUANTITIES = {
  /** Finished and failed snapshots. */
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
  /** State of snapshots and recovery, for the report in `status/durability.ts`. */
  state: [
    /** Bytes of files that recovery reads, bytes read so far, and keys found so far. */
    { ...SHARD_GAUGE, counter: 'loadTotalBytes', unit: 'bytes' },
    { ...SHARD_GAUGE, counter: 'loadedBytes', unit: 'bytes' },
    { ...SHARD_GAUGE, counter: 'loadedKeys' },
    /** 1 while persistence is on; and 1 while it waits for its first snapshot, so that a restart would lose all changes. */
    { ...MAIN_GAUGE, counter: 'keepsData' },
    { ...MAIN_GAUGE, counter: 'awaitsSnapshot' },
    /** 1 during recovery. */
    { ...MAIN_GAUGE, counter: 'loading' },
    /** Running snapshot (Unix milliseconds of its start; 0 = none), and outcome of the last one. */
    { ...MAIN_GAUGE, counter: 'savingSinceMs' },
    { ...MAIN_GAUGE, counter: 'lastSaveMs' },
    { ...MAIN_GAUGE, counter: 'lastSaveFailed' },
    { ...MAIN_GAUGE, counter: 'lastSaveUs', unit: 'us' },
    /** Bytes of the last snapshot and of the log after it, when it finished; and the counts of the logs at that time. */
    { ...MAIN_GAUGE, counter: 'logBaseBytes', unit: 'bytes' },
    { ...MAIN_GAUGE, counter: 'logCountAtBase' },
    /** Count of changes of all shards at the start of the last snapshot. */
    { ...MAIN_GAUGE, counter: 'changesAtSave' },
    /** 1 while the log cannot be written. */
    { ...MAIN_GAUGE, counter: 'logFailed' },
    /** Number of the system error behind the last failure of the log, and of a snapshot; 0 for other errors. */
    { ...MAIN_GAUGE, counter: 'logErrno' },
    { ...MAIN_GAUGE, counter: 'snapshotErrno' },
  ],
  /** The last snapshot; its metrics exist only with persistence. */
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
  /** Time that replies waited for the disk in sync mode, and the number of waits. */
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
  /** Damaged bytes skipped by recovery, and logs whose last records had not reached the disk. */
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
