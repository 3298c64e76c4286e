/** Addresses of a connection's two ends, as CLIENT LIST shows them. */

/** The two ends of a connection, as CLIENT LIST shows them. */
export interface Ends {
  remote: string;
  local: string;
  isUnix: boolean;
}

/** The address of a peer as CLIENT LIST shows it. */
export function addressText(host: string | undefined, port: number | undefined): string {
  const name = host ?? '?';
  return `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 0)}`;
}
