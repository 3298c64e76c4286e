/** A connection's socket by its descriptor: read and written by system calls when the thread's epoll reports it. */

import { type Address, type Bytes, isResourceError, type SystemCalls } from '#base';
import { constants } from 'node:os';
import type { ReadBuffer } from '../socket-transport.ts';
import type { Sink, Transport, TransportEvents, WriteOutcome } from '../transport.ts';
import {
  EPOLL_ERROR,
  EPOLL_HANG_UP,
  EPOLL_IN,
  EPOLL_OUT,
  type EpollHandler,
  type EpollSet,
} from './epoll-set.ts';
import { setKeepAlive } from './socket-options.ts';

const { EAGAIN, EINTR } = constants.errno;
const NO_SIGNAL = 0x4000;
/** More will be written at once: the kernel keeps what fills no packet. */
const MORE_FOLLOWS = 0x8000;
const SHUT_WRITING = 1;
/** Buffers read of one socket in a turn, if each was full: then other sockets are read. */
const READS_MAX = 8;

/** Resources that all sockets of a thread share. */
export interface EpollShared {
  readonly calls: SystemCalls;
  readonly set: EpollSet;
  readonly read: ReadBuffer;
  readonly readAt: Address;
  /** Memory of most of the output, and its address. */
  readonly written: ArrayBufferLike;
  readonly writtenAt: Address;
}

export class EpollTransport implements Transport, Sink, EpollHandler {
  onWritten: (hasFailed: boolean) => void = () => undefined;
  /** -1 when it is closed. */
  descriptor: number;
  readonly #shared: EpollShared;
  #events: TransportEvents | undefined;
  /** Events that the kernel reports, but for errors. */
  #watched = 0;
  #isPaused = false;
  #hasEnded = false;
  /** Seconds of keep-alive that the socket has. */
  #keepAliveSecs: number;
  /** Chunks of the write that the kernel has not taken, from `#keptFrom` of the first on. */
  #kept: readonly Bytes[] = [];
  #keptNth = 0;
  #keptFrom = 0;
  #keptBytes = 0;
  #lingering: NodeJS.Timeout | undefined;

  /** With a descriptor that is the transport's from here on, of a socket that does not block. */
  constructor(descriptor: number, shared: EpollShared, keepAliveSecs = 0) {
    this.descriptor = descriptor;
    this.#shared = shared;
    this.#keepAliveSecs = keepAliveSecs;
  }

  get sink(): Sink {
    return this;
  }

  get pendingBytes(): number {
    return this.#keptBytes;
  }

  begin(events: TransportEvents): void {
    this.#events = events;
    this.#shared.set.add(this.descriptor, EPOLL_IN, this);
    this.#watched = EPOLL_IN;
  }

  setKeepAlive(seconds: number): void {
    if (seconds === this.#keepAliveSecs || this.descriptor < 0) return;
    this.#keepAliveSecs = seconds;
    setKeepAlive(this.#shared.calls, this.descriptor, seconds);
  }

  pause(): void {
    // What the kernel reports is changed when it reports input meanwhile: mostly the pause is over by then.
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#watch();
  }

  finish(lingerMs: number): void {
    if (this.descriptor < 0) return;
    this.#isPaused = false;
    if (lingerMs === 0 || this.#hasEnded) {
      this.destroy();
      return;
    }
    this.#shared.calls.shutdown(this.descriptor, SHUT_WRITING);
    this.#watch();
    this.#lingering = setTimeout(() => {
      this.destroy();
    }, lingerMs).unref();
  }

  destroy(): void {
    if (this.descriptor < 0) return;
    this.#close();
    this.#events?.closed();
  }

  write(chunks: readonly Bytes[], byteCount: number, isLast: boolean): WriteOutcome {
    if (this.descriptor < 0) return 'failed';
    this.#keep(chunks, 0, byteCount);
    const outcome = this.#send();
    if (outcome === 'kept') this.#watch();
    else this.#kept = [];
    // With its last byte: a pool of connections that has read the reply finds the end behind it.
    if (outcome === 'done' && isLast) this.#close();
    return outcome;
  }

  writeRange(source: Bytes, at: number, byteCount: number, isLast: boolean): WriteOutcome {
    const { calls, written, writtenAt } = this.#shared;
    if (source.buffer !== written || this.descriptor < 0) {
      return this.write([source.subarray(at, at + byteCount)], byteCount, isLast);
    }
    const from = writtenAt + source.byteOffset + at;
    const sent = calls.send(this.descriptor, from, byteCount, NO_SIGNAL);
    if (sent === byteCount) {
      if (isLast) this.#close();
      return 'done';
    }
    if (sent < 0 && !isForLater(calls.errno())) return 'failed';
    const taken = Math.max(0, sent);
    this.#keep([source.subarray(at, at + byteCount)], taken, byteCount - taken);
    this.#watch();
    return 'kept';
  }

  /** Records the output to write, starting at an offset of the first chunk. */
  #keep(chunks: readonly Bytes[], from: number, byteCount: number): void {
    this.#kept = chunks;
    this.#keptNth = 0;
    this.#keptFrom = from;
    this.#keptBytes = byteCount;
  }

  ready(events: number): void {
    // Where neither direction works any more, a read or a write says why.
    const isOver = (events & (EPOLL_ERROR | EPOLL_HANG_UP)) !== 0;
    if (this.#keptBytes > 0 && (isOver || (events & EPOLL_OUT) !== 0)) this.#writeOn();
    if (this.#isReading) {
      if (isOver || (events & EPOLL_IN) !== 0) this.#receive();
    } else {
      this.#watch();
    }
  }

  get #isReading(): boolean {
    return !this.#isPaused && !this.#hasEnded && this.descriptor >= 0;
  }

  /** Registers the awaited events with the kernel. */
  #watch(): void {
    if (this.descriptor < 0 || this.#events === undefined) return;
    const wanted = (this.#isReading ? EPOLL_IN : 0) | (this.#keptBytes > 0 ? EPOLL_OUT : 0);
    const before = this.#watched;
    this.#watched = wanted;
    this.#shared.set.change(this.descriptor, before, wanted);
  }

  #receive(): void {
    const { calls, read, readAt } = this.#shared;
    const room = read.bytes.length;
    for (let nth = 0; nth < READS_MAX && this.#isReading; nth += 1) {
      const byteCount = calls.recv(this.descriptor, readAt, room, 0);
      if (byteCount < 0) {
        if (!isForLater(calls.errno())) this.destroy();
        return;
      }
      if (byteCount === 0) {
        this.#hasEnded = true;
        this.#watch();
        this.#events?.ended();
        return;
      }
      this.#hand(byteCount);
      if (byteCount < room) return;
    }
  }

  /** Hands input on; a socket for whose input there is no memory is closed. */
  #hand(byteCount: number): void {
    const { read } = this.#shared;
    try {
      this.#events?.received(read.memory.bytes, read.at, byteCount);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      this.destroy();
    }
  }

  #close(): void {
    clearTimeout(this.#lingering);
    this.#shared.set.forget(this.descriptor);
    this.#shared.calls.close(this.descriptor);
    this.descriptor = -1;
    this.#kept = [];
    this.#keptBytes = 0;
  }

  #writeOn(): void {
    const outcome = this.#send();
    if (outcome === 'kept') return;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#watch();
    this.onWritten(outcome === 'failed');
  }

  /** Writes buffered output, as much as the kernel accepts. */
  #send(): WriteOutcome {
    while (this.#keptBytes > 0) {
      const chunk = this.#kept[this.#keptNth]!;
      const length = chunk.length - this.#keptFrom;
      const sent = length === 0 ? 0 : this.#sendPart(chunk, length);
      if (sent < 0) return isForLater(this.#shared.calls.errno()) ? 'kept' : 'failed';
      this.#keptBytes -= sent;
      this.#keptFrom += sent;
      if (sent < length) return 'kept';
      this.#keptNth += 1;
      this.#keptFrom = 0;
    }
    return 'done';
  }

  /** Sends the rest of a chunk. Returns the number of bytes that the kernel has accepted; -1 after an error. */
  #sendPart(chunk: Bytes, length: number): number {
    const flags = length < this.#keptBytes ? NO_SIGNAL | MORE_FOLLOWS : NO_SIGNAL;
    return this.#shared.calls.send(this.descriptor, this.#addressOf(chunk), length, flags);
  }

  /** Address of the rest of a chunk. */
  #addressOf(chunk: Bytes): Address {
    const { calls, written, writtenAt } = this.#shared;
    const at = chunk.buffer === written ? writtenAt + chunk.byteOffset : calls.addressOf(chunk);
    return at + this.#keptFrom;
  }
}

/** True where a call may be made again: the socket is not ready, or a signal came. */
function isForLater(errno: number): boolean {
  return errno === EAGAIN || errno === EINTR;
}
