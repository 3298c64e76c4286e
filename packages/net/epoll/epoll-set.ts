/**
 * Descriptors of which a thread wants to know when they can be read or written, by one epoll of the kernel (epoll(7)).
 *
 * A descriptor number is used again as soon as it was closed, and an event of the closed one may still be in the batch at
 * hand. So the kernel returns with each event the generation that the number had when it was added; an event of another
 * generation is dropped.
 */

import { type Address, type Bytes, CLOSE_ON_EXEC, type SystemCalls } from '#base';

/** Events, as the kernel numbers them. */
export const EPOLL_IN = 0x1;
export const EPOLL_OUT = 0x4;
export const EPOLL_ERROR = 0x8;
export const EPOLL_HANG_UP = 0x10;
/** Edge-triggered: reports an event once when it occurs, and not again while it lasts. */
export const EPOLL_EDGE = 2 ** 31;

const ADD = 1;
const REMOVE = 2;
const CHANGE = 3;

/** Events taken in one batch. */
const BATCH = 512;
/** 32-bit words of an event: its bits, the descriptor, the generation; on x86 it is packed. */
const EVENT_WORDS = process.arch === 'x64' || process.arch === 'ia32' ? 3 : 4;
const DESCRIPTOR_WORD = EVENT_WORDS - 2;
const GENERATION_WORD = EVENT_WORDS - 1;

/** Owner of a descriptor. */
export interface EpollHandler {
  /** Called with the ready events; errors and hang-ups are always reported. */
  ready(events: number): void;
}

export class EpollSet {
  readonly #calls: SystemCalls;
  readonly #set: number;
  readonly #handlers: (EpollHandler | undefined)[] = [];
  readonly #generations: number[] = [];
  readonly #events = new Int32Array(BATCH * EVENT_WORDS);
  readonly #eventsAt: Address;
  /** The event that is passed to the kernel. */
  readonly #event = new Int32Array(EVENT_WORDS);
  readonly #eventAt: Address;

  /** Throws where the kernel gives no epoll. */
  constructor(calls: SystemCalls) {
    this.#calls = calls;
    this.#set = calls.epoll_create1(CLOSE_ON_EXEC);
    if (this.#set < 0) throw new Error(`epoll_create1 failed with errno ${String(calls.errno())}`);
    this.#eventsAt = calls.addressOf(bytesOf(this.#events));
    this.#eventAt = calls.addressOf(bytesOf(this.#event));
  }

  /** Watches a descriptor for events. Throws if the kernel refuses, for example without memory. */
  add(descriptor: number, events: number, handler: EpollHandler): void {
    this.#generations[descriptor] = ((this.#generations[descriptor] ?? 0) + 1) | 0;
    this.#handlers[descriptor] = handler;
    this.#control(ADD, descriptor, events);
  }

  /** Changes the watched events of a descriptor; without any, not even a hang-up is reported. */
  change(descriptor: number, from: number, to: number): void {
    if (from === to) return;
    const operation = from === 0 ? ADD : to === 0 ? REMOVE : CHANGE;
    this.#control(operation, descriptor, to);
  }

  /** Forgets a descriptor that is about to be closed, with which the kernel forgets it. */
  forget(descriptor: number): void {
    this.#handlers[descriptor] = undefined;
  }

  /** Waits for events, with a timeout; -1 waits for ever. Returns the number of events, 0 after a signal. */
  wait(timeoutMs: number): number {
    return Math.max(0, this.#calls.epoll_wait(this.#set, this.#eventsAt, BATCH, timeoutMs));
  }

  /** Hands the events of the last wait to their handlers. */
  dispatch(count: number): void {
    const events = this.#events;
    for (let at = 0; at < count * EVENT_WORDS; at += EVENT_WORDS) {
      const descriptor = events[at + DESCRIPTOR_WORD]!;
      if (events[at + GENERATION_WORD] !== this.#generations[descriptor]) continue;
      this.#handlers[descriptor]?.ready(events[at]!);
    }
  }

  close(): void {
    this.#calls.close(this.#set);
  }

  #control(operation: number, descriptor: number, events: number): void {
    const event = this.#event;
    event[0] = events | 0;
    event[DESCRIPTOR_WORD] = descriptor;
    event[GENERATION_WORD] = this.#generations[descriptor]!;
    if (this.#calls.epoll_ctl(this.#set, operation, descriptor, this.#eventAt) === 0) return;
    throw new Error(`epoll_ctl failed with errno ${String(this.#calls.errno())}`);
  }
}

function bytesOf(words: Int32Array): Bytes {
  return new Uint8Array(words.buffer);
}
