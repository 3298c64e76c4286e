/** A counter that all threads share: each number is given out once, in the order of asking. */

import type { LinkMemory } from './memory.ts';

export const COUNTER_BYTES = 8;

export class SharedCounter {
  readonly #cell: BigInt64Array;

  constructor({ memory }: LinkMemory, at: number) {
    this.#cell = new BigInt64Array(memory.buffer, at, 1);
  }

  /** A number that nobody else gets; the first is 0. */
  next(): number {
    return Number(Atomics.add(this.#cell, 0, 1n));
  }

  /** What `next` would give out now. */
  get upcoming(): number {
    return Number(Atomics.load(this.#cell, 0));
  }
}
