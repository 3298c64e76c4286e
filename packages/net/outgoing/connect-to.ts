/** Connections that this server makes to others. */

import { connect, Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { contextOptions, type TlsOptions } from '../tls/tls-options.ts';

/** Starts a connection; the socket reports the outcome by events. */
export function connectTo(host: string, port: number): Socket {
  return connect({ host, port, noDelay: true });
}

/**
 * Starts a connection over TLS. The peer's certificate must be signed by one of the authorities, but may have any name:
 * addresses of primaries change, and Redis does not check it either. Output waits for the end of the handshake.
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

/** Returns a socket for a connection that cannot be started; it reports the error like any other failed one. */
export function failedConnection(error: Error): Socket {
  return new Socket().destroy(error);
}
