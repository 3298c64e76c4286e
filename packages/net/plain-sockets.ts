/** Source of plain connections for a server: sockets of libuv, or of the kernel with epoll. */

import type { ListenOptions } from 'node:net';
import type { Ends } from './ends.ts';
import type { Transport } from './transport.ts';

/** Connection just accepted, of which one of these is called once. */
export interface Accepted {
  readonly ends: Ends;
  /** Returns what moves its bytes in this thread; undefined where the client has hung up. */
  transport(): Transport | undefined;
  /** Hands over its descriptor; -1 if unknown, in which case the connection is closed. */
  release(): number;
}

export interface PlainSockets {
  /**
   * Listens at a place, whose host is a numeric address. Rejects with an error that has the `code` of the system. What it
   * resolves with stops it.
   */
  listen(where: ListenOptions, accept: (accepted: Accepted) => void): Promise<() => void>;
}
