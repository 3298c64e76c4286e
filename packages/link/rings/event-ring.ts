/**
 * The last events of one thread: written by that thread only, read by all, also while the writer is stuck.
 *
 * Words of the ring, as indexes into its Int32Array; all of them are written and read by Atomics, whose
 * order is the same for every thread:
 *
 *   word                    written by   read by   meaning
 *   RECORDED                writer       readers   events recorded so far, wrapping at 2^32
 *   then records of RECORD_WORDS:
 *     0  STATE              writer       readers   2n + 1 while event n is being written, 2n + 2 when it is whole
 *     1  KIND               writer       readers   a number that the writer and the readers agree on
 *     2  TIME, 4 NUMBERS    writer       readers   doubles, two words each
 *
 * A reader copies a record between two readings of STATE: if both say that event n is whole, so is the copy.
 */

import { allocateShared, type SharedMemory } from '../memory.ts';

/** Events kept of each thread. */
export const EVENTS_MAX = 4_096;
/** Numbers that an event may carry. */
export const EVENT_NUMBERS = 4;

const RECORDED = 0;
const HEADER_WORDS = 16;
const STATE = 0;
const KIND = 1;
const TIME = 2;
const RECORD_WORDS = TIME + 2 * (1 + EVENT_NUMBERS);
const RING_BYTES = 4 * (HEADER_WORDS + EVENTS_MAX * RECORD_WORDS);

export interface RecordedEvent {
  readonly kind: number;
  /** Monotonic microseconds. */
  readonly timeUs: number;
  readonly numbers: readonly number[];
}

export class EventRing {
  readonly #words: Int32Array;
  /** A record's doubles, on their way from or to words. */
  readonly #doubles = new Float64Array(1 + EVENT_NUMBERS);
  readonly #halves = new Int32Array(this.#doubles.buffer);

  constructor(memory: SharedMemory) {
    this.#words = new Int32Array(memory);
  }

  static allocate(): SharedMemory {
    return allocateShared(RING_BYTES);
  }

  /** Number of recorded events, including overwritten ones. */
  get recorded(): number {
    return Atomics.load(this.#words, RECORDED) >>> 0;
  }

  /** Adds an event; the oldest goes. Numbers beyond those given are 0. */
  record(kind: number, timeUs: number, numbers: readonly number[]): void {
    const words = this.#words;
    const nth = this.recorded;
    const at = placeOf(nth);
    this.#doubles[0] = timeUs;
    for (let index = 0; index < EVENT_NUMBERS; index += 1) {
      this.#doubles[1 + index] = numbers[index] ?? 0;
    }
    Atomics.store(words, at + STATE, (2 * nth + 1) | 0);
    Atomics.store(words, at + KIND, kind);
    for (const [index, half] of this.#halves.entries())
      Atomics.store(words, at + TIME + index, half);
    Atomics.store(words, at + STATE, whole(nth));
    Atomics.store(words, RECORDED, (nth + 1) | 0);
  }

  /**
   * The events that are whole, oldest first, of the first `count` that were recorded. What is overwritten meanwhile is
   * left out.
   */
  read(count = this.recorded): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    for (let nth = Math.max(0, count - EVENTS_MAX); nth < count; nth += 1) {
      const event = this.#readOne(nth);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #readOne(nth: number): RecordedEvent | undefined {
    const words = this.#words;
    const at = placeOf(nth);
    if (Atomics.load(words, at + STATE) !== whole(nth)) return undefined;
    const kind = Atomics.load(words, at + KIND);
    for (let index = 0; index < this.#halves.length; index += 1) {
      this.#halves[index] = Atomics.load(words, at + TIME + index);
    }
    if (Atomics.load(words, at + STATE) !== whole(nth)) return undefined;
    const [timeUs, ...numbers] = this.#doubles;
    return { kind, timeUs: timeUs!, numbers };
  }
}

function placeOf(nth: number): number {
  return HEADER_WORDS + (nth % EVENTS_MAX) * RECORD_WORDS;
}

/** The state of a record that holds the whole of event `nth`. */
function whole(nth: number): number {
  return (2 * nth + 2) | 0;
}
