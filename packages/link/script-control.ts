/**
 * Words in the link memory by which main looks at, and stops, the script that a shard runs.
 *
 *   word      written by    read by   meaning
 *   RUN       shard         main      number of the run under way, counted from 1; 0 while there is none
 *   FLAGS     shard         main      bits of ScriptFlag
 *   STOP      main          shard     number of a run that is to be stopped
 *   PLACE     shard         main      position in the request ring after the frame that runs the script
 *   INSIDE    shard         main      1 while the shard runs the script and takes no frame
 *   HOLD      main          shard     1 while main looks at frames behind PLACE: the shard takes none
 *
 * A run is stopped by its number, so a request that comes too late stops no other.
 */

import type { LinkMemory } from './memory.ts';

const RUN = 0;
const FLAGS = 1;
const STOP = 2;
const PLACE = 3;
const INSIDE = 4;
const HOLD = 5;

/** Longest sleep of a shard that main holds, before it looks again. */
const HOLD_POLL_MS = 10;

/** Bytes that the words of one shard take in the link memory. */
export const SCRIPT_CONTROL_BYTES = 64;

/** Facts about a script that is being run. */
export const ScriptFlag = {
  /** It was called by FCALL. */
  isFunction: 1,
  /** It has started to write, and can no longer be stopped. */
  hasWritten: 2,
} as const;

export class ScriptControl {
  readonly #words: Int32Array;
  readonly #at: number;
  #runs = 0;
  #isRunning = false;
  #hasWritten = false;

  constructor(memory: LinkMemory, at: number) {
    this.#words = memory.words;
    this.#at = at >> 2;
  }

  /** A run begins in this shard, by a frame that ends at a position of its ring. */
  begin(isFunction: boolean, place: number): void {
    this.#runs = (this.#runs + 1) & 0x7fff_ffff || 1;
    this.#isRunning = true;
    this.#hasWritten = false;
    Atomics.store(this.#words, this.#at + FLAGS, isFunction ? ScriptFlag.isFunction : 0);
    Atomics.store(this.#words, this.#at + RUN, this.#runs);
    this.enter(place);
  }

  /** The shard takes no frames from now on. */
  enter(place: number): void {
    Atomics.store(this.#words, this.#at + PLACE, place | 0);
    Atomics.store(this.#words, this.#at + INSIDE, 1);
  }

  /** The shard is about to take frames again: waits until main does not hold it. False when it took frames before. */
  leave(): boolean {
    const wasInside = Atomics.exchange(this.#words, this.#at + INSIDE, 0) === 1;
    while (Atomics.load(this.#words, this.#at + HOLD) === 1) {
      Atomics.wait(this.#words, this.#at + HOLD, 1, HOLD_POLL_MS);
    }
    return wasInside;
  }

  /** Keeps the shard from taking frames until `release`; returns the position after its script, -1 where none keeps it. */
  hold(): number {
    Atomics.store(this.#words, this.#at + HOLD, 1);
    // The shard leaves before it looks at HOLD, so that one of both sees the other.
    if (Atomics.load(this.#words, this.#at + INSIDE) === 1) {
      return Atomics.load(this.#words, this.#at + PLACE) >>> 0;
    }
    this.release();
    return -1;
  }

  release(): void {
    Atomics.store(this.#words, this.#at + HOLD, 0);
    Atomics.notify(this.#words, this.#at + HOLD);
  }

  /** The current run starts to write; false if main has stopped it before. */
  write(): boolean {
    if (this.#hasWritten) return true;
    // Main sets STOP before it reads FLAGS, so that one of both sees the other.
    Atomics.or(this.#words, this.#at + FLAGS, ScriptFlag.hasWritten);
    if (this.mustStop) return false;
    this.#hasWritten = true;
    return true;
  }

  end(): void {
    this.#isRunning = false;
    this.leave();
    Atomics.store(this.#words, this.#at + RUN, 0);
  }

  /** True when main wants the run under way to be stopped; a library that loads behind a stopped run is none. */
  get mustStop(): boolean {
    if (!this.#isRunning || this.#hasWritten) return false;
    return Atomics.load(this.#words, this.#at + STOP) === this.#runs;
  }

  /** Number of the run under way; 0 while there is none. */
  get run(): number {
    return Atomics.load(this.#words, this.#at + RUN);
  }

  /** Bits of ScriptFlag of the run under way. */
  get flags(): number {
    return Atomics.load(this.#words, this.#at + FLAGS);
  }

  /** Requests the shard to stop a run, which checks periodically; false if the run has written. */
  stop(run: number): boolean {
    Atomics.store(this.#words, this.#at + STOP, run);
    return (this.flags & ScriptFlag.hasWritten) === 0;
  }
}
