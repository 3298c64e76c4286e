/**
 * Memory into which a reply is written: lent by the sender, which lends more when it is full. A long reply may consist
 * of several pieces. Unfinished parts stay in one piece, since they may still be moved.
 */

import { type Bytes, unreachable } from '#base';

export class ReplyMemory {
  bytes: Bytes;
  /** Place of the next byte. */
  at: number;
  /** End of the lent memory. */
  limit: number;
  /** Finished pieces of the reply, in front of what is in `bytes`. */
  readonly chunks: Bytes[] = [];
  /** True while all that is written must stay in one piece. */
  isWhole = false;
  /** Number of open arrays, whose headers may still grow. */
  protected openArrays = 0;
  readonly #onFull: (memory: ReplyMemory, bytesNeeded: number) => void;
  /** Bytes by which a change of memory has shifted earlier output. */
  #shift = 0;

  /** `onFull` must lend more memory, with the bytes written so far kept. */
  constructor(
    bytes: Bytes,
    at: number,
    limit: number,
    onFull: (memory: ReplyMemory, bytesNeeded: number) => void,
  ) {
    this.bytes = bytes;
    this.at = at;
    this.limit = limit;
    this.#onFull = onFull;
  }

  /** Makes sure that `count` more bytes can be written at `at`. */
  ensure(count: number): void {
    if (this.at + count > this.limit) {
      const before = this.at;
      this.#onFull(this, count);
      this.#shift += this.at - before;
      if (this.at + count > this.limit) unreachable('the writer was lent enough memory');
    }
  }

  /** True when all that is written is finished, and what follows may go to other memory. */
  get mayCut(): boolean {
    return this.openArrays === 0 && !this.isWhole;
  }

  /** Ends the current piece; the reply continues in new private memory of `byteCount` bytes. */
  cut(byteCount: number): void {
    if (this.at > 0) this.chunks.push(this.bytes.subarray(0, this.at));
    this.bytes = Buffer.allocUnsafeSlow(byteCount);
    this.at = 0;
    this.limit = byteCount;
  }

  /** Discards output after a position: a number of pieces, and bytes of the next one. */
  goBackTo(chunkCount: number, at: number): void {
    this.openArrays = 0;
    const chunk = this.chunks[chunkCount];
    if (chunk !== undefined) {
      this.bytes = chunk;
      this.limit = chunk.length;
      this.chunks.length = chunkCount;
    }
    this.at = at;
  }

  /** A place in the reply, which stays true when the reply moves to other memory. */
  get position(): number {
    return this.at - this.#shift;
  }

  /** Returns the offset in `bytes` at which a `position` is now. */
  offsetOf(position: number): number {
    return position + this.#shift;
  }
}
