/**
 * The sockets of the listener, of which there are few. When they are all taken, the one that has been without
 * a request for longest makes room, or else the one that has been at its request for longest: neither a thousand
 * connections that never ask anything keep a probe out, nor any number that send or read for ever.
 */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const CONNECTIONS_MAX = 64;
/**
 * Most idle connections that are spared when room is made: some may just have come to ask, so connections with requests
 * under way are closed first.
 */
const NEWCOMERS = 8;

export class Connections {
  /** In the order in which they have come, or have ended their last request. */
  readonly #idle = new Set<Socket>();
  /** Requests under way by connection, in the order in which they have begun. */
  readonly #busy = new Map<Socket, number>();
  /** Connections closed to make room. */
  refused = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#opened(socket);
    });
    server.on('request', (request, response) => {
      const { socket } = request;
      this.#began(socket);
      response.once('close', () => {
        this.#ended(socket);
      });
    });
  }

  get count(): number {
    return this.#idle.size + this.#busy.size;
  }

  #opened(socket: Socket): void {
    if (this.count >= CONNECTIONS_MAX) {
      this.refused += 1;
      const hasIdle = this.#idle.size > NEWCOMERS;
      const [longest = socket] = hasIdle ? this.#idle : [...this.#busy.keys(), ...this.#idle];
      this.#idle.delete(longest);
      this.#busy.delete(longest);
      longest.destroy();
    }
    this.#idle.add(socket);
    socket.once('close', () => {
      this.#idle.delete(socket);
      this.#busy.delete(socket);
    });
  }

  #began(socket: Socket): void {
    this.#idle.delete(socket);
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
  }

  #ended(socket: Socket): void {
    if (!this.#busy.has(socket)) return;
    const left = (this.#busy.get(socket) ?? 1) - 1;
    if (left > 0) {
      this.#busy.set(socket, left);
      return;
    }
    this.#busy.delete(socket);
    if (!socket.destroyed) this.#idle.add(socket);
  }
}
