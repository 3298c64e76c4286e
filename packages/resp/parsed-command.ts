/** A command as the parser finds it: spans into the bytes that it came in. */

import type { Bytes } from '#base';

/** Arguments that the tables hold from the start. */
export const ARGUMENTS_EXPECTED = 64;

/** A command as it came: bytes, and where in them each argument is. */
export interface CommandBytes {
  /** The bytes that `spans` refer to; not the input's for an inline command. */
  readonly source: Bytes;
  /** Offset of the command in `source`, and its bytes there. */
  readonly at: number;
  readonly length: number;
  /** Offset from `at`, and length, of each argument. */
  readonly spans: Int32Array;
  readonly count: number;
  /** Nothing else is in the memory of `source`, which may be given away with the command, and has room before it. */
  readonly isGivable?: boolean;
}

/** Result of the last `next`, shared by the parsers of one main thread. */
export class ParsedCommand implements CommandBytes {
  source: Bytes = Buffer.alloc(0);
  at = 0;
  length = 0;
  spans = new Int32Array(2 * ARGUMENTS_EXPECTED);
  count = 0;
  isGivable = false;

  push(offset: number, length: number): void {
    const index = 2 * this.count;
    if (index === this.spans.length) {
      const larger = new Int32Array(4 * this.count);
      larger.set(this.spans);
      this.spans = larger;
    }
    this.spans[index] = offset;
    this.spans[index + 1] = length;
    this.count += 1;
  }
}
