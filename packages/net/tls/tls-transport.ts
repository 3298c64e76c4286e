/** Secured socket of this thread under a connection; any other socket too, where speed does not matter. */

import type { Socket } from 'node:net';
import { descriptorOf } from '../raw-handle.ts';
import { endSocket, followSocket, receiverOf } from '../socket-life.ts';
import { SocketSink } from '../socket-sink.ts';
import type { Transport, TransportEvents } from '../transport.ts';

/** Milliseconds within which a peer has to accept the end of a connection that is closed after its last reply. */
const CLOSE_MS = 500;

export class TlsTransport implements Transport {
  readonly sink: SocketSink;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.sink = new SocketSink(socket, false);
  }

  begin(events: TransportEvents): void {
    const socket = this.#socket;
    const received = receiverOf(socket, events);
    socket.on('data', (bytes: Buffer) => {
      received(bytes, 0, bytes.length);
    });
    followSocket(socket, events);
  }

  get descriptor(): number {
    return descriptorOf(this.#socket);
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
    endSocket(socket, lingerMs || CLOSE_MS);
    if (lingerMs === 0) socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
