/**
 * Output that waits to be written to one connection: a block of shared memory that replies are copied into, and
 * behind it, when the client is slow or no block is free, buffers of private memory.
 */

import { type Bytes, copyToShared } from '#base';
import type { BlockPool } from './blocks.ts';
import type { Sink, WriteOutcome } from './transport.ts';

/** Private buffers hold at least this much, so that small replies to a slow client share them. */
const BUFFER_BYTES = 16 * 1024;

/** Shorter bytes are copied into a block, though they are given away. */
const GIVEN_BYTES_MIN = 32 * 1024;

interface OutputEvents {
  /** Called before each write; if it returns false, the connection has failed. */
  readonly mayWrite?: (() => boolean) | undefined;
  failed(): void;
  /** A write that could not complete immediately has finished. */
  drained(): void;
  wrote(bytes: number): void;
}

export class Output {
  readonly #pool: BlockPool;
  readonly #sink: Sink;
  readonly #events: OutputEvents;
  #block = -1;
  #used = 0;
  #buffers: Bytes[] = [];
  /** Bytes used of the last buffer. */
  #lastUsed = 0;
  #bufferedBytes = 0;
  /** True during a write, whose memory must stay unchanged. */
  #writing = false;
  #writingBlock = -1;
  #closed = false;
  /**
   * The kernel has refused a write: reported by `flush`, since callers of append do not expect the connection to close.
   */
  #hasFailed = false;
  bytesWritten = 0;
  /** The flush to come is the last one: with its last byte the connection is closed. */
  isLast = false;

  constructor(sink: Sink, pool: BlockPool, events: OutputEvents) {
    this.#sink = sink;
    this.#pool = pool;
    this.#events = events;
    sink.onWritten = (hasFailed) => {
      this.#complete(hasFailed);
    };
  }

  /** Bytes that the kernel has not taken. */
  get pendingBytes(): number {
    return this.#used + this.#bufferedBytes + this.#sink.pendingBytes;
  }

  /** True while there is anything that the sink has not taken over. */
  get isHolding(): boolean {
    return this.#writing || this.#used > 0 || this.#bufferedBytes > 0;
  }

  /** Bytes of them that it was not even offered. */
  get unsentBytes(): number {
    return this.#used + this.#bufferedBytes;
  }

  /** Appends a range of the shared memory. */
  append(at: number, length: number): void {
    this.appendBytes(this.#pool.memory.bytes, at, length);
  }

  /** Appends a range of any memory. */
  appendBytes(source: Bytes, at: number, length: number): void {
    if (this.#hasBlockRoom(length)) {
      this.#take(source, at, length);
    } else if (length > 0) {
      this.#appendLong(source, at, length);
    }
  }

  /** Appends bytes whose memory is given away: long ones are not copied. */
  give(bytes: Bytes): void {
    if (bytes.length < GIVEN_BYTES_MIN) {
      this.appendBytes(bytes, 0, bytes.length);
      return;
    }
    if (this.#closed) return;
    this.#endLastBuffer();
    this.#buffers.push(bytes);
    this.#lastUsed = bytes.length;
    this.#bufferedBytes += bytes.length;
  }

  /** Writes all pending output, unless an earlier write has not finished. */
  flush(): void {
    if (this.#closed) return;
    if (!this.#writing) {
      if (this.#bufferedBytes > 0) this.#writeAll();
      else if (this.#used > 0) this.#writeBlock();
    }
    if (this.#hasFailed) this.#events.failed();
  }

  /** Gives everything back. */
  close(): void {
    this.#closed = true;
    if (this.#block >= 0) this.#pool.give(this.#block);
    this.#block = -1;
    this.#used = 0;
    this.#buffers = [];
    this.#bufferedBytes = 0;
    // A block under a write of the kernel's is given back when that ends.
  }

  #count(byteCount: number): void {
    this.bytesWritten += byteCount;
    this.#events.wrote(byteCount);
  }

  #hasBlockRoom(length: number): boolean {
    if (this.#bufferedBytes > 0 || this.#closed) return false;
    if (this.#block < 0) {
      this.#block = this.#pool.take();
      if (this.#block < 0) return false;
    }
    return this.#used + length <= this.#pool.blockBytes;
  }

  #take(source: Bytes, at: number, length: number): void {
    const { memory } = this.#pool;
    const target = this.#block + this.#used;
    copyToShared(memory, target, source, at, length);
    this.#used += length;
  }

  /** Appends what the block has no room for: full blocks are written at once, until the kernel does not take one. */
  #appendLong(source: Bytes, from: number, length: number): void {
    const end = from + length;
    let at = from;
    while (at < end && this.#hasBlockRoom(1)) {
      const part = Math.min(end - at, this.#pool.blockBytes - this.#used);
      this.#take(source, at, part);
      at += part;
      if (this.#used === this.#pool.blockBytes && !this.#writing) this.#writeBlock();
    }
    if (at < end) this.#buffer(source, at, end - at);
  }

  #buffer(source: Bytes, at: number, length: number): void {
    if (this.#closed) return;
    const last = this.#buffers.at(-1);
    if (last !== undefined && this.#lastUsed + length <= last.length) {
      last.set(source.subarray(at, at + length), this.#lastUsed);
      this.#lastUsed += length;
    } else {
      this.#endLastBuffer();
      const buffer = Buffer.allocUnsafeSlow(Math.max(length, BUFFER_BYTES));
      buffer.set(source.subarray(at, at + length));
      this.#buffers.push(buffer);
      this.#lastUsed = length;
    }
    this.#bufferedBytes += length;
  }

  #endLastBuffer(): void {
    const last = this.#buffers.pop();
    if (last !== undefined) this.#buffers.push(last.subarray(0, this.#lastUsed));
  }

  #writeBlock(): void {
    const block = this.#block;
    const used = this.#used;
    this.#block = -1;
    this.#used = 0;
    this.#count(used);
    if (this.#writeRange(block, used)) this.#pool.give(block);
    else this.#writingBlock = block;
  }

  #writeAll(): void {
    this.#endLastBuffer();
    const chunks = this.#buffers;
    const total = this.#used + this.#bufferedBytes;
    const block = this.#block;
    if (block >= 0) {
      chunks.unshift(this.#pool.memory.bytes.subarray(block, block + this.#used));
    }
    this.#block = -1;
    this.#used = 0;
    this.#buffers = [];
    this.#lastUsed = 0;
    this.#bufferedBytes = 0;
    this.#count(total);
    const done = this.#write(chunks, total);
    if (block < 0) return;
    if (done) this.#pool.give(block);
    else this.#writingBlock = block;
  }

  /** Writes a range of the shared memory; true when it is free again. */
  #writeRange(at: number, byteCount: number): boolean {
    if (!this.#mayWrite()) return true;
    const { bytes } = this.#pool.memory;
    return this.#isFree(this.#sink.writeRange(bytes, at, byteCount, this.isLast));
  }

  /** Writes the chunks; true when their memory is free again. */
  #write(chunks: readonly Bytes[], byteCount: number): boolean {
    if (!this.#mayWrite()) return true;
    return this.#isFree(this.#sink.write(chunks, byteCount, this.isLast));
  }

  #mayWrite(): boolean {
    if (this.#events.mayWrite?.() !== false) return true;
    this.#hasFailed = true;
    return false;
  }

  #isFree(outcome: WriteOutcome): boolean {
    this.#writing = outcome === 'kept';
    if (outcome === 'failed') this.#hasFailed = true;
    return outcome !== 'kept';
  }

  #complete(failed: boolean): void {
    this.#writing = false;
    if (this.#writingBlock >= 0) this.#pool.give(this.#writingBlock);
    this.#writingBlock = -1;
    if (this.#closed) return;
    if (failed) {
      this.#events.failed();
      return;
    }
    this.flush();
    if (!this.isHolding) this.#events.drained();
  }
}
