/** A connection in its front thread: bytes from its socket to main, and from main to its socket. */

import {
  FRONT_BYTES_MAX,
  FRONT_WINDOW_BYTES,
  FrontKind,
  type FrontSlots,
  type FrontWriter,
} from '#link';
import type { Bytes } from '#base';
import type { Transport } from '../transport.ts';

/** Resources that all connections of a front thread share. */
export interface FrontResources {
  readonly writer: FrontWriter;
  readonly slots: FrontSlots;
  /** Called before frames are sent to main: they are sent in turns. */
  begin(): void;
  read(byteCount: number): void;
  wrote(byteCount: number): void;
  /** The socket is closed. */
  closed(connection: FrontConnection): void;
}

export class FrontConnection {
  readonly slot: number;
  readonly #transport: Transport;
  readonly #shared: FrontResources;
  /** Bytes handed to main, and taken by the kernel, wrapping at 2^32. */
  #handed = 0;
  #written = 0;
  #isPaused = false;
  /** Bytes of the write that the kernel has not finished; 0 without one. */
  #keptBytes = 0;
  /** Bytes that wait for it to be finished. */
  #queue: Bytes[] = [];
  /** Main has said its last word: what still comes is dropped. */
  #isLast = false;
  /** Milliseconds to linger once all is written; -1 while it need not end. */
  #lingerMs = -1;
  #isClosed = false;

  constructor(slot: number, transport: Transport, shared: FrontResources) {
    this.slot = slot;
    this.#transport = transport;
    this.#shared = shared;
    transport.sink.onWritten = (hasFailed) => {
      this.#wasWritten(hasFailed);
    };
    transport.begin({
      received: (source, at, byteCount) => {
        this.#received(source, at, byteCount);
      },
      ended: () => {
        if (!this.#isClosed) this.#report(FrontKind.ended);
        if (this.#isLast && this.#keptBytes === 0) transport.destroy();
      },
      closed: () => {
        this.#closed();
      },
      slow: () => undefined,
      caughtUp: () => undefined,
    });
  }

  /** Writes bytes of main's, which are copied. */
  write(source: Bytes, at: number, byteCount: number): void {
    if (this.#isClosed) return;
    const bytes = Buffer.allocUnsafe(byteCount);
    bytes.set(source.subarray(at, at + byteCount));
    if (this.#keptBytes > 0) this.#queue.push(bytes);
    else this.#hand([bytes], byteCount);
  }

  /** Main has processed the input: reading may resume. */
  readOn(): void {
    if (!this.#isPaused || this.#isClosed || this.#isBehind) return;
    this.#isPaused = false;
    this.#transport.resume();
  }

  setKeepAlive(seconds: number): void {
    if (!this.#isClosed) this.#transport.setKeepAlive(seconds);
  }

  /** Closes when all is written, and `lingerMs` later at the latest. */
  finish(lingerMs: number): void {
    this.#isLast = true;
    this.#lingerMs = lingerMs;
    if (!this.#isClosed && this.#keptBytes === 0) this.#transport.finish(lingerMs);
  }

  destroy(): void {
    this.#isLast = true;
    this.#queue = [];
    if (!this.#isClosed) this.#transport.destroy();
    this.#closed();
  }

  /** True while main has more unprocessed input of it than its window allows. */
  get #isBehind(): boolean {
    const underWay = (this.#handed - this.#shared.slots.takenIn(this.slot)) >>> 0;
    return underWay >= FRONT_WINDOW_BYTES;
  }

  #received(source: Bytes, from: number, byteCount: number): void {
    const { writer, slots } = this.#shared;
    this.#shared.begin();
    this.#shared.read(byteCount);
    if (this.#isLast || this.#isClosed) return;
    for (let at = from; at < from + byteCount; at += FRONT_BYTES_MAX) {
      const length = Math.min(FRONT_BYTES_MAX, from + byteCount - at);
      writer.sendBytes(FrontKind.data, this.slot, source, at, length);
    }
    this.#handed = (this.#handed + byteCount) | 0;
    if (!writer.isFull && !this.#isBehind) return;
    // Main is far behind, or has stopped reading this connection.
    slots.awaitIn(this.slot);
    if (!writer.isFull && !this.#isBehind) return;
    this.#isPaused = true;
    this.#transport.pause();
  }

  #hand(chunks: readonly Bytes[], byteCount: number): void {
    const outcome = this.#transport.sink.write(chunks, byteCount, false);
    if (outcome === 'failed') {
      this.#transport.destroy();
      this.#closed();
    } else if (outcome === 'kept') {
      this.#keptBytes = byteCount;
      this.#shared.begin();
      this.#report(FrontKind.slow);
    } else {
      this.#taken(byteCount);
    }
  }

  #wasWritten(hasFailed: boolean): void {
    const byteCount = this.#keptBytes;
    this.#keptBytes = 0;
    if (this.#isClosed) return;
    if (hasFailed) {
      this.#transport.destroy();
      this.#closed();
      return;
    }
    const queue = this.#queue;
    this.#queue = [];
    this.#taken(byteCount);
    const waitingBytes = queue.reduce((sum, each) => sum + each.length, 0);
    if (waitingBytes > 0) this.#hand(queue, waitingBytes);
    if (this.#keptBytes === 0) this.#caughtUp();
  }

  /** The kernel has taken all there was, some of it late. */
  #caughtUp(): void {
    if (this.#isClosed) return;
    this.#report(FrontKind.progress);
    if (this.#lingerMs >= 0) this.#transport.finish(this.#lingerMs);
  }

  /** The kernel has accepted bytes: reported to main if it waits for that. */
  #taken(byteCount: number): void {
    this.#written = (this.#written + byteCount) | 0;
    this.#shared.wrote(byteCount);
    if (this.#shared.slots.takeOut(this.slot, this.#written)) this.#report(FrontKind.progress);
  }

  #report(kind: number): void {
    this.#shared.begin();
    this.#shared.writer.send(kind, this.slot);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#report(FrontKind.closed);
    this.#shared.closed(this);
  }
}
