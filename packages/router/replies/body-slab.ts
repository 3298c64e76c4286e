/**
 * Memory for short bodies that are read soon: many lie in one block, since each block is an object of V8's collector, which
 * stops main the more often the more there are.
 */

import type { Bytes } from '#base';

const BLOCK_BYTES = 256 * 1024;
/** Longer bodies, which may be kept, have memory of their own: one of them would keep a whole block. */
const BODY_BYTES_MAX = 16 * 1024 - 1;

export class BodySlab {
  #block: Bytes = new Uint8Array(0);
  #used = 0;

  /** Copies bytes; the copy is the taker's. */
  copy(bytes: Bytes, at: number, length: number): Bytes {
    if (length > BODY_BYTES_MAX) return bytes.slice(at, at + length);
    if (this.#used + length > this.#block.length) {
      this.#block = new Uint8Array(BLOCK_BYTES);
      this.#used = 0;
    }
    const copy = this.#block.subarray(this.#used, this.#used + length);
    copy.set(bytes.subarray(at, at + length));
    this.#used += length;
    return copy;
  }
}
