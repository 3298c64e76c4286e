/** Commands as they arrive, filtered and sampled: MONITOR for the debug pages. */

/** Origin of a command: its client, a script that calls it, or the EXEC of a transaction that queued it. */
export type CommandSource = 'client' | 'script' | 'transaction';

/** Selection of commands. Fields that are null, and lists that are empty, do not narrow it. */
export interface MonitorSelection {
  /** Names in lower case: of commands, subcommands (`client|list`) or containers. */
  readonly commands: readonly string[];
  /** Glob that one of the command's keys must match. */
  readonly key: string | null;
  /** Id of a client, its address, or its address without the port. */
  readonly client: string | null;
  readonly user: string | null;
  readonly db: number | null;
  readonly sources: readonly CommandSource[];
}

export interface MonitorOptions {
  readonly filter: MonitorSelection;
  /** Most lines of a second; further commands of the second are only counted. */
  readonly lines_per_sec: number;
  /** Milliseconds after which it ends in any case. */
  readonly duration_ms: number;
}

export interface MonitorLineReport {
  /** Number of the line since the start of the monitor, from 1 on. */
  readonly number: number;
  readonly time_ms: number;
  readonly db: number;
  /** Client that sent the command, or runs the script or the transaction. */
  readonly client_id: number;
  readonly addr: string;
  readonly user: string;
  readonly source: CommandSource;
  /** Beginnings of the words of the command, without secrets. */
  readonly args: readonly string[];
}

/** Reason why a monitor has ended. */
export type MonitorEnd =
  'stopped' | 'page-hidden' | 'page-closed' | 'logged-out' | 'not-renewed' | 'time-limit';

export interface MonitorDocument extends MonitorOptions {
  readonly id: string;
  readonly start_time_ms: number;
  /** Latest time at which it ends; the time at which it has ended, once it has. */
  readonly end_time_ms: number;
  /** Null while it runs. */
  readonly ended_by: MonitorEnd | null;
  /** Commands of the selected sources since the start, and those of them that the filter selects. */
  readonly seen: number;
  readonly matched: number;
  /** Selected commands without a line, since the second had `lines_per_sec` lines. */
  readonly left_out: number;
  /** Number of the newest line: the `after` of the next request. `matched` is `last` and `left_out`. */
  readonly last: number;
  /** Lines after `after` that memory no longer holds. */
  readonly missed: number;
  /** Lines after `after`, oldest first. */
  readonly lines: readonly MonitorLineReport[];
}
