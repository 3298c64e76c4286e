/**
 * What waits to be written to one socket: a block of shared memory that replies are copied into, and
 * behind it, when the client is slow or the replies are large, buffers of private memory.
 */

import type { Socket } from 'node:net';
import type { Bytes } from '#base';
import type { BlockPool } from './blocks.ts';
import { rawHandleOf, rawWriter, type RawHandle, type WriteRequest } from './raw-handle.ts';

/** Private buffers hold at least this much, so that small replies to a slow client share them. */
const BUFFER_BYTES = 16 * 1024;

export interface OutputEvents {
  failed(): void;
  /** A write that could not be done at once is through. */
  drained(): void;
  wrote(bytes: number): void;
}

export class Output {
  readonly #pool: BlockPool;
  readonly #socket: Socket;
  readonly #handle: RawHandle | undefined;
  readonly #events: OutputEvents;
  #request: WriteRequest | undefined;
  #block = -1;
  #used = 0;
  #buffers: Bytes[] = [];
  /** Bytes used of the last buffer. */
  #lastUsed = 0;
  #bufferedBytes = 0;
  /** A write is under way, and what it writes must stay. */
  #writing = false;
  #writingBlock = -1;
  #writingBytes = 0;
  #closed = false;
  bytesWritten = 0;

  constructor(socket: Socket, pool: BlockPool, events: OutputEvents) {
    this.#socket = socket;
    this.#pool = pool;
    this.#events = events;
    this.#handle = rawWriter === undefined ? undefined : rawHandleOf(socket);
  }

  /** Bytes that the kernel has not taken. */
  get pendingBytes(): number {
    const inFlight = this.#writing ? (this.#handle?.writeQueueSize ?? this.#writingBytes) : 0;
    return this.#used + this.#bufferedBytes + inFlight;
  }

  /** Bytes of them that it was not even offered. */
  get unsentBytes(): number {
    return this.#used + this.#bufferedBytes;
  }

  /** Appends a range of the shared memory. */
  append(at: number, length: number): void {
    const { memory } = this.#pool;
    if (this.#hasBlockRoom(length)) {
      memory.copy(this.#block + this.#used, at, length);
      this.#used += length;
    } else if (length > 0) {
      this.#buffer(memory.bytes, at, length);
    }
  }

  /** Appends a range of private memory. */
  appendBytes(source: Bytes, at: number, length: number): void {
    if (this.#hasBlockRoom(length)) {
      this.#pool.memory.bytes.set(source.subarray(at, at + length), this.#block + this.#used);
      this.#used += length;
    } else if (length > 0) {
      this.#buffer(source, at, length);
    }
  }

  /** Writes all that waits, unless an earlier write is still under way. */
  flush(): void {
    if (this.#writing || this.#closed) return;
    if (this.#bufferedBytes === 0) {
      if (this.#used > 0) this.#writeBlock();
      return;
    }
    this.#writeAll();
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
    const bytes = this.#pool.memory.bytes.subarray(block, block + used);
    if (this.#write([bytes], used)) this.#pool.give(block);
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

  /** Hands the chunks to the kernel; true when it took them all. */
  #write(chunks: readonly Bytes[], byteCount: number): boolean {
    const handle = this.#handle;
    if (handle === undefined || rawWriter === undefined) return this.#writeThroughStream(chunks);
    this.#request ??= rawWriter.request();
    const request = this.#request;
    const [first] = chunks;
    const status =
      chunks.length === 1 && first !== undefined
        ? handle.writeBuffer(request, first)
        : handle.writev(request, chunks, true);
    if (status !== 0) {
      this.#events.failed();
      return true;
    }
    if (!rawWriter.wasAsync()) return true;
    this.#writing = true;
    this.#writingBytes = byteCount;
    this.#request = undefined;
    // The kernel is given pointers: what they point at must live as long as the request does.
    request.chunks = chunks;
    request.oncomplete = (result) => {
      this.#complete(result !== 0);
    };
    return false;
  }

  #writeThroughStream(chunks: readonly Bytes[]): boolean {
    this.#writing = true;
    this.#socket.write(Buffer.concat(chunks), (error) => {
      this.#complete(error !== null && error !== undefined);
    });
    return true;
  }

  #complete(failed: boolean): void {
    this.#writing = false;
    this.#writingBytes = 0;
    if (this.#writingBlock >= 0) this.#pool.give(this.#writingBlock);
    this.#writingBlock = -1;
    if (this.#closed) return;
    if (failed) {
      this.#events.failed();
      return;
    }
    this.flush();
    if (this.pendingBytes === 0) this.#events.drained();
  }
}
