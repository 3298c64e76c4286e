/**
 * Limits the sockets of the listener: neither a thousand idle connections nor any number of slow readers or writers
 * block a probe. Idle connections and requests in progress have separate limits, so that slow readers do not displace
 * new requests. A probe does not count as a request: it is served at any load.
 */

import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { systemClock } from '#base';

/** Most requests under way, besides probes. */
export const REQUESTS_MAX = 64;
/** Most requests of one connection that are under way at a time. */
const PIPELINED_MAX = 4;
/** Most connections without a request, once they have had time to send one. */
export const IDLE_MAX = 64;
/** Time in which a connection may send its request before it makes room for others. */
const GRACE_MS = 1_000;
/** Most connections without a request in any case. */
export const NEWCOMERS_MAX = 512;
/** Age in milliseconds at which a request in progress makes room for another. */
const PATIENCE_MS = 1_000;

interface Entry {
  readonly socket: Pick<Socket, 'destroy'>;
  /** Requests under way that take a place. */
  requests: number;
  /** Monotonic milliseconds at which it came, or at which its request began or ended. */
  sinceMs: number;
}

export class Connections {
  /** Idle connections, in the order of their start or of the end of their last request. */
  readonly #idle = new Map<string, Entry>();
  /** Connections with requests in progress, in the order in which these started. */
  readonly #busy = new Map<string, Entry>();
  readonly #nowMs: () => number;
  #trimTimer: NodeJS.Timeout | undefined;
  /** Connections closed to make room. */
  refused = 0;

  constructor(
    server: Server | SecureServer,
    nowMs: () => number = () => systemClock.nowUs() / 1_000,
  ) {
    this.#nowMs = nowMs;
    server.on('connection', (socket: Socket) => {
      this.#opened(socket);
    });
  }

  get count(): number {
    return this.#idle.size + this.#busy.size;
  }

  /** Takes a place for a request, which `ended` gives back; returns undefined where there is none. */
  began(socket: Socket): { readonly ended: () => void } | undefined {
    const name = nameOf(socket);
    const entry = this.#busy.get(name) ?? this.#idle.get(name);
    if (entry === undefined) return { ended: () => undefined };
    if (entry.requests >= PIPELINED_MAX) return undefined;
    if (entry.requests === 0) {
      if (this.#busy.size >= REQUESTS_MAX && !this.#endLongest()) return undefined;
      this.#idle.delete(name);
      entry.sinceMs = this.#nowMs();
      this.#busy.set(name, entry);
    }
    entry.requests += 1;
    return {
      ended: () => {
        this.#ended(name, entry);
      },
    };
  }

  #opened(socket: Socket): void {
    const name = nameOf(socket);
    this.#idle.set(name, { socket, requests: 0, sinceMs: this.#nowMs() });
    socket.once('close', () => {
      this.#idle.delete(name);
      this.#busy.delete(name);
    });
    this.#trim();
  }

  #ended(name: string, entry: Entry): void {
    entry.requests -= 1;
    if (entry.requests > 0 || this.#busy.get(name) !== entry) return;
    this.#busy.delete(name);
    entry.sinceMs = this.#nowMs();
    this.#idle.set(name, entry);
    this.#trim();
  }

  /** Closes the connection whose request has been under way for longest; false when that is not long. */
  #endLongest(): boolean {
    const [longest] = this.#busy;
    if (longest === undefined || this.#nowMs() - longest[1].sinceMs < PATIENCE_MS) return false;
    this.#busy.delete(longest[0]);
    this.#refuse(longest[1]);
    return true;
  }

  /** Closes those who have asked nothing for longest. One that has just come may be a probe whose request is on its way. */
  #trim(): void {
    for (const [name, entry] of this.#idle) {
      if (this.#idle.size <= IDLE_MAX) return;
      const isNew = this.#nowMs() - entry.sinceMs < GRACE_MS;
      if (isNew && this.#idle.size <= NEWCOMERS_MAX) break;
      this.#idle.delete(name);
      this.#refuse(entry);
    }
    if (this.#idle.size <= IDLE_MAX) return;
    this.#trimTimer ??= setTimeout(() => {
      this.#trimTimer = undefined;
      this.#trim();
    }, GRACE_MS).unref();
  }

  #refuse({ socket }: Entry): void {
    this.refused += 1;
    socket.destroy();
  }
}

/** Name of a connection: with TLS requests come on another socket than the one that was accepted. */
function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}
