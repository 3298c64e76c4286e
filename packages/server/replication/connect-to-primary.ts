/** The connection of a replica to its primary, plain or over TLS. */

import { Socket } from 'node:net';
import type { Settings } from '#config';
import { connectSecurelyTo, connectTo, type TlsOptions } from '#net';
import { readOutgoingTls, valuesOf } from '../clients/tls-files.ts';

/** Begins to connect. Certificates are read for each connection, so that they can be replaced at any time. */
export function connectToPrimary(settings: Settings, host: string, port: number): Socket {
  let tls: TlsOptions | undefined;
  try {
    tls = readOutgoingTls(valuesOf(settings));
  } catch (error) {
    // Told as any other failure of the connection.
    return new Socket().destroy(error as Error);
  }
  return tls === undefined ? connectTo(host, port) : connectSecurelyTo(host, port, tls);
}
