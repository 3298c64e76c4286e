/** Connections that this server makes to others. */

import { connect, Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { contextOptions, type TlsOptions } from '../tls/tls-options.ts';

/** Begins to connect; the socket tells by events what becomes of it. */
export function connectTo(host: string, port: number): Socket {
  return connect({ host, port, noDelay: true });
}

/**
 * The same over TLS. The certificate at the other end has to be of one of the authorities, whatever name it has: addresses
 * of primaries change, and Redis does so too. What is written waits for the end of the handshake.
 */
export function connectSecurelyTo(host: string, port: number, options: TlsOptions): Socket {
  const socket = connectSecure({
    ...contextOptions(options),
    host,
    port,
    rejectUnauthorized: true,
    checkServerIdentity: () => undefined,
  });
  return socket.setNoDelay(true);
}

/** Stands for a connection that cannot be begun; it tells so as any other that fails. */
export function failedConnection(error: Error): Socket {
  return new Socket().destroy(error);
}
