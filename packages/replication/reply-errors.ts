/** Finds errors in discarded replies: commands of a primary that failed on this server. */

import type { Bytes } from '#base';
import { ReplyParser } from '#resp';

/** Maximum number of bytes of an error that are reported. */
const LINE_BYTES_MAX = 1_024;
/** The replies are this server's own, and may be as long as they are. */
const LIMITS = {
  lineBytes: LINE_BYTES_MAX,
  cutsLines: true,
  bulkBytes: Infinity,
  elements: Infinity,
  depth: Infinity,
};

/** Place of an error among replies. */
export interface ErrorPlace {
  /** Number of the reply that it is, or is in, counted from 0. */
  readonly nth: number;
  /** Elements of that reply behind and with the one that it is, or is in; 0 where it is the reply itself. */
  readonly left: number;
}

export class ReplyErrors {
  readonly #parser: ReplyParser;
  /** Number of complete replies. */
  #replies = 0;

  /** `found` is called with the text of each error, without its `-`. */
  constructor(found: (text: string, place: ErrorPlace) => void) {
    this.#parser = new ReplyParser(
      {
        error: (text) => {
          found(text.trimEnd(), { nth: this.#replies, left: this.#parser.left });
        },
        end: () => {
          this.#replies += 1;
        },
      },
      LIMITS,
    );
  }

  /** Takes replies, cut anywhere. */
  take(bytes: Bytes): void {
    this.#parser.takeAll(bytes);
  }
}
