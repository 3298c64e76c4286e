/** State of the logs and snapshots, with their latest outcomes. */

export interface SyncTimes {
  /** Completed fsyncs since the start. */
  readonly syncs: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}

/** Log of one shard. */
export interface LogReport extends SyncTimes {
  readonly shard: number;
  readonly segment: number;
  readonly segment_bytes: number;
  readonly pending_records: number;
  readonly pending_bytes: number;
  /** Age of the oldest write that is not synced. */
  readonly lag_ms: number;
  readonly records: number;
  readonly written_bytes: number;
  /** Fsyncs that became due while another one was running. */
  readonly delayed_syncs: number;
  readonly write_errors: number;
  readonly sync_errors: number;
  readonly lost_records: number;
}

/** A finished snapshot. */
export interface SnapshotReport {
  readonly number: number;
  readonly time_ms: number;
  readonly duration_us: number;
  readonly keys: number;
  readonly bytes: number;
}

/** A failure of a snapshot or a log, with its repetitions. */
export interface DiskFailureReport {
  readonly what: 'snapshot' | 'log';
  /** Null for a snapshot, and where all logs failed. */
  readonly shard: number | null;
  readonly message: string;
  /** Name and number of the system's error; null if the message has none. */
  readonly code: string | null;
  readonly errno: number | null;
  readonly count: number;
  readonly first_time_ms: number;
  readonly last_time_ms: number;
}

/** Latest outcomes since the start, newest first. */
export interface DiskOutcomesReport {
  readonly snapshots: readonly SnapshotReport[];
  readonly failures: readonly DiskFailureReport[];
}

export interface PersistenceDocument {
  readonly enabled: boolean;
  /** sync, periodic or async; null while nothing is kept. */
  readonly durability_mode: string | null;
  /** True until the first snapshot after persistence was switched on: a restart would lose all changes since. */
  readonly awaits_snapshot: boolean;
  /** True while a log cannot be written. */
  readonly log_failed: boolean;
  readonly lag_ms: number;
  readonly pending_records: number;
  readonly pending_bytes: number;
  /** Fsyncs of all logs together. */
  readonly sync: SyncTimes;
  readonly logs: readonly LogReport[];
  readonly snapshot: {
    /** Null while none is under way. */
    readonly running_since_time_ms: number | null;
    /** Null before the first. */
    readonly last_time_ms: number | null;
    /** Null before the first attempt. */
    readonly last_ok: boolean | null;
    readonly last_duration_us: number;
    readonly last_keys: number;
    readonly last_bytes: number;
    readonly finished: number;
    readonly failed: number;
    readonly changes_since: number;
  };
  /** File system of the data folder; null where it cannot be read, and while nothing is kept. */
  readonly disk: {
    readonly folder: string;
    readonly free_bytes: number;
    readonly total_bytes: number;
  } | null;
  /** Null when main was late, and while nothing is kept. */
  readonly outcomes: DiskOutcomesReport | null;
}
