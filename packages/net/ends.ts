/** Addresses of a connection's two ends, as CLIENT LIST shows them. */

import type { TlsInfo } from './tls/tls-server.ts';

/** The two ends of a connection, as CLIENT LIST shows them. */
export interface Ends {
  remote: string;
  local: string;
  isUnix: boolean;
  /** Properties of TLS, where the connection is secured. */
  tls?: TlsInfo;
}

/** The address of a peer as CLIENT LIST shows it. */
export function addressText(host: string | undefined, port: number | undefined): string {
  const name = host ?? '?';
  return `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 0)}`;
}
