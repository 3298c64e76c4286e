/** The latest lines of the log, as kept in memory. */

/** A line of the log. */
export interface LogLineReport {
  /** Number of the line since the start, from 1 on. */
  readonly number: number;
  readonly time_ms: number;
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly thread: string;
  /** Code of the event, such as `shard-stuck`. */
  readonly event: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}

export interface LogsDocument {
  /** Selected lines, oldest first. */
  readonly lines: readonly LogLineReport[];
  /** Number of the newest line of all: the `after` of the next request. */
  readonly last: number;
  /** Lines after `after` that memory no longer holds. */
  readonly missed: number;
  /** Lines that were not written to an output in time. */
  readonly dropped: number;
  /** Threads and events of the lines in memory. */
  readonly threads: readonly string[];
  readonly events: readonly string[];
}
