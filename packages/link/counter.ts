/**
 * A counter that all threads share: each number is given out once, in the order of calls.
 *
 * It counts in 32 bits, which a CPU increments atomically, and separately counts the halves of their range that
 * were started. The top bit of LOW shows whether HALVES was read a moment too early or too late.
 *
 *   word     written by    read by   meaning
 *   LOW      all threads   all       next number, wrapping at 2^32
 *   HALVES   taker of the first number of a half   all   halves started, not counting the first one
 */

import type { LinkMemory } from './memory.ts';

export const COUNTER_BYTES = 8;

const HALF = 2 ** 31;

export class SharedCounter {
  readonly #words: Int32Array;
  readonly #low: number;
  readonly #halves: number;

  constructor({ words }: LinkMemory, at: number) {
    this.#words = words;
    this.#low = at >> 2;
    this.#halves = this.#low + 1;
  }

  /** Takes the next number, which is unique; the first is 0. */
  next(): number {
    return this.take(1);
  }

  /** Takes `count` consecutive numbers, which are unique; returns the first. */
  take(count: number): number {
    const low = Atomics.add(this.#words, this.#low, count);
    const rest = low & 0x7fff_ffff;
    if (rest === 0 ? this.#beginsHalf(low) : rest + count > HALF) {
      Atomics.add(this.#words, this.#halves, 1);
    }
    return this.#whole(low);
  }

  /** Number that is given out next. */
  get upcoming(): number {
    return this.#whole(Atomics.load(this.#words, this.#low));
  }

  /** The very first number begins no further half. */
  #beginsHalf(low: number): boolean {
    return low !== 0 || Atomics.load(this.#words, this.#halves) !== 0;
  }

  #whole(low: number): number {
    const rest = low & 0x7fff_ffff;
    let halves = Atomics.load(this.#words, this.#halves);
    // The taker of the first number of a half records it a moment later, and another half may start after this number
    // was taken.
    if ((halves & 1) !== low >>> 31) halves += rest < HALF / 2 ? 1 : -1;
    return halves * HALF + rest;
  }
}
