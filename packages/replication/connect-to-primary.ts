/** The connection of a replica to its primary, plain or over TLS. */

import type { Settings } from '#config';
import { connectSecurelyTo, connectTo, failedConnection, type TlsOptions } from '#net';
import { readOutgoingTls, valuesOf } from '#clients';

/** Begins to connect. Certificates are read for each connection, so that they can be replaced at any time. */
export function connectToPrimary(
  settings: Settings,
  host: string,
  port: number,
): ReturnType<typeof connectTo> {
  let tls: TlsOptions | undefined;
  try {
    tls = readOutgoingTls(valuesOf(settings));
  } catch (error) {
    return failedConnection(error as Error);
  }
  return tls === undefined ? connectTo(host, port) : connectSecurelyTo(host, port, tls);
}
