/**
 * A report in bytes that one thread replaces as a whole from time to time, and all read: never a mix of two.
 *
 * There are two copies. The writer fills the unused one and then counts VERSION up, whose lowest bit is the copy to read.
 * A reader whose copy was replaced meanwhile reads again.
 *
 *   word      written by   read by   meaning
 *   VERSION   writer       readers   number of reports so far
 *   LENGTH    writer       readers   bytes of each copy, two words
 */

import type { Bytes } from '#base';
import { allocateShared, type SharedMemory } from './memory.ts';

const VERSION = 0;
const LENGTH = 1;
const HEADER_BYTES = 64;
/** Attempts of a reader; the writer would have to replace the text twice during each. */
const READS_MAX = 8;

export class SharedReport {
  readonly #words: Int32Array;
  readonly #copies: readonly [Uint8Array, Uint8Array];

  constructor(memory: SharedMemory) {
    const bytesMax = (memory.byteLength - HEADER_BYTES) >> 1;
    this.#words = new Int32Array(memory, 0, HEADER_BYTES >> 2);
    this.#copies = [
      new Uint8Array(memory, HEADER_BYTES, bytesMax),
      new Uint8Array(memory, HEADER_BYTES + bytesMax, bytesMax),
    ];
  }

  /** Memory for reports of up to `bytesMax` bytes. */
  static allocate(bytesMax: number): SharedMemory {
    return allocateShared(HEADER_BYTES + 2 * bytesMax);
  }

  /** Replaces the report; returns false, and leaves the former one, if it is too long. */
  publish(bytes: Bytes): boolean {
    const next = (Atomics.load(this.#words, VERSION) + 1) | 0;
    const copy = this.#copies[next & 1]!;
    if (bytes.length > copy.length) return false;
    copy.set(bytes);
    Atomics.store(this.#words, LENGTH + (next & 1), bytes.length);
    Atomics.store(this.#words, VERSION, next);
    return true;
  }

  /** Number of reports so far: a reader that has seen it needs to read nothing. */
  get version(): number {
    return Atomics.load(this.#words, VERSION);
  }

  /** Returns a copy of the latest report; undefined before the first, and if it is replaced all the time. */
  read(): Bytes | undefined {
    for (let nth = 0; nth < READS_MAX; nth += 1) {
      const { version } = this;
      if (version === 0) return undefined;
      const length = Atomics.load(this.#words, LENGTH + (version & 1));
      const bytes = this.#copies[version & 1]!.slice(0, length);
      if (version === this.version) return bytes;
    }
    return undefined;
  }
}
