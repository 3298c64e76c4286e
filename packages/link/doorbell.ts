/**
 * Doorbell by which shards wake the main thread: one bell for all of them.
 *
 *   word        written by       read by   meaning
 *   BELL        no thread        main      always 0; the address that main waits on
 *   NEVER       no thread        main      always 0; the address of a wait that lasts until the end
 *   DESCRIPTOR  main             shards    the eventfd that main waits for in its epoll; 0 where it waits on BELL
 *   ASLEEP      main and shards  shards    1 while main wants to be woken; a thread may sleep on it
 */

import { loadFutex, loadSignal, type Signal } from '#base';
import type { LinkMemory } from './memory.ts';

const BELL = 0;
const NEVER = 1;
const DESCRIPTOR = 2;
const ASLEEP = 16;

/** Bytes that the bell takes in the link memory. */
export const DOORBELL_BYTES = 128;

export class Doorbell {
  readonly #words: Int32Array;
  readonly #at: number;
  #armed = false;
  #stopped = false;
  #hasWaited = false;
  readonly #signal: Signal | undefined;

  /** A thread that rings a bell with a descriptor needs `signal`. */
  constructor(memory: LinkMemory, at: number, signal?: Signal) {
    this.#words = memory.words;
    this.#at = at >> 2;
    this.#signal = signal;
  }

  /** Eventfd that is signalled in place of a wait of V8's; 0 without one. Set before another thread uses the bell. */
  get descriptor(): number {
    return this.#words[this.#at + DESCRIPTOR]!;
  }

  set descriptor(value: number) {
    this.#words[this.#at + DESCRIPTOR] = value;
  }

  /** Wakes main unless it is awake: then it looks at the rings by itself before it sleeps. */
  ring(): void {
    const asleep = this.#at + ASLEEP;
    if (Atomics.load(this.#words, asleep) !== 1) return;
    if (Atomics.exchange(this.#words, asleep, 0) !== 1) return;
    const { descriptor } = this;
    if (descriptor > 0) {
      this.#signal?.(descriptor);
      return;
    }
    Atomics.notify(this.#words, this.#at + BELL);
    Atomics.notify(this.#words, asleep);
  }

  /** Sleeps until the bell rings after `setAsleep`, or for `timeoutMs`; whether it rang. Not for main. */
  sleep(timeoutMs: number): boolean {
    return Atomics.wait(this.#words, this.#at + ASLEEP, 1, timeoutMs) !== 'timed-out';
  }

  /**
   * Main is about to return to its event loop. Check the rings again after this, since earlier publications have
   * not rung.
   */
  setAsleep(): void {
    Atomics.store(this.#words, this.#at + ASLEEP, 1);
  }

  /** Main is awake and will look at the rings before it sleeps. */
  setAwake(): void {
    Atomics.store(this.#words, this.#at + ASLEEP, 0);
  }

  /** Calls `onRing` in the main thread after each ring, until `stop`. */
  listen(onRing: () => void): void {
    if (this.#armed || this.#stopped) return;
    this.#armed = true;
    this.#waitForNothing();
    const result = Atomics.waitAsync(this.#words, this.#at + BELL, 0);
    if (!result.async) {
      this.#armed = false;
      return;
    }
    void result.value.then(() => {
      this.#armed = false;
      if (this.#stopped) return;
      this.listen(onRing);
      onRing();
    });
  }

  /**
   * Keeps V8's own table of waits from becoming empty: otherwise it is recreated each time, and since the old one
   * refers to the new one, all of them are promoted to the old generation (129 bytes a wait; with one long wait 52, of
   * full tables).
   */
  #waitForNothing(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    Atomics.waitAsync(this.#words, this.#at + NEVER, 0);
  }

  stop(): void {
    this.#stopped = true;
    Atomics.notify(this.#words, this.#at + BELL);
    Atomics.notify(this.#words, this.#at + NEVER);
  }
}

/** Opens a bell that this thread is to ring, with the system call for it where its owner waits for an eventfd. */
export async function bellToRing(memory: LinkMemory, at: number): Promise<Doorbell> {
  const { descriptor } = new Doorbell(memory, at);
  return new Doorbell(memory, at, descriptor > 0 ? await loadSignal() : undefined);
}

/** Has this thread sleep in the link memory, and wake others there, as main does, whose bell is at `bellAt`. */
export async function waitAsMain(memory: LinkMemory, bellAt: number): Promise<void> {
  if (new Doorbell(memory, bellAt).descriptor > 0) memory.useFutex(await loadFutex());
}
