/**
 * Loop of a thread with many connections to servers: those without TLS are descriptors in an epoll of its own where the machine
 * has that, which takes half of the processor time of Node's sockets. Others are Node's.
 *
 * A wait with epoll blocks the thread, so a promise or a timer of the thread waits for it: the caller lets libuv take its turn
 * in between, with `rest`.
 */

import {
  type Bytes,
  type KernelTimer,
  loadDuplicate,
  loadKernelTimer,
  loadSystemCalls,
} from '#base';
import type { Socket } from 'node:net';
import { EPOLL_EDGE, EPOLL_IN, EpollSet } from './epoll-set.ts';
import { EpollTransport, type EpollShared } from './epoll-transport.ts';
import { descriptorOf } from '../raw-handle.ts';
import { TlsTransport } from '../tls/tls-transport.ts';
import type { Transport } from '../transport.ts';

const US_PER_MS = 1_000;
/** Node's timers are late by up to this; the rest of a wait is spent in turns of libuv. */
const TIMER_LATE_US = 2_000;

interface Epoll {
  readonly set: EpollSet;
  readonly shared: EpollShared;
  readonly timer: KernelTimer;
  readonly duplicate: (descriptor: number) => number;
}

export class ClientLoop {
  readonly #epoll: Epoll | undefined;
  #wake: (() => void) | undefined;

  private constructor(epoll: Epoll | undefined) {
    this.#epoll = epoll;
  }

  /**
   * Opens the loop for connections that all are secure, or all are not; with the memory that is read into, and that in
   * which most of the output lies.
   */
  static async open(isSecure: boolean, readBytes: Bytes, written: Bytes): Promise<ClientLoop> {
    if (isSecure) return new ClientLoop(undefined);
    try {
      return new ClientLoop(await openEpoll(readBytes, written));
    } catch {
      // Not Linux, or without the optional package.
      return new ClientLoop(undefined);
    }
  }

  /**
   * Takes over a connected socket, to which nothing is on the way; undefined where no descriptor is left.
   */
  adopt(socket: Socket): Transport | undefined {
    const epoll = this.#epoll;
    if (epoll === undefined) {
      const transport = new TlsTransport(socket);
      socket.on('data', () => this.#wake?.());
      socket.on('close', () => this.#wake?.());
      // It may be paused, as between two owners.
      socket.resume();
      return transport;
    }
    const descriptor = epoll.duplicate(descriptorOf(socket));
    socket.on('error', () => undefined);
    socket.destroy();
    return descriptor < 0 ? undefined : new EpollTransport(descriptor, epoll.shared);
  }

  /** Waits for events of the connections, for that many microseconds at most, and hands them on. */
  async turn(waitUs: number): Promise<void> {
    const epoll = this.#epoll;
    if (epoll === undefined) {
      await this.#waitForLibuv(waitUs);
      return;
    }
    let timeoutMs = Math.floor(waitUs / US_PER_MS);
    if (waitUs > 0 && timeoutMs * US_PER_MS !== waitUs) {
      epoll.timer.start(waitUs);
      timeoutMs += 1;
    }
    epoll.set.dispatch(epoll.set.wait(timeoutMs));
  }

  /** True if connections are Node's: `turn` lets libuv take its own, and short waits keep the processor busy. */
  get isLibuv(): boolean {
    return this.#epoll === undefined;
  }

  /** Lets libuv take a turn. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  #waitForLibuv(waitUs: number): Promise<void> {
    if (waitUs < TIMER_LATE_US) return this.rest();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        setImmediate(resolve);
      };
      const timer = setTimeout(done, (waitUs - TIMER_LATE_US) / US_PER_MS);
      this.#wake = done;
    });
  }
}

async function openEpoll(readBytes: Bytes, written: Bytes): Promise<Epoll> {
  const [calls, timer, duplicate] = await Promise.all([
    loadSystemCalls(),
    loadKernelTimer(),
    loadDuplicate(),
  ]);
  const set = new EpollSet(calls);
  set.add(timer.descriptor, EPOLL_IN | EPOLL_EDGE, { ready: () => undefined });
  const shared: EpollShared = {
    calls,
    set,
    read: { memory: { bytes: readBytes }, bytes: readBytes, at: 0 },
    readAt: calls.addressOf(readBytes),
    written: written.buffer,
    writtenAt: calls.addressOf(written) - written.byteOffset,
  };
  return { set, shared, timer, duplicate };
}
