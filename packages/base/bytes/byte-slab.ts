/**
 * Memory for short pieces of bytes that are dropped soon: many lie in one block, since each block is an object of V8's
 * collector, which stops its thread the longer the more there are.
 */

import type { Bytes } from './byte-array.ts';
import { copyBytes } from './bytes.ts';

const BLOCK_BYTES = 256 * 1024;
/** Longer pieces get their own memory: keeping one would keep its whole block. */
const PIECE_BYTES_MAX = 16 * 1024 - 1;
/** Pieces begin at a multiple of this: numbers may be read from them. */
const ALIGNMENT = 8;

/** Memory of many pieces, as bytes and as words. */
interface Block {
  readonly bytes: Bytes;
  readonly words: Int32Array;
}

export class ByteSlab {
  #block = blockOf(0);
  #used = 0;

  /** The block that the last piece is in. */
  get block(): Block {
    return this.#block;
  }

  /** Copies bytes; the copy is the taker's. */
  copy(bytes: Bytes, at: number, length: number): Bytes {
    const to = this.place(bytes, at, length);
    return to < 0 ? bytes.slice(at, at + length) : this.#block.bytes.subarray(to, to + length);
  }

  /** Copies bytes into `block`, and returns where they begin; -1 for those that need their own memory. */
  place(bytes: Bytes, at: number, length: number): number {
    if (length > PIECE_BYTES_MAX) return -1;
    if (this.#used + length > this.#block.bytes.length) {
      this.#block = blockOf(BLOCK_BYTES);
      this.#used = 0;
    }
    const to = this.#used;
    copyBytes(bytes, at, this.#block.bytes, to, length);
    this.#used += Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    return to;
  }
}

function blockOf(byteCount: number): Block {
  const bytes = new Uint8Array(byteCount);
  return { bytes, words: new Int32Array(bytes.buffer) };
}
