/** Finds the errors in replies that nobody reads: what a primary has sent and this server could not run. */

import { asBuffer, latin1, type Bytes } from '#base';

const MINUS = 0x2d;
const DOLLAR = 0x24;
const EQUALS = 0x3d;
const LF = 0x0a;
const LINE_END_BYTES = 2;
/** More of an error is not told. */
const LINE_BYTES_MAX = 1_024;

export class ReplyErrors {
  readonly #found: (text: string) => void;
  /** A line that has begun and not ended. */
  #line = '';
  /** Bytes of a bulk string that are still to come. */
  #bulkBytes = 0;

  /** `found` is told the text of each error, behind its `-`. */
  constructor(found: (text: string) => void) {
    this.#found = found;
  }

  /** Takes replies in RESP, cut anywhere. */
  take(chunk: Bytes): void {
    const bytes = asBuffer(chunk);
    // Nearly all are `+OK` and counts.
    const isPlain =
      this.#line === '' &&
      this.#bulkBytes === 0 &&
      bytes.at(-1) === LF &&
      !bytes.includes(MINUS) &&
      !bytes.includes(DOLLAR);
    if (!isPlain) this.#read(bytes);
  }

  #read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const skipped = Math.min(this.#bulkBytes, bytes.length - at);
      this.#bulkBytes -= skipped;
      at += skipped;
      if (at === bytes.length) return;
      const end = bytes.indexOf(LF, at);
      const to = end < 0 ? bytes.length : end;
      const room = LINE_BYTES_MAX - this.#line.length;
      this.#line += latin1(bytes, at, Math.min(to - at, room));
      if (end < 0) return;
      this.#ended();
      at = end + 1;
    }
  }

  #ended(): void {
    const line = this.#line;
    this.#line = '';
    const kind = line.charCodeAt(0);
    if (kind === MINUS) this.#found(line.slice(1).trimEnd());
    if (kind !== DOLLAR && kind !== EQUALS) return;
    const length = Number.parseInt(line.slice(1), 10);
    if (length >= 0) this.#bulkBytes = length + LINE_END_BYTES;
  }
}
