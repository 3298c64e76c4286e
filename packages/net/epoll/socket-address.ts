/** Addresses of sockets as Linux has them in memory (`struct sockaddr`). Sources: ip(7), ipv6(7), unix(7). */

import { networkInterfaces } from 'node:os';
import type { Bytes, SystemCalls } from '#base';
import { addressText } from '../ends.ts';

export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;

/** Memory for an address of any kind. */
export const ADDRESS_BYTES = 128;
const INET_BYTES = 16;
const INET6_BYTES = 28;
const HOST_AT_INET = 4;
const HOST_AT_INET6 = 8;
const SCOPE_AT = 24;
/** Longest path of a unix socket, with the byte of 0 that ends it. */
const PATH_BYTES_MAX = 108;
/** Bytes that the text of an address of IPv6 takes at most. */
const TEXT_BYTES = 46;

/** An address, and how much of its memory it takes. */
export interface SocketAddress {
  readonly bytes: Bytes;
  readonly byteCount: number;
}

/** Address of a numeric host, which may have a zone (`fe80::1%eth0`), and a port. Throws for other hosts. */
export function inetAddress(calls: SystemCalls, host: string, port: number): SocketAddress {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  const view = new DataView(bytes.buffer);
  const isIpv6 = host.includes(':');
  const family = isIpv6 ? AF_INET6 : AF_INET;
  const [name = '', zone] = host.split('%');
  const hostBytes = bytes.subarray(isIpv6 ? HOST_AT_INET6 : HOST_AT_INET);
  if (calls.inet_pton(family, name, hostBytes) !== 1) throw new Error(`${host} is not an address`);
  writeNative16(bytes, family);
  view.setUint16(2, port);
  if (zone !== undefined) new Uint32Array(bytes.buffer)[SCOPE_AT / 4] = scopeOf(zone);
  return { bytes, byteCount: isIpv6 ? INET6_BYTES : INET_BYTES };
}

/** Address of a unix socket; undefined where its path is too long for one. */
export function unixAddress(path: string): SocketAddress | undefined {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  writeNative16(bytes, AF_UNIX);
  const text = Buffer.from(path);
  if (text.length >= PATH_BYTES_MAX) return undefined;
  bytes.set(text, 2);
  return { bytes, byteCount: 2 + text.length + 1 };
}

/** Text of an address of IPv4 or IPv6, with its port, as CLIENT LIST shows it. */
export function textOfAddress(calls: SystemCalls, bytes: Bytes): string {
  const port = bytes[2]! * 256 + bytes[3]!;
  if (familyOf(bytes) === AF_INET) {
    return `${bytes[4]!}.${bytes[5]!}.${bytes[6]!}.${bytes[7]!}:${port}`;
  }
  const host = bytes.subarray(HOST_AT_INET6, SCOPE_AT);
  const text = calls.inet_ntop(AF_INET6, host, new Uint8Array(TEXT_BYTES), TEXT_BYTES) ?? '?';
  const isLinkLocal = host[0] === 0xfe && (host[1]! & 0xc0) === 0x80;
  return addressText(isLinkLocal ? `${text}%${zoneOf(bytes)}` : text, port);
}

function familyOf(bytes: Bytes): number {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, 1)[0]!;
}

function writeNative16(bytes: Bytes, value: number): void {
  new Uint16Array(bytes.buffer, bytes.byteOffset, 1)[0] = value;
}

/** Number of a zone, by the name of its interface or the number itself. */
function scopeOf(zone: string): number {
  const found = networkInterfaces()[zone]?.find(({ family }) => family === 'IPv6');
  return found?.scopeid ?? (Number(zone) || 0);
}

function zoneOf(bytes: Bytes): string {
  const scope = new DataView(bytes.buffer, bytes.byteOffset).getUint32(SCOPE_AT, true);
  const named = Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some(({ scopeid }) => scopeid === scope),
  );
  return named?.[0] ?? String(scope);
}
