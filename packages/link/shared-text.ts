/**
 * A text that one thread replaces as a whole from time to time, and all read: never a mix of two.
 *
 * There are two copies. The writer fills the unused one and then counts VERSION up, whose lowest bit is the copy to read.
 * A reader whose copy was replaced meanwhile reads again.
 *
 *   word      written by   read by   meaning
 *   VERSION   writer       readers   number of texts so far
 *   LENGTH    writer       readers   bytes of each copy, two words
 */

import { allocateShared, type SharedMemory } from './memory.ts';

const VERSION = 0;
const LENGTH = 1;
const HEADER_BYTES = 64;
/** Attempts of a reader; the writer would have to replace the text twice during each. */
const READS_MAX = 8;

export class SharedText {
  readonly #words: Int32Array;
  readonly #copies: readonly [Uint8Array, Uint8Array];
  #seen = 0;
  #text: string | undefined;

  constructor(memory: SharedMemory) {
    const bytesMax = (memory.byteLength - HEADER_BYTES) >> 1;
    this.#words = new Int32Array(memory, 0, HEADER_BYTES >> 2);
    this.#copies = [
      new Uint8Array(memory, HEADER_BYTES, bytesMax),
      new Uint8Array(memory, HEADER_BYTES + bytesMax, bytesMax),
    ];
  }

  /** Memory for texts of up to `bytesMax` bytes of UTF-8. */
  static allocate(bytesMax: number): SharedMemory {
    return allocateShared(HEADER_BYTES + 2 * bytesMax);
  }

  /** Replaces the text; returns false, and leaves the former one, if it is too long. */
  publish(text: string): boolean {
    const bytes = Buffer.from(text);
    const next = (Atomics.load(this.#words, VERSION) + 1) | 0;
    const copy = this.#copies[next & 1]!;
    if (bytes.length > copy.length) return false;
    copy.set(bytes);
    Atomics.store(this.#words, LENGTH + (next & 1), bytes.length);
    Atomics.store(this.#words, VERSION, next);
    return true;
  }

  /** Number of texts so far: a reader that has seen it needs to read nothing. */
  get version(): number {
    return Atomics.load(this.#words, VERSION);
  }

  /** Returns the latest text; undefined before the first. */
  read(): string | undefined {
    for (let nth = 0; nth < READS_MAX && this.#seen !== this.version; nth += 1) {
      const { version } = this;
      const length = Atomics.load(this.#words, LENGTH + (version & 1));
      const text = Buffer.from(this.#copies[version & 1]!.subarray(0, length)).toString();
      if (version !== this.version) continue;
      this.#seen = version;
      this.#text = text;
    }
    return this.#text;
  }
}
