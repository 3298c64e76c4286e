/** Finds the errors in replies that nobody reads: what a primary has sent and this server could not run. */

import { type Bytes, latin1 } from '#base';

const PLUS = 0x2b;
const COLON = 0x3a;
const MINUS = 0x2d;
const DOLLAR = 0x24;
const EQUALS = 0x3d;
const STAR = 0x2a;
const LF = 0x0a;
const LINE_END_BYTES = 2;
/** More of an error is not told. */
const LINE_BYTES_MAX = 1_024;

/** Place of an error among replies. */
export interface ErrorPlace {
  /** Number of the reply that it is, or is in, counted from 0. */
  readonly nth: number;
  /** Elements of that reply behind and with the one that it is, or is in; 0 where it is the reply itself. */
  readonly left: number;
}

export class ReplyErrors {
  readonly #found: (text: string, place: ErrorPlace) => void;
  /** A line that has begun and not ended. */
  #line = '';
  /** Bytes of a bulk string that are still to come. */
  #bulkBytes = 0;
  /** Replies that have come as a whole. */
  #replies = 0;
  /** Elements that are still to come of arrays, the outermost first. */
  readonly #open: number[] = [];

  /** `found` is called with the text of each error, without its `-`. */
  constructor(found: (text: string, place: ErrorPlace) => void) {
    this.#found = found;
  }

  /** Takes replies in RESP2, cut anywhere. */
  take(bytes: Bytes): void {
    const { length } = bytes;
    for (let at = 0; at < length;) {
      if (this.#bulkBytes > 0) {
        const skipped = Math.min(this.#bulkBytes, length - at);
        this.#bulkBytes -= skipped;
        at += skipped;
        if (this.#bulkBytes === 0) this.#counted();
        continue;
      }
      let end = at;
      while (end < length && bytes[end] !== LF) end += 1;
      const kind = bytes[at];
      // Nearly all are `+OK` and counts.
      const isPlain = (kind === PLUS || kind === COLON) && this.#line === '' && end < length;
      if (isPlain) this.#counted();
      else this.#takeLine(bytes, at, end);
      at = end + 1;
    }
  }

  #takeLine(bytes: Bytes, at: number, end: number): void {
    const room = LINE_BYTES_MAX - this.#line.length;
    this.#line += latin1(bytes, at, Math.min(end - at, room));
    if (end === bytes.length) return;
    const line = this.#line;
    this.#line = '';
    const kind = line.charCodeAt(0);
    const length = Number.parseInt(line.slice(1), 10);
    if ((kind === DOLLAR || kind === EQUALS) && length >= 0) {
      this.#bulkBytes = length + LINE_END_BYTES;
      return;
    }
    if (kind === STAR && length > 0) {
      this.#open.push(length);
      return;
    }
    if (kind === MINUS) {
      this.#found(line.slice(1).trimEnd(), { nth: this.#replies, left: this.#open[0] ?? 0 });
    }
    this.#counted();
  }

  /** A reply, or an element of one, has ended. */
  #counted(): void {
    const open = this.#open;
    while (open.length > 0) {
      const left = open.at(-1)! - 1;
      open[open.length - 1] = left;
      if (left > 0) return;
      open.pop();
    }
    this.#replies += 1;
  }
}
