/**
 * Frees memory that a thread has dropped: compares the memory owned by the thread, buffers and a grown heap, with the
 * memory known to be in use, and collects garbage when they differ by much. V8 does so only while the thread allocates:
 * the memory of 400,000 watched keys stayed until the next client came. V8's count of owned memory is wrong for buffers
 * that came by message (240 MB of dropped ones were not counted at all), so a thread that receives such buffers without
 * keeping them reports each.
 */

import { collectGarbage, letReusedGo, systemClock, threadHeap } from '#base';

const MIB = 1024 * 1024;
/**
 * Garbage in bytes below which no collection is started. Three threads (main and two shards) thus keep at most 60 MiB,
 * less than half of the resident memory of a server without data (about 155 MiB).
 */
const GARBAGE_BYTES_MIN = 20 * MIB;
/** Garbage below 1 / GARBAGE_PARTS of the memory in use starts no collection either: that memory is an estimate. */
const GARBAGE_PARTS = 8;
/** Delay in microseconds before a busy thread is stopped for a collection: it may become idle, or V8 may collect. */
const PATIENCE_US = 5_000_000;
/** Heap size of a thread in bytes up to which its garbage is left to V8. */
const HEAP_BYTES_AT_WORK = 24 * MIB;
/**
 * Pause after a collection, as a multiple of its duration, and at most a fixed time: memory must be freed within 20 s
 * even on a machine where a collection waits for its CPU.
 */
const REST_TIMES = 100;
const REST_US_MAX = 8_000_000;
/**
 * Minimum and maximum time after which a collection is tried again for memory that the last one did not free; the time
 * grows while nothing is freed.
 */
const AGAIN_US_MIN = 8_000_000;
const AGAIN_US_MAX = 600_000_000;

interface MemoryReturnOptions {
  /** Has all garbage of the thread collected. */
  readonly collect: () => void;
  /** Bytes that the thread owns, garbage or not. */
  readonly ownedBytes: () => number;
  readonly nowUs: () => number;
}

export class MemoryReturn {
  readonly #options: MemoryReturnOptions;
  /** Bytes that the last collection has left beside those known to be in use. */
  #left = 0;
  /** Bytes of buffers that came by message since the last collection. */
  #received = 0;
  #noticedUs = -1;
  #restUntilUs = 0;
  #againUs = 0;
  #againInUs = AGAIN_US_MIN;

  constructor(options: MemoryReturnOptions) {
    this.#options = options;
  }

  /** Records a buffer of `byteCount` bytes that came by message and will be dropped. */
  noteReceived(byteCount: number): void {
    this.#received += byteCount;
  }

  /** Has the rest that the last collection has left looked at again: it may have been freed since. */
  lookAgain(): void {
    this.#againUs = 0;
    this.#againInUs = AGAIN_US_MIN;
  }

  /** To be called about once a second, with the bytes known to be in use; answers whether it has collected. */
  look(usedBytes: number, isIdle: boolean): boolean {
    const { ownedBytes, nowUs } = this.#options;
    const unknown = Math.max(ownedBytes() - usedBytes, 0);
    this.#left = Math.min(this.#left, unknown);
    const now = nowUs();
    if (!this.#isWorthIt(unknown, usedBytes, now)) {
      this.#noticedUs = -1;
      return false;
    }
    if (this.#noticedUs < 0) this.#noticedUs = now;
    if (now < this.#restUntilUs || (!isIdle && now - this.#noticedUs < PATIENCE_US)) return false;
    this.#collect(usedBytes, unknown);
    return true;
  }

  /** Collects at once. */
  purge(): void {
    this.#options.collect();
    this.#left = 0;
    this.#received = 0;
    this.#noticedUs = -1;
  }

  #isWorthIt(unknown: number, usedBytes: number, nowUs: number): boolean {
    const least = GARBAGE_BYTES_MIN + usedBytes / GARBAGE_PARTS;
    if (unknown - this.#left > least || this.#received > least) return true;
    return unknown > least && nowUs >= this.#againUs;
  }

  #collect(usedBytes: number, before: number): void {
    const { collect, ownedBytes, nowUs } = this.#options;
    const startUs = nowUs();
    collect();
    this.#received = 0;
    const endUs = nowUs();
    this.#left = Math.max(ownedBytes() - usedBytes, 0);
    this.#noticedUs = -1;
    this.#restUntilUs = endUs + Math.min(REST_TIMES * (endUs - startUs), REST_US_MAX);
    const isWorth = before - this.#left > before / 4;
    this.#againInUs = isWorth ? AGAIN_US_MIN : Math.min(2 * this.#againInUs, AGAIN_US_MAX);
    this.#againUs = endUs + this.#againInUs;
  }
}

/** Creates the MemoryReturn of the calling thread; `letGo` drops what is kept for the next command. */
export function threadMemoryReturn(letGo?: () => void): MemoryReturn {
  return new MemoryReturn({
    collect() {
      letGo?.();
      letReusedGo();
      collectGarbage();
    },
    ownedBytes() {
      const { externalBytes, totalBytes } = threadHeap();
      return externalBytes + Math.max(totalBytes - HEAP_BYTES_AT_WORK, 0);
    },
    nowUs: () => systemClock.nowUs(),
  });
}
