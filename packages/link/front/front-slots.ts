/**
 * Progress of main and a front thread with the bytes of each connection, by which a slow one holds back only itself. Bytes
 * are counted from the begin of the connection, wrapping at 2^32.
 *
 *   word         written by   read by   meaning
 *   TAKEN_IN     main         front     bytes of input processed by main
 *   TAKEN_OUT    front        main      bytes of output that the kernel has taken
 *   FRONT_WAITS  both         both      1 while the front thread reads no more until TAKEN_IN moves
 *   MAIN_WAITS   both         both      1 while main writes no more until TAKEN_OUT moves
 */

import type { LinkMemory } from '../memory.ts';

const TAKEN_IN = 0;
const TAKEN_OUT = 1;
const FRONT_WAITS = 2;
const MAIN_WAITS = 3;
const WORDS_PER_SLOT = 4;

/** Connections that a front thread can have. Slots that were never used take no memory. */
export const FRONT_SLOTS = 65_536;
export const FRONT_SLOTS_BYTES = FRONT_SLOTS * WORDS_PER_SLOT * 4;

/** Bytes of input that may be on their way to main, and of output on their way to the kernel, of one connection. */
export const FRONT_WINDOW_BYTES = 256 * 1024;

export class FrontSlots {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(memory: LinkMemory, at: number) {
    this.#words = memory.words;
    this.#at = at >> 2;
  }

  /** A connection begins in the slot. */
  clear(slot: number): void {
    const at = this.#at + slot * WORDS_PER_SLOT;
    for (let word = 0; word < WORDS_PER_SLOT; word += 1) Atomics.store(this.#words, at + word, 0);
  }

  /** Publishes main's progress with the input; true if the front thread waits for it and must be notified. */
  takeIn(slot: number, bytes: number): boolean {
    const at = this.#at + slot * WORDS_PER_SLOT;
    Atomics.store(this.#words, at + TAKEN_IN, bytes);
    return this.#isAwaited(at + FRONT_WAITS);
  }

  /** Publishes the kernel's progress with the output; true if main waits for it and must be notified. */
  takeOut(slot: number, bytes: number): boolean {
    const at = this.#at + slot * WORDS_PER_SLOT;
    Atomics.store(this.#words, at + TAKEN_OUT, bytes);
    return this.#isAwaited(at + MAIN_WAITS);
  }

  takenIn(slot: number): number {
    return Atomics.load(this.#words, this.#at + slot * WORDS_PER_SLOT + TAKEN_IN);
  }

  takenOut(slot: number): number {
    return Atomics.load(this.#words, this.#at + slot * WORDS_PER_SLOT + TAKEN_OUT);
  }

  /** The front thread waits for input to be taken. Look again after this: it may have been meanwhile. */
  awaitIn(slot: number): void {
    Atomics.store(this.#words, this.#at + slot * WORDS_PER_SLOT + FRONT_WAITS, 1);
  }

  /** Announces that main waits for progress with the output. */
  awaitOut(slot: number): void {
    Atomics.store(this.#words, this.#at + slot * WORDS_PER_SLOT + MAIN_WAITS, 1);
  }

  #isAwaited(at: number): boolean {
    return Atomics.load(this.#words, at) === 1 && Atomics.exchange(this.#words, at, 0) === 1;
  }
}
