/** Series of the history, and the events on its time line. */

/** Kinds of events on the time line. */
type EventKind =
  | 'start'
  | 'stop'
  | 'recovery'
  | 'health'
  | 'verdict'
  | 'stuck'
  | 'settings'
  | 'kill'
  | 'snapshot'
  | 'log-failure'
  | 'eviction'
  | 'refused-connections'
  | 'output'
  | 'script'
  | 'failover'
  | 'link'
  | 'denial'
  | 'tier'
  | 'log';

export type HistoryUnit = 'count' | 'bytes' | 'us' | 'seconds' | 'level' | 'causes';

/** One series that the history keeps. */
export interface HistorySeriesReport {
  readonly name: string;
  /** Values are rates per second (growth), the greatest within the step (gauge, percentile), or united bits (flags). */
  readonly kind: 'growth' | 'gauge' | 'percentile' | 'flags';
  readonly unit: HistoryUnit;
  /** Kinds of threads that have it: main, shard, front, ops, server, command, error. */
  readonly owners: readonly string[];
}

/** Values of one series. */
export interface HistoryColumn {
  readonly name: string;
  /** Thread that the values are of; null for all threads together, and for commands and errors. */
  readonly thread: string | null;
  readonly kind: HistorySeriesReport['kind'];
  readonly unit: HistoryUnit;
  /** One for each step; null where nothing was recorded. */
  readonly values: readonly (number | null)[];
}

export interface HistoryDocument {
  /** Start of the first step, a multiple of the step. */
  readonly from_time_ms: number;
  readonly to_time_ms: number;
  readonly step_seconds: number;
  /** Lengths of the samples that the values come from, in seconds. */
  readonly sample_seconds: readonly number[];
  readonly steps: number;
  /** Command that the values are of; null for none. */
  readonly command: string | null;
  /** Code of the error replies that the values are of; null for none. */
  readonly error: string | null;
  readonly series: readonly HistoryColumn[];
}

export interface HistorySeriesDocument {
  readonly enabled: boolean;
  /** Bytes of the history in memory and on disk. */
  readonly bytes: number;
  readonly bytes_max: number;
  /** Lengths of samples, and how long each is kept. */
  readonly tiers: readonly { readonly sample_seconds: number; readonly kept_seconds: number }[];
  readonly threads: readonly string[];
  readonly commands: readonly string[];
  /** Codes of error replies. */
  readonly errors: readonly string[];
  readonly series: readonly HistorySeriesReport[];
  /** Causes by the bits of `limited_by`, the lowest first. */
  readonly causes: readonly string[];
}

/** An event on the time line: a log record of a kind that is kept. */
export interface HistoryEvent {
  /** Grows over restarts: the order of events, also where the wall clock was set. */
  readonly seq: number;
  readonly time_ms: number;
  readonly kind: EventKind;
  /** Code of the log record. */
  readonly event: string;
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly thread: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

export interface EventsDocument {
  /** Newest first. */
  readonly events: readonly HistoryEvent[];
  /** Events that match, also those beyond the count. */
  readonly total: number;
  /** Kinds that there are. */
  readonly kinds: readonly EventKind[];
}
