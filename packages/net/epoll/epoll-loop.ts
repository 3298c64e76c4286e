/**
 * The loop of a thread that sleeps in an epoll of its own, with its sockets, its bell (an eventfd) and libuv's own epoll
 * in it. Reading a socket so costs no stream, no entry into JavaScript and no promise; the README has the figures.
 *
 * What Node does by itself (timers, messages, signals, TLS, child processes, the inspector) it does in turns of libuv's loop,
 * between two runs of this one:
 *
 *   libuv: timers, poll (which does not wait), immediates ── run() ── take events, end the turn, wait ... ── libuv: ...
 *
 * `run` is an immediate that does not keep libuv awake (`unref`), because only then can libuv report whether it has
 * something to do by itself (`uv_backend_timeout` is 0 while a further immediate, a closing handle or a watcher that the
 * kernel does not know of yet is pending). A message to a port of our own sees to it that libuv's poll does not wait
 * instead. `run` returns to libuv when its descriptor is readable, when a timer is due, or when it has anything else.
 */

import { MessageChannel } from 'node:worker_threads';
import {
  type Bytes,
  type Futex,
  type LibuvLoop as Libuv,
  type SystemCalls,
  systemClock,
} from '#base';
import { AT, type Page } from '#stats';
import { EPOLL_EDGE, EPOLL_IN, EpollSet } from './epoll-set.ts';
import type { ReadBuffer } from '../socket-transport.ts';
import type { EpollShared } from './epoll-transport.ts';
import type { ThreadLoop, TurnEvents } from './thread-loop.ts';

/** Libuv's clock, by which its timers are due, is no further behind than this. */
const UPDATE_US = 1_000;
/** Result in place of milliseconds to wait. */
const LIBUV_IS_DUE = -2;

/**
 * Runs ticks and microtasks, as Node does after each callback. It is not part of the types, but existed in each version
 * from 0.10 to 24.
 */
type Process = typeof process & { readonly _tickCallback?: () => void };

/** Returns how this thread runs ticks and microtasks; undefined where Node does not export that. */
export function tickRunner(): (() => void) | undefined {
  return (process as Process)._tickCallback;
}

/** Parts that an `EpollLoop` is made of, all of the thread that it runs in. */
export interface EpollParts {
  readonly calls: SystemCalls;
  readonly libuv: Libuv;
  readonly runTicks: () => void;
  readonly futex: Futex;
  /** Eventfd by which others wake it. */
  readonly bell: number;
}

export class EpollLoop implements ThreadLoop {
  readonly name = 'epoll';
  readonly calls: SystemCalls;
  readonly set: EpollSet;
  readonly #libuv: Libuv;
  readonly #runTicks: () => void;
  /** Values of the thread's page. */
  readonly #values: Float64Array;
  #events: TurnEvents | undefined;
  #isScheduled = false;
  #hasRung = false;
  #isLibuvReady = false;
  #isStopped = false;
  /** Microseconds slept in the wait of our own. */
  #sleptUs = 0;
  #nowUs = 0;
  /** Time at which libuv's clock was set. */
  #updatedUs = 0;
  /** A message to one end wakes libuv's poll. */
  readonly #wakeUp = new MessageChannel();
  readonly #run = (): void => {
    this.#work();
  };

  /** Throws where the kernel refuses. */
  constructor({ calls, libuv, runTicks, bell }: EpollParts, page: Page) {
    this.#values = page.values;
    this.calls = calls;
    this.#libuv = libuv;
    this.#runTicks = runTicks;
    this.set = new EpollSet(calls);
    // Each ring is reported once, so the count need not be read back to 0.
    this.set.add(bell, EPOLL_IN | EPOLL_EDGE, {
      ready: () => {
        this.#hasRung = true;
      },
    });
    this.set.add(libuv.descriptor, EPOLL_IN, {
      ready: () => {
        this.#isLibuvReady = true;
      },
    });
    this.#wakeUp.port1.on('message', () => undefined);
    this.#wakeUp.port1.unref();
  }

  get idleMs(): number {
    return performance.eventLoopUtilization().idle + this.#sleptUs / 1_000;
  }

  /** Resources of its sockets, with the memory in which most of what they write lies. */
  share(read: ReadBuffer, written: Bytes): EpollShared {
    const { calls, set } = this;
    return {
      calls,
      set,
      read,
      readAt: calls.addressOf(read.bytes),
      written: written.buffer,
      writtenAt: calls.addressOf(written) - written.byteOffset,
    };
  }

  start(events: TurnEvents): void {
    this.#events = events;
    this.#returnToLibuv();
  }

  schedule(): void {
    this.#isScheduled = true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wakeUp.port1.close();
  }

  /** Takes events until libuv has something to do. */
  #work(): void {
    if (this.#isStopped) return;
    let isWhole = false;
    try {
      this.#isLibuvReady = false;
      this.#nowUs = systemClock.nowUs();
      this.#updatedUs = this.#nowUs;
      // Libuv has just polled, and its callbacks may have scheduled a turn: sockets first, then it is asked.
      let timeoutMs = 0;
      do {
        this.#turn(timeoutMs);
        timeoutMs = this.#nextTimeoutMs();
      } while (timeoutMs !== LIBUV_IS_DUE);
      isWhole = true;
    } finally {
      // After an error the rest of the batch is lost: sockets are reported again, a ring is not.
      if (!isWhole) this.#hasRung = true;
      this.#returnToLibuv();
    }
  }

  /** Waits, takes the events there are, and ends the turn. */
  #turn(timeoutMs: number): void {
    const { set } = this;
    let count: number;
    if (timeoutMs === 0) {
      count = set.wait(0);
    } else {
      // A thread that sleeps is not stuck, even if it wakes late for want of a processor.
      this.#values[AT.idleSinceUs] = this.#nowUs;
      count = set.wait(timeoutMs);
      this.#values[AT.idleSinceUs] = 0;
      this.#sleptUs += systemClock.nowUs() - this.#nowUs;
    }
    set.dispatch(count);
    if (this.#isScheduled) {
      this.#isScheduled = false;
      this.#hasRung = false;
      this.#events?.endTurn();
    } else if (this.#hasRung) {
      this.#hasRung = false;
      this.#events?.rang();
    }
    this.#runTicks();
  }

  /** Milliseconds to wait for further events, -1 for ever; `LIBUV_IS_DUE` where libuv has something to do. */
  #nextTimeoutMs(): number {
    if (this.#isLibuvReady) return LIBUV_IS_DUE;
    this.#nowUs = systemClock.nowUs();
    if (this.#nowUs - this.#updatedUs >= UPDATE_US) {
      this.#updatedUs = this.#nowUs;
      this.#libuv.updateTime();
    }
    const timeoutMs = this.#libuv.timeoutMs();
    if (timeoutMs === 0) return LIBUV_IS_DUE;
    return this.#isScheduled ? 0 : timeoutMs;
  }

  /** Lets libuv's loop turn once, and runs again in it. */
  #returnToLibuv(): void {
    if (this.#isStopped) return;
    setImmediate(this.#run).unref();
    this.#wakeUp.port2.postMessage(undefined);
  }
}
