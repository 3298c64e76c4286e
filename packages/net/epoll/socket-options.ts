/** Options of sockets, by their numbers on Linux. Sources: socket(7), tcp(7). */

import type { SystemCalls } from '#base';

/** Level and number of an option. */
type Option = readonly [level: number, number: number];

const SOL_SOCKET = 1;
const IPPROTO_TCP = 6;
const IPPROTO_IPV6 = 41;
const SO_REUSEADDR: Option = [SOL_SOCKET, 2];
const SO_KEEPALIVE: Option = [SOL_SOCKET, 9];
const TCP_NODELAY: Option = [IPPROTO_TCP, 1];
const TCP_KEEPIDLE: Option = [IPPROTO_TCP, 4];
const TCP_KEEPINTVL: Option = [IPPROTO_TCP, 5];
const TCP_KEEPCNT: Option = [IPPROTO_TCP, 6];
const IPV6_V6ONLY: Option = [IPPROTO_IPV6, 26];

/** Probes that stay unanswered until the kernel ends the connection, and seconds between two: as libuv has them. */
const PROBES = 10;
const PROBE_SECS = 1;

const value = new Int32Array(1);
const valueBytes = new Uint8Array(value.buffer);

function set(calls: SystemCalls, descriptor: number, [level, option]: Option, to: number): void {
  value[0] = to;
  calls.setsockopt(descriptor, level, option, valueBytes, valueBytes.length);
}

/** Has the kernel probe the peer after that many seconds of silence; 0 never. */
export function setKeepAlive(calls: SystemCalls, descriptor: number, seconds: number): void {
  set(calls, descriptor, SO_KEEPALIVE, Number(seconds > 0));
  if (seconds === 0) return;
  set(calls, descriptor, TCP_KEEPIDLE, seconds);
  set(calls, descriptor, TCP_KEEPINTVL, PROBE_SECS);
  set(calls, descriptor, TCP_KEEPCNT, PROBES);
}

/** Sets what a listening socket of TCP has, and every socket that it accepts. */
export function setListening(calls: SystemCalls, descriptor: number, isIpv6: boolean): void {
  set(calls, descriptor, SO_REUSEADDR, 1);
  set(calls, descriptor, TCP_NODELAY, 1);
  if (isIpv6) set(calls, descriptor, IPV6_V6ONLY, 1);
}
