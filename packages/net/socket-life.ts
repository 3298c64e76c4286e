/** Life of a socket of this thread under a connection, plain or TLS: its events, and its end. */

import type { Socket } from 'node:net';
import { isResourceError } from '#base';
import type { TransportEvents } from './transport.ts';

/** Reports a socket's end; an error ends both directions. */
export function followSocket(socket: Socket, events: TransportEvents): void {
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

/** Makes the function that hands input on; a socket for whose input there is no memory is closed. */
export function receiverOf(socket: Socket, events: TransportEvents): TransportEvents['received'] {
  return (source, at, byteCount) => {
    try {
      events.received(source, at, byteCount);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      socket.destroy();
      events.closed();
    }
  };
}

/** Ends the output of a socket, and closes it when the peer has closed too, or after `lingerMs`. */
export function endSocket(socket: Socket, lingerMs: number): void {
  socket.end();
  socket.unref();
  const timer = setTimeout(() => {
    socket.destroy();
  }, lingerMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
