/**
 * Interface between a connection and its bytes. Who moves them, a socket of this thread or another thread, shows nowhere
 * else.
 */

import type { Bytes } from '#base';

/**
 * Outcome of a write: `done` = its memory is free again; `kept` = its memory must stay unchanged until the end of the
 * write is reported; `failed` = the peer cannot be written to.
 */
export type WriteOutcome = 'done' | 'kept' | 'failed';

/** Destination of a connection's replies. */
export interface Sink {
  /** Bytes given to it that the kernel has not taken. */
  readonly pendingBytes: number;
  /** Called at the end of each write that was kept. */
  onWritten: (hasFailed: boolean) => void;
  /**
   * Writes chunks of `byteCount` bytes in all; not while an earlier write is kept. Where it `isLast` and is done, the
   * socket is closed with its last byte, if it can be.
   */
  write(chunks: readonly Bytes[], byteCount: number, isLast: boolean): WriteOutcome;
  /** Writes a range of memory, as `write` does with one chunk: the way of most replies, which makes no object. */
  writeRange(source: Bytes, at: number, byteCount: number, isLast: boolean): WriteOutcome;
}

/** Events of a transport. */
export interface TransportEvents {
  /** Bytes of the peer, which are looked at or copied before this returns. */
  received(source: Bytes, at: number, byteCount: number): void;
  /** The peer will send no more. */
  ended(): void;
  /** Neither direction works any more: the peer has broken the connection off, or the transport was closed. */
  closed(): void;
  /** The kernel does not take all that another thread was given to write. */
  slow(): void;
  /** The kernel has taken all of it. */
  caughtUp(): void;
}

export interface Transport {
  readonly sink: Sink;
  /** File descriptor of the socket; -1 if unknown. */
  readonly descriptor: number;
  /** Sets the listeners of events; no event occurs before. */
  begin(events: TransportEvents): void;
  setKeepAlive(seconds: number): void;
  /** Reads no more for now. */
  pause(): void;
  /** Reads on. */
  resume(): void;
  /**
   * Ends the output, and drops further input until the peer closes, or for `lingerMs`; 0 does not wait for the peer.
   */
  finish(lingerMs: number): void;
  /** Closes immediately; unwritten output is lost. */
  destroy(): void;
}
