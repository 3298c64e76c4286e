/**
 * Bytes that several readers read at their own pace, by offsets: the stream of replication with its backlog, and a full
 * synchronisation on its way. They are kept as far back as somebody still reads, and no less than is asked for.
 */

import { assert, type Bytes } from '#base';

/** Short bytes are put together into chunks of this. */
const CHUNK_BYTES = 64 * 1024;
/** Size in bytes from which pieces are kept without copying. */
const KEPT_BYTES_MIN = 16 * 1024;
/** Number of dropped chunks at which they are removed from the list. */
const GONE_CHUNKS_MAX = 256;

/** Bytes that begin at an offset. */
interface Chunk {
  readonly from: number;
  bytes: Bytes;
}

export class Stream {
  /** Offset of the first byte that is kept. */
  #begin: number;
  #end: number;
  #chunks: Chunk[] = [];
  /** Number of dropped chunks at the start of the list. */
  #gone = 0;
  /** The last chunk, while it has room. */
  #tail: Bytes = new Uint8Array(0);
  #tailUsed = 0;
  /** Bytes that were ever written. */
  written = 0;

  constructor(offset = 0) {
    this.#begin = offset;
    this.#end = offset;
  }

  /** Offset behind the last byte. */
  get end(): number {
    return this.#end;
  }

  get begin(): number {
    return this.#begin;
  }

  get byteCount(): number {
    return this.#end - this.#begin;
  }

  /** Adds bytes; long ones are kept as they are, and must not change. */
  write(bytes: Bytes): void {
    const { length } = bytes;
    if (length === 0) return;
    if (length >= KEPT_BYTES_MIN) {
      this.#tail = new Uint8Array(0);
      this.#tailUsed = 0;
      this.#chunks.push({ from: this.#end, bytes });
    } else {
      this.#copy(bytes);
    }
    this.#end += length;
    this.written += length;
  }

  #copy(bytes: Bytes): void {
    const { length } = bytes;
    const last = this.#chunks.at(-1);
    if (this.#tailUsed + length <= this.#tail.length && last !== undefined) {
      this.#tail.set(bytes, this.#tailUsed);
      const from = last.bytes.byteOffset - this.#tail.byteOffset;
      this.#tailUsed += length;
      last.bytes = this.#tail.subarray(from, this.#tailUsed);
      return;
    }
    this.#tail = new Uint8Array(CHUNK_BYTES);
    this.#tail.set(bytes);
    this.#tailUsed = length;
    this.#chunks.push({ from: this.#end, bytes: this.#tail.subarray(0, length) });
  }

  /** The bytes from an offset on, as far as they lie in one piece: none at the end. */
  from(offset: number): Bytes {
    assert(offset >= this.#begin && offset <= this.#end, 'the offset is in the stream');
    if (offset === this.#end) return new Uint8Array(0);
    const { from, bytes } = this.#chunks[this.#indexOf(offset)]!;
    return bytes.subarray(offset - from);
  }

  /** A copy of the bytes between two offsets. */
  between(from: number, to: number): Bytes {
    const copy = new Uint8Array(to - from);
    for (let at = from; at < to;) {
      const piece = this.from(at).subarray(0, to - at);
      copy.set(piece, at - from);
      at += piece.length;
    }
    return copy;
  }

  #indexOf(offset: number): number {
    let low = this.#gone;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#chunks[middle]!.from <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Drops the bytes before an offset, in complete chunks: the kept part starts at the offset or before it. */
  trim(offset: number): void {
    const wanted = Math.min(offset, this.#end);
    while (this.#gone < this.#chunks.length) {
      const { from, bytes } = this.#chunks[this.#gone]!;
      if (from + bytes.length > wanted) break;
      this.#chunks[this.#gone] = { from, bytes: new Uint8Array(0) };
      this.#gone += 1;
    }
    if (wanted > this.#begin) this.#begin = wanted;
    if (this.#gone < GONE_CHUNKS_MAX && this.#gone < this.#chunks.length) return;
    this.#chunks.splice(0, this.#gone);
    this.#gone = 0;
    if (this.#chunks.length > 0) return;
    this.#tail = new Uint8Array(0);
    this.#tailUsed = 0;
  }

  /** Drops everything, and continues at an offset. */
  reset(offset: number): void {
    this.#chunks = [];
    this.#gone = 0;
    this.#tail = new Uint8Array(0);
    this.#tailUsed = 0;
    this.#begin = offset;
    this.#end = offset;
  }
}
