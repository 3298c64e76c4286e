/** Ports of the script family: what its commands may ask of a shard and of main. */

import type { LogFields } from '#base';
import type { ScriptReport } from '#stats';
import type { Arguments } from '../arguments/arguments.ts';

/** Command by which a script is run. */
export interface ScriptCall {
  /** The script is named by its digest or function's name, and not sent along. */
  readonly isNamed: boolean;
  /** EVAL_RO and the like: commands that write are refused. */
  readonly isReadOnly: boolean;
}

/** A registered function of a library, as in FUNCTION LIST. */
interface FunctionDetails {
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: readonly string[];
}

/** A library of functions. */
export interface LibraryDetails {
  readonly name: string;
  /** Bytes of the library as it was loaded, as Latin-1. */
  readonly code: string;
  readonly functions: readonly FunctionDetails[];
}

/** Policy of FUNCTION RESTORE towards libraries that are there. */
export type RestorePolicy = 'append' | 'replace' | 'flush';

/** Lua in a shard: scripts are run in the shard that hosts their keys, and libraries are in all of them. */
export interface ShardScripts {
  /** True when scripts may call commands that refuse them; for tests. */
  mayCallAll: boolean;
  /** Runs EVAL or one of its kind, and writes its reply. */
  eval(args: Arguments, call: ScriptCall): void;
  /** Runs FCALL or FCALL_RO, and writes its reply. */
  call(args: Arguments, call: ScriptCall): void;
  /** Compiles and keeps a script; returns its digest. */
  load(args: Arguments, index: number): string;
  /** Loads a library; returns its name. Throws a CommandError if that fails. */
  loadLibrary(code: string, replaces: boolean): string;
  /** Removes a library; false when there is none of the name. */
  deleteLibrary(name: string): boolean;
  flushLibraries(): void;
  /** Loads several libraries, or none: throws a CommandError where one of them cannot be. */
  restoreLibraries(codes: readonly string[], policy: RestorePolicy): void;
  readonly libraries: readonly LibraryDetails[];
}

/** Script that a shard is running. */
export interface RunningScript {
  readonly shard: number;
  readonly isFunction: boolean;
  /** Function's name, or the script's digest; empty when it is not to be had. */
  readonly name: string;
  /** Words of the command, which runs it. */
  readonly command: readonly string[];
  readonly durationMs: number;
  /** Line that it executes; 0 while it is not known. */
  readonly line: number;
  /** True when it has written, so that it cannot be stopped. */
  readonly hasWritten: boolean;
  /** Number of the run in its shard. */
  readonly run: number;
}

/** Scripts as main knows them. */
export interface ScriptsPort {
  has(digest: string): boolean;
  /** Forgets all scripts that EVAL and SCRIPT LOAD have brought. */
  flush(): void;
  /**
   * Stops the script (or function) that runs longest; false when it has not ended in time. Throws a CommandError where there
   * is none, or it has written. `by` identifies the client in the log.
   */
  kill(isFunction: boolean, by: LogFields): Promise<boolean>;
  /** Figures of scripts and functions over the shards that answer; the one that has taken most time first. */
  figures(): Promise<readonly ScriptReport[]>;
  /** Scripts and functions that run now, in any shard. */
  readonly running: readonly RunningScript[];
  /** Number of libraries, and of functions in them. */
  readonly libraryCount: number;
  readonly functionCount: number;
}
