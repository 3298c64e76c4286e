/** Use of commands, from the pages of all threads. */

import type { CommandReport } from './latency.ts';
import type { ExecutingReport } from './status.ts';

/** Counts since the start or CONFIG RESETSTAT, and rates of the last seconds, of one command. */
export interface CommandUsageReport extends CommandReport {
  readonly calls_per_sec: number;
  /** Calls that failed while they were executed. */
  readonly failed: number;
  readonly failed_per_sec: number;
  /** Calls that were refused before: wrong number of arguments, no permission, no memory. */
  readonly rejected: number;
  readonly rejected_per_sec: number;
  /**
   * Share of the time of all shards, running calls included. Commands called by scripts count for the script as well; a
   * command gathered from several shards counts its slowest part.
   */
  readonly shard_percent: number;
  /** Share of the time of the main thread. */
  readonly main_percent: number;
}

/** Error replies with one code, of all commands. */
export interface ErrorCodeReport {
  readonly code: string;
  readonly count: number;
  readonly per_sec: number;
}

/** Command that a shard is executing. */
export interface ShardExecuting extends ExecutingReport {
  readonly shard: number;
}

export interface CommandsDocument {
  /** Length of the period that the rates and shares are of. */
  readonly seconds: number;
  /** Commands that were called or refused, or run now; those with the largest share of the shards' time first. */
  readonly commands: readonly CommandUsageReport[];
  readonly errors: readonly ErrorCodeReport[];
  readonly executing: readonly ShardExecuting[];
}
