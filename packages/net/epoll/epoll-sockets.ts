/** Listens, and accepts connections, by descriptors in the thread's epoll. */

import { unlinkSync } from 'node:fs';
import type { ListenOptions } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap, getSystemErrorName } from 'node:util';
import { type Bytes, CLOSE_ON_EXEC, NOT_BLOCKING, type SystemCalls } from '#base';
import type { Ends } from '../ends.ts';
import type { Accepted, PlainSockets } from '../plain-sockets.ts';
import { EPOLL_IN, type EpollHandler } from './epoll-set.ts';
import { EpollTransport, type EpollShared } from './epoll-transport.ts';
import {
  ADDRESS_BYTES,
  AF_INET,
  AF_INET6,
  AF_UNIX,
  inetAddress,
  textOfAddress,
  unixAddress,
  type SocketAddress,
} from './socket-address.ts';
import { setKeepAlive, setListening } from './socket-options.ts';

const { EAGAIN, ECONNABORTED, EINTR, ENAMETOOLONG } = constants.errno;
const ANY_IPV4 = '0.0.0.0';
const ANY_IPV6 = '::';
const SOCK_STREAM = 1;
/** Maximum number of connections accepted in a turn, before existing ones are served. */
const ACCEPTS_MAX = 128;
/** Milliseconds without a look at new connections when the process has no descriptor left, or the system no memory. */
const REST_MS = 100;

export class EpollSockets implements PlainSockets {
  readonly #shared: EpollShared;
  readonly #keepAliveSecs: () => number;
  readonly #waiting: (reason: string) => void;

  /**
   * With the keep-alive that accepted sockets are to have, which they inherit from the one that listens. `waiting` is called when
   * new connections have to wait, with the reason, and not again before one was accepted.
   */
  constructor(shared: EpollShared, keepAliveSecs: () => number, waiting: (reason: string) => void) {
    this.#shared = shared;
    this.#keepAliveSecs = keepAliveSecs;
    this.#waiting = waiting;
  }

  listen(
    { host = '0.0.0.0', port = 0, path, backlog = 511 }: ListenOptions,
    accept: (accepted: Accepted) => void,
  ): Promise<() => void> {
    // What the executor throws rejects.
    return new Promise((resolve) => {
      const place =
        path === undefined
          ? this.#openTcp(host, port, backlog, accept)
          : this.#openUnix(path, backlog, accept);
      resolve(() => {
        place.close();
        if (path !== undefined) removeSocket(path);
      });
    });
  }

  #openTcp(
    host: string,
    port: number,
    backlog: number,
    accept: (accepted: Accepted) => void,
  ): ListeningDescriptor {
    const shared = this.#shared;
    const { calls } = shared;
    const isIpv6 = host.includes(':');
    const keepAliveSecs = this.#keepAliveSecs();
    const address = inetAddress(calls, host, port);
    const descriptor = this.#newSocket(isIpv6 ? AF_INET6 : AF_INET);
    setListening(calls, descriptor, isIpv6);
    if (keepAliveSecs > 0) setKeepAlive(calls, descriptor, keepAliveSecs);
    this.#bind(descriptor, address, backlog);
    const isAny = host === ANY_IPV4 || host === ANY_IPV6;
    const own = textOfAddress(calls, address.bytes);
    return this.#accepting(descriptor, (accepted, remote) => {
      const local = isAny ? localAddress(calls, accepted) : own;
      const ends = { remote: textOfAddress(calls, remote), local, isUnix: false };
      accept(newAccepted(accepted, ends, shared, keepAliveSecs));
    });
  }

  #openUnix(
    path: string,
    backlog: number,
    accept: (accepted: Accepted) => void,
  ): ListeningDescriptor {
    const address = unixAddress(path);
    if (address === undefined) throw systemError('bind', ENAMETOOLONG);
    const descriptor = this.#newSocket(AF_UNIX);
    this.#bind(descriptor, address, backlog);
    const ends: Ends = { remote: `${path}:0`, local: `${path}:0`, isUnix: true };
    return this.#accepting(descriptor, (accepted) => {
      accept(newAccepted(accepted, ends, this.#shared, 0));
    });
  }

  #accepting(descriptor: number, accept: AcceptEvents['accept']): ListeningDescriptor {
    return new ListeningDescriptor(descriptor, this.#shared, { accept, waiting: this.#waiting });
  }

  #newSocket(family: number): number {
    const { calls } = this.#shared;
    const descriptor = calls.socket(family, SOCK_STREAM | NOT_BLOCKING | CLOSE_ON_EXEC, 0);
    if (descriptor < 0) throw systemError('socket', calls.errno());
    return descriptor;
  }

  #bind(descriptor: number, { bytes, byteCount }: SocketAddress, backlog: number): void {
    const { calls } = this.#shared;
    const isBound = calls.bind(descriptor, bytes, byteCount) === 0;
    if (isBound && calls.listen(descriptor, backlog) === 0) return;
    const error = systemError(isBound ? 'listen' : 'bind', calls.errno());
    calls.close(descriptor);
    throw error;
  }
}

interface AcceptEvents {
  /** Takes a connection by its descriptor, with the address of its peer. */
  readonly accept: (descriptor: number, remote: Bytes) => void;
  /** Called when new connections have to wait, and not again before one was accepted. */
  readonly waiting: (reason: string) => void;
}

/** A socket that listens, and accepts what comes when the thread's epoll reports it. */
class ListeningDescriptor implements EpollHandler {
  readonly #descriptor: number;
  readonly #shared: EpollShared;
  readonly #events: AcceptEvents;
  readonly #remote = new Uint8Array(ADDRESS_BYTES);
  readonly #length = new Int32Array(1);
  readonly #lengthBytes = new Uint8Array(this.#length.buffer);
  #isClosed = false;
  /** Runs while no connections are accepted for want of descriptors or memory. */
  #rest: NodeJS.Timeout | undefined;

  #isWaiting = false;

  constructor(descriptor: number, shared: EpollShared, events: AcceptEvents) {
    this.#descriptor = descriptor;
    this.#shared = shared;
    this.#events = events;
    shared.set.add(descriptor, EPOLL_IN, this);
  }

  ready(): void {
    const { calls } = this.#shared;
    for (let nth = 0; nth < ACCEPTS_MAX && !this.#isClosed; nth += 1) {
      this.#length[0] = ADDRESS_BYTES;
      const flags = NOT_BLOCKING | CLOSE_ON_EXEC;
      const accepted = calls.accept4(this.#descriptor, this.#remote, this.#lengthBytes, flags);
      if (accepted >= 0) {
        this.#isWaiting = false;
        this.#events.accept(accepted, this.#remote);
        continue;
      }
      const errno = calls.errno();
      if (errno === EAGAIN) return;
      // The client has hung up before it was accepted, or a signal came.
      if (errno === ECONNABORTED || errno === EINTR) continue;
      this.#pause(errno);
      return;
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#rest);
    this.#shared.set.forget(this.#descriptor);
    this.#shared.calls.close(this.#descriptor);
  }

  /** Leaves connections in the backlog for a while: the kernel would report them without end. */
  #pause(errno: number): void {
    if (!this.#isWaiting) this.#events.waiting(systemError('accept', errno).message);
    this.#isWaiting = true;
    this.#shared.set.change(this.#descriptor, EPOLL_IN, 0);
    this.#rest = setTimeout(() => {
      this.#shared.set.change(this.#descriptor, 0, EPOLL_IN);
    }, REST_MS).unref();
  }
}

function newAccepted(
  descriptor: number,
  ends: Ends,
  shared: EpollShared,
  keepAliveSecs: number,
): Accepted {
  return {
    ends,
    transport: () => new EpollTransport(descriptor, shared, keepAliveSecs),
    release: () => descriptor,
  };
}

function localAddress(calls: SystemCalls, descriptor: number): string {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  const length = new Uint8Array(new Int32Array([ADDRESS_BYTES]).buffer);
  calls.getsockname(descriptor, bytes, length);
  return textOfAddress(calls, bytes);
}

/** The error of a system call as Node would make it. */
function systemError(call: string, errno: number): NodeJS.ErrnoException {
  const text = getSystemErrorMap().get(-errno)?.[1] ?? 'unknown error';
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} ${code}: ${text}`), {
    code,
    errno: -errno,
    syscall: call,
  });
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was removed already.
  }
}
