/**
 * Datagrams to a unix socket, which Node does not have: they are sent by the system call. Source: unix(7).
 */

import { type Bytes, CLOSE_ON_EXEC, loadSystemCalls, NOT_BLOCKING } from '#base';
import { AF_UNIX, unixAddress, type SocketAddress } from './epoll/socket-address.ts';

const SOCK_DGRAM = 2;
const ABSTRACT_SIGN = '@';

/** Sends one datagram; false where the system has not taken it, as from a receiver that does not read. */
type SendDatagram = (data: Bytes) => boolean;

/** Opens a sender to a path, or to a name in the abstract namespace behind `@`. Rejects on other systems and without koffi. */
export async function openUnixDatagrams(place: string): Promise<SendDatagram> {
  const address = addressOf(place);
  if (address === undefined) throw new Error(`the path of the socket is too long: ${place}`);
  const calls = await loadSystemCalls();
  // Main must not wait for a receiver.
  const fd = calls.socket(AF_UNIX, SOCK_DGRAM | NOT_BLOCKING | CLOSE_ON_EXEC, 0);
  if (fd < 0) throw new Error(`a datagram socket cannot be opened: error ${calls.errno()}`);
  const { bytes, byteCount } = address;
  return (data) => calls.sendto(fd, data, data.length, 0, bytes, byteCount) === data.length;
}

function addressOf(place: string): SocketAddress | undefined {
  const address = unixAddress(place);
  if (address === undefined || !place.startsWith(ABSTRACT_SIGN)) return address;
  // The name begins with a byte of 0 instead, and has none at its end.
  const bytes = address.bytes.slice();
  bytes[2] = 0;
  return { bytes, byteCount: address.byteCount - 1 };
}
