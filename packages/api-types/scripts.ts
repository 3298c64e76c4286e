/** Scripts and functions: what each has done, and what runs now. */

/** Figures of a script or function over all shards, since the start or CONFIG RESETSTAT. */
export interface ScriptReport {
  /** The script's digest, or the function's library and name with a dot between them. */
  readonly name: string;
  readonly kind: 'script' | 'function';
  /** Runs that have ended. */
  readonly calls: number;
  readonly errors: number;
  /** Time of all runs together. */
  readonly time_us: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly max_us: number;
  /** Keys that were declared. */
  readonly keys: number;
  /** Commands that were called, and those among them that main had to run. */
  readonly commands: number;
  readonly calls_on_main: number;
  /** Number of runs for which the other shards stopped. */
  readonly barrier_runs: number;
  /** Runs that SCRIPT KILL or FUNCTION KILL has stopped. */
  readonly killed: number;
  /** Bytes of the source; those of the whole library for a function. */
  readonly source_bytes: number;
  /** Its first 4,096 characters; null for functions, and for scripts that were forgotten. */
  readonly source: string | null;
}

/** A script or function that runs now. */
export interface RunningScriptReport {
  readonly shard: number;
  /** The script's digest, or the function's name; null if unknown. */
  readonly name: string | null;
  readonly kind: 'script' | 'function';
  /** Command that started it, in lower case; null if unknown. */
  readonly command: string | null;
  readonly duration_ms: number;
  /** Number of the run in its shard, by which it is killed. */
  readonly run: number;
  /** Line that it executes; null while it is not known. */
  readonly line: number | null;
  /** True when it has written, so that it cannot be killed. */
  readonly has_written: boolean;
  /** Beginning of the source, at most 4,096 characters; null if it is not known. */
  readonly source: string | null;
}

export interface ScriptsDocument {
  /** Scripts and functions; the one that has run longest, all runs together, comes first. */
  readonly scripts: readonly ScriptReport[];
  /** Number of scripts and functions with statistics, of which only a part is returned. */
  readonly kept: number;
  readonly running: readonly RunningScriptReport[];
  /** Shards that did not answer in time: their runs are not counted. */
  readonly missing_shards: readonly number[];
}
