/** A server that tools connect to, as a client: its place and its TLS as plain data that can be sent to any thread. */

import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { contextOptions, type TlsOptions } from '../tls/tls-options.ts';

/** TLS of a client. */
interface ClientTls {
  readonly options: TlsOptions;
  /** Name that is demanded of the server, and by which it chooses its certificate (SNI); empty demands none. */
  readonly serverName: string;
  /** True to accept any certificate. */
  readonly isInsecure: boolean;
}

export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  /** Path of a unix socket, which is used in place of host and port; empty for none. */
  readonly unixSocket: string;
  readonly tls: ClientTls | undefined;
}

/** Text by which a place is known. */
export function placeText({ host, port, unixSocket }: ServerPlace): string {
  if (unixSocket !== '') return unixSocket;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Starts a connection; the socket reports the outcome by events. */
export function connectToPlace({ host, port, unixSocket, tls }: ServerPlace): Socket {
  if (unixSocket !== '') return connect({ path: unixSocket });
  if (tls === undefined) return connect({ host, port, noDelay: true });
  const { options, serverName, isInsecure } = tls;
  const socket = connectSecure({
    ...contextOptions(options),
    host,
    port,
    rejectUnauthorized: !isInsecure,
    ...(serverName === ''
      ? // As in redis-cli: the authority is checked, the name is not.
        { checkServerIdentity: () => undefined }
      : { servername: serverName }),
  });
  return socket.setNoDelay(true);
}
