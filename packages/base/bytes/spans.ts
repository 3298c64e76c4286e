/** Receiver of strings, many at a time, from where they lie. */

import type { Bytes } from './byte-array.ts';

/** Memory, by bytes and by words. */
interface Viewed {
  readonly bytes: Bytes;
  readonly view: DataView;
}

const NOTHING: readonly Viewed[] = [];

/** Strings in a row: the n-th is `lengths[n]` bytes from `ats[n]` on in `memory[places[n]]`. */
export class Spans {
  memory = NOTHING;
  count = 0;
  readonly places: Int32Array;
  readonly ats: Int32Array;
  readonly lengths: Int32Array;

  constructor(capacity: number) {
    this.places = new Int32Array(capacity);
    this.ats = new Int32Array(capacity);
    this.lengths = new Int32Array(capacity);
  }

  /** Clears the reference to the memory, whose owner may be freed before the spans are used again. */
  clear(): void {
    this.memory = NOTHING;
    this.count = 0;
  }
}

export interface SpanTaker {
  /** Takes one string. */
  bulk(bytes: Bytes, at: number, length: number): void;
  /** Takes all of these, one after the other. */
  bulks(spans: Spans): void;
}
