/** Socket of this thread under a connection. All of them share one read buffer. */

import { Socket } from 'node:net';
import type { Bytes, MovableMemory } from '#base';
import { descriptorOf, rawHandleOf } from './raw-handle.ts';
import { endSocket, followSocket, receiverOf } from './socket-life.ts';
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
  #received: TransportEvents['received'] | undefined;
  #isPaused = false;

  /** With a handle of Node, or a file descriptor that is the transport's from here on. */
  constructor(source: { readonly handle: object } | { readonly fd: number }, read: ReadBuffer) {
    const options = {
      ...source,
      allowHalfOpen: true,
      onread: {
        buffer: read.bytes,
        callback: (byteCount: number): boolean => {
          this.#received?.(read.memory.bytes, read.at, byteCount);
          return !this.#isPaused;
        },
      },
    };
    // A handle or descriptor together with `onread` is Node's own way, but in no type.
    this.#socket = new Socket(options);
    this.sink = new SocketSink(this.#socket);
  }

  begin(events: TransportEvents): void {
    this.#received = receiverOf(this.#socket, events);
    followSocket(this.#socket, events);
  }

  get descriptor(): number {
    return descriptorOf(this.#socket);
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
    endSocket(socket, lingerMs);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
