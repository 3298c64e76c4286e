/**
 * A table of doubles that one thread replaces as a whole from time to time, and all read: never a mix of two.
 *
 * There are two copies. The writer fills the unused one, then switches readers to it by CURRENT; a reader
 * would have to take as long as a whole period to be overtaken.
 *
 *   word      written by   read by   meaning
 *   CURRENT   writer       readers   0 before the first table, then the copy to read: 1 or 2
 */

import { allocateShared, type SharedMemory } from '../memory.ts';

const CURRENT = 0;
const HEADER_BYTES = 64;

export class DoubleBuffer {
  readonly #words: Int32Array;
  readonly #copies: readonly [Float64Array, Float64Array];

  /** `length` is that of the table, in doubles. */
  constructor(memory: SharedMemory, length: number) {
    this.#words = new Int32Array(memory, 0, 1);
    this.#copies = [
      new Float64Array(memory, HEADER_BYTES, length),
      new Float64Array(memory, HEADER_BYTES + 8 * length, length),
    ];
  }

  static allocate(length: number): SharedMemory {
    return allocateShared(HEADER_BYTES + 2 * 8 * length);
  }

  /** Shows readers a table of the length that was agreed on. */
  publish(table: Float64Array): void {
    const next = Atomics.load(this.#words, CURRENT) === 1 ? 2 : 1;
    this.#copies[next - 1]!.set(table);
    Atomics.store(this.#words, CURRENT, next);
  }

  /** The latest table; undefined before the first. */
  read(): Float64Array | undefined {
    const current = Atomics.load(this.#words, CURRENT);
    return current === 0 ? undefined : this.#copies[current - 1];
  }
}
