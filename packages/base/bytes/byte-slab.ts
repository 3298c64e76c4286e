/**
 * Memory for short pieces of bytes that are dropped soon: many lie in one block, since each block is an object of V8's
 * collector, which stops its thread the longer the more there are.
 */

import type { Bytes } from './byte-array.ts';

const BLOCK_BYTES = 256 * 1024;
/** Longer ones have memory of their own: who keeps one would keep its whole block. */
const PIECE_BYTES_MAX = 16 * 1024 - 1;
/** Pieces begin at a multiple of this: numbers may be read from them. */
const ALIGNMENT = 8;

export class ByteSlab {
  #block: Bytes = new Uint8Array(0);
  #used = 0;

  /** Copies bytes; the copy is the taker's. */
  copy(bytes: Bytes, at: number, length: number): Bytes {
    if (length > PIECE_BYTES_MAX) return bytes.slice(at, at + length);
    if (this.#used + length > this.#block.length) {
      this.#block = new Uint8Array(BLOCK_BYTES);
      this.#used = 0;
    }
    const copy = this.#block.subarray(this.#used, this.#used + length);
    copy.set(bytes.subarray(at, at + length));
    this.#used += Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    return copy;
  }
}
