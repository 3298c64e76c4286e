/** Socket of this thread under a connection. All of them share one read buffer. */

import { Socket } from 'node:net';
import { isResourceError, type Bytes, type MovableMemory } from '#base';
import { rawHandleOf } from './raw-handle.ts';
import { SocketSink } from './socket-sink.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** The read buffer of all sockets, as a part of larger memory. */
export interface ReadBuffer {
  readonly memory: Pick<MovableMemory, 'bytes'>;
  readonly bytes: Bytes;
  /** Offset of `bytes` in the memory. */
  readonly at: number;
}

export class SocketTransport implements Transport {
  readonly sink: SocketSink;
  readonly #socket: Socket;
  #events: TransportEvents | undefined;
  #isPaused = false;

  /** With a handle of Node, or a file descriptor that is the transport's from here on. */
  constructor(source: { readonly handle: object } | { readonly fd: number }, read: ReadBuffer) {
    const options = {
      ...source,
      allowHalfOpen: true,
      onread: {
        buffer: read.bytes,
        callback: (byteCount: number): boolean => {
          this.#received(read, byteCount);
          return !this.#isPaused;
        },
      },
    };
    // A handle or descriptor together with `onread` is Node's own way, but in no type.
    this.#socket = new Socket(options);
    this.sink = new SocketSink(this.#socket);
  }

  begin(events: TransportEvents): void {
    this.#events = events;
    this.#socket.on('end', () => {
      events.ended();
    });
    this.#socket.on('error', () => {
      this.#socket.destroy();
      events.closed();
    });
    this.#socket.on('close', () => {
      events.closed();
    });
  }

  get descriptor(): number {
    return rawHandleOf(this.#socket)?.fd ?? -1;
  }

  setKeepAlive(seconds: number): void {
    this.#socket.setKeepAlive(seconds > 0, seconds * 1_000);
  }

  pause(): void {
    this.#isPaused = true;
    rawHandleOf(this.#socket)?.readStop();
  }

  resume(): void {
    this.#isPaused = false;
    rawHandleOf(this.#socket)?.readStart();
  }

  finish(lingerMs: number): void {
    const socket = this.#socket;
    if (lingerMs === 0) {
      socket.destroy();
      return;
    }
    if (this.#isPaused) this.resume();
    socket.end();
    socket.unref();
    const timer = setTimeout(() => {
      socket.destroy();
    }, lingerMs);
    socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #received({ memory, at }: ReadBuffer, byteCount: number): void {
    try {
      this.#events?.received(memory.bytes, at, byteCount);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      // There is no memory for its input.
      this.#socket.destroy();
      this.#events?.closed();
    }
  }
}
