/** A flag that one thread raises and others look at. */

import { allocateShared, type SharedMemory } from './memory.ts';

export class SharedFlag {
  readonly #words: Int32Array;

  constructor(memory: SharedMemory) {
    this.#words = new Int32Array(memory);
  }

  static allocate(): SharedMemory {
    return allocateShared(Int32Array.BYTES_PER_ELEMENT);
  }

  raise(): void {
    Atomics.store(this.#words, 0, 1);
  }

  get isRaised(): boolean {
    return Atomics.load(this.#words, 0) !== 0;
  }
}
