/** Connections that this server makes to others. */

import { connect, type Socket } from 'node:net';

/** Begins to connect; the socket tells by events what becomes of it. */
export function connectTo(host: string, port: number): Socket {
  return connect({ host, port, noDelay: true });
}
