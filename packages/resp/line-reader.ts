/** Lines that come in pieces, cut anywhere. A line ends in LF, mostly with CR before it, neither of which is of the line. */

import { asBuffer, indexOfByte, latin1, type Bytes } from '#base';

const LF = 0x0a;
/** Bytes in which the end of a line is looked for before the search for longer ones begins. */
const NEAR_BYTES = 64;

export class LineReader {
  readonly #bytesMax: number;
  /** The part of a line that has come, up to one byte more than it may have. */
  #begun = '';
  /** True from the first byte of a line to its last. */
  isInLine = false;
  /** True when a line is over the limit, of which no more than that is kept. */
  isTooLong = false;
  /** The line that was complete with the bytes taken last, without its end. */
  line: string | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes bytes from a place up to the end of a line, and returns the place after them. */
  take(bytes: Bytes, from = 0): number {
    const end = endOfLine(bytes, from);
    const stop = end < 0 ? bytes.length : end;
    if (!this.isInLine) this.isTooLong = false;
    // The last byte may be a CR.
    const room = this.#bytesMax + 1 - this.#begun.length;
    this.isTooLong ||= stop - from > room;
    this.#begun += latin1(bytes, from, Math.min(stop - from, room));
    this.isInLine = end < 0;
    this.line = undefined;
    if (end < 0) return stop;
    const line = this.#begun.endsWith('\r') ? this.#begun.slice(0, -1) : this.#begun;
    this.#begun = '';
    this.isTooLong ||= line.length > this.#bytesMax;
    this.line = line.slice(0, this.#bytesMax);
    return end + 1;
  }
}

/** Returns the index of the LF that ends a line; -1 where it has not come. */
export function endOfLine(bytes: Bytes, at: number): number {
  const near = Math.min(bytes.length, at + NEAR_BYTES);
  const end = indexOfByte(bytes, LF, at, near);
  return end >= 0 || near === bytes.length ? end : asBuffer(bytes).indexOf(LF, near);
}
