/**
 * Words in the link memory by which main looks at, and stops, the script that a shard runs.
 *
 *   word      written by    read by   meaning
 *   RUN       shard         main      number of the run under way, counted from 1; 0 while there is none
 *   FLAGS     shard         main      bits of ScriptFlag
 *   STOP      main          shard     number of a run that is to be stopped
 *
 * A run is stopped by its number, so a request that comes too late stops no other.
 */

import type { LinkMemory } from './memory.ts';

const RUN = 0;
const FLAGS = 1;
const STOP = 2;

/** Bytes that the words of one shard take in the link memory. */
export const SCRIPT_CONTROL_BYTES = 64;

/** Facts about a script that is being run. */
export const ScriptFlag = {
  /** It was called by FCALL. */
  isFunction: 1,
  /** It has begun to write, and can no longer be stopped. */
  hasWritten: 2,
} as const;

export class ScriptControl {
  readonly #words: Int32Array;
  readonly #at: number;
  #runs = 0;
  #hasWritten = false;

  constructor(memory: LinkMemory, at: number) {
    this.#words = memory.words;
    this.#at = at >> 2;
  }

  /** A run begins in this shard. */
  begin(isFunction: boolean): void {
    this.#runs = (this.#runs + 1) & 0x7fff_ffff || 1;
    this.#hasWritten = false;
    Atomics.store(this.#words, this.#at + FLAGS, isFunction ? ScriptFlag.isFunction : 0);
    Atomics.store(this.#words, this.#at + RUN, this.#runs);
  }

  /** The run under way has begun to write; false when main has stopped it before. */
  write(): boolean {
    if (this.#hasWritten) return true;
    // Main sets STOP before it reads FLAGS, so that one of both sees the other.
    Atomics.or(this.#words, this.#at + FLAGS, ScriptFlag.hasWritten);
    if (this.mustStop) return false;
    this.#hasWritten = true;
    return true;
  }

  end(): void {
    Atomics.store(this.#words, this.#at + RUN, 0);
  }

  /** True when main wants the run under way to be stopped. */
  get mustStop(): boolean {
    return !this.#hasWritten && Atomics.load(this.#words, this.#at + STOP) === this.#runs;
  }

  /** Number of the run under way; 0 while there is none. */
  get run(): number {
    return Atomics.load(this.#words, this.#at + RUN);
  }

  /** Bits of ScriptFlag of the run under way. */
  get flags(): number {
    return Atomics.load(this.#words, this.#at + FLAGS);
  }

  /** Asks the shard to stop a run, which looks every so many instructions; false when the run has written. */
  stop(run: number): boolean {
    Atomics.store(this.#words, this.#at + STOP, run);
    return (this.flags & ScriptFlag.hasWritten) === 0;
  }
}
