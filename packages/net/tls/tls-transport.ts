/** Secured socket of this thread under a connection. */

import type { TLSSocket } from 'node:tls';
import { isResourceError } from '#base';
import { rawHandleOf } from '../raw-handle.ts';
import { SocketSink } from '../socket-sink.ts';
import type { Transport, TransportEvents } from '../transport.ts';

/** Milliseconds within which a peer has to take the end of a connection that is closed behind its last reply. */
const CLOSE_MS = 500;

export class TlsTransport implements Transport {
  readonly sink: SocketSink;
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.sink = new SocketSink(socket, false);
  }

  begin(events: TransportEvents): void {
    const socket = this.#socket;
    socket.on('data', (bytes: Buffer) => {
      try {
        events.received(bytes, 0, bytes.length);
      } catch (error) {
        if (!isResourceError(error)) throw error;
        // There is no memory for its input.
        socket.destroy();
        events.closed();
      }
    });
    socket.on('end', () => {
      events.ended();
    });
    socket.on('error', () => {
      socket.destroy();
      events.closed();
    });
    socket.on('close', () => {
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
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  finish(lingerMs: number): void {
    const socket = this.#socket;
    socket.resume();
    socket.end();
    socket.unref();
    if (lingerMs === 0) socket.destroySoon();
    const timer = setTimeout(() => {
      socket.destroy();
    }, lingerMs || CLOSE_MS);
    socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
