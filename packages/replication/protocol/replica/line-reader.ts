/** Lines of a primary's answers, which come in pieces cut anywhere. */

import { type Bytes, indexOfByte, latin1 } from '#base';

const LF = 0x0a;
/** Longer lines are no answers. */
const LINE_BYTES_MAX = 8 * 1024;

export class LineReader {
  #begun = '';
  /** The line that was complete with the bytes taken last, without its end. */
  line: string | undefined;

  get isTooLong(): boolean {
    return this.#begun.length > LINE_BYTES_MAX;
  }

  clear(): void {
    this.#begun = '';
    this.line = undefined;
  }

  /** Takes bytes up to the end of a line; answers how many. */
  take(piece: Bytes): number {
    const end = indexOfByte(piece, LF, 0, piece.length);
    const length = end < 0 ? piece.length : end + 1;
    // What is more than a line may have need not be kept.
    this.#begun += latin1(piece, 0, Math.min(length, LINE_BYTES_MAX + 1));
    this.line = undefined;
    if (end < 0 || this.isTooLong) return length;
    this.line = this.#begun.replace(/\r?\n$/, '');
    this.#begun = '';
    return length;
  }
}
