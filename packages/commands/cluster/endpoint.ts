/** Places that clients are sent to: the address of a node, its host name, or none. */

/** Kinds of places, as the setting names them. */
export type EndpointType = 'ip' | 'hostname' | 'unknown-endpoint';

/** Place of a node without its port: `?` for a host name that it has not got, empty where clients are to stay with the one they have used. */
export function endpointOf(
  type: EndpointType,
  { host, hostname }: { readonly host: string; readonly hostname: string },
): string {
  if (type === 'ip') return host;
  if (type === 'unknown-endpoint') return '';
  return hostname === '' ? '?' : hostname;
}
