/**
 * Sequence of 32-bit words and runs of bytes, starting at any byte. It may continue in further pieces of memory: a
 * value may have more bytes than one piece can hold.
 */

import { assert, type Bytes, inSteps, type Pieces, type Steps } from '#base';

const WORD_BYTES = 4;

/** Returns the memory of the words as bytes. */
export function asBytes(words: Int32Array, from = 0, to = words.length): Bytes {
  return new Uint8Array(
    words.buffer,
    words.byteOffset + from * WORD_BYTES,
    (to - from) * WORD_BYTES,
  );
}

const oneWordScratch = new Int32Array(1);
const bytesOfWordScratch = asBytes(oneWordScratch);

export class WordWriter {
  #bytes: Bytes;
  #view: DataView;
  #at: number;
  readonly #next: (() => Bytes) | undefined;
  readonly #nextAt: number;

  /** Writes into `bytes` from `at` on; where they end, into those that `next` gives, from `nextAt` on. */
  constructor(bytes: Bytes, at: number, next?: () => Bytes, nextAt = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
    this.#next = next;
    this.#nextAt = nextAt;
  }

  words(...values: readonly number[]): void {
    for (const value of values) {
      if (this.#at + WORD_BYTES <= this.#bytes.length) {
        this.#view.setInt32(this.#at, value, true);
        this.#at += WORD_BYTES;
      } else {
        oneWordScratch[0] = value;
        this.bytes(bytesOfWordScratch);
      }
    }
  }

  bytes(source: Bytes): void {
    let from = 0;
    while (from < source.length) {
      if (this.#at === this.#bytes.length) this.#goOn();
      const count = Math.min(source.length - from, this.#bytes.length - this.#at);
      const part = count === source.length ? source : source.subarray(from, from + count);
      this.#bytes.set(part, this.#at);
      this.#at += count;
      from += count;
    }
  }

  /** Writes many bytes incrementally. */
  bytesInSteps(source: Bytes): Steps<void> {
    return inSteps(source, (part) => {
      this.bytes(part);
    });
  }

  #goOn(): void {
    assert(this.#next !== undefined, 'there is room for what is written');
    const bytes = this.#next();
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = this.#nextAt;
  }
}

export class WordReader {
  readonly #pieces: Pieces;
  #nth = 0;
  #bytes: Bytes;
  #view: DataView;
  #at = 0;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
    this.#bytes = pieces[0] ?? NOTHING;
    this.#view = viewOf(this.#bytes);
  }

  word(): number {
    if (this.#at + WORD_BYTES > this.#bytes.length) {
      bytesOfWordScratch.set(this.bytes(WORD_BYTES));
      return oneWordScratch[0]!;
    }
    const word = this.#view.getInt32(this.#at, true);
    this.#at += WORD_BYTES;
    return word;
  }

  /** The next bytes: a view of them, or a copy where they lie in several pieces. */
  bytes(length: number): Bytes {
    if (this.#at === this.#bytes.length && length > 0) this.#goOn();
    const at = this.#at;
    if (at + length <= this.#bytes.length) {
      this.#at += length;
      return this.#bytes.subarray(at, this.#at);
    }
    const whole = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      const part = this.bytes(Math.min(length - filled, this.#left()));
      whole.set(part, filled);
      filled += part.length;
    }
    return whole;
  }

  /** The next bytes as views of the pieces that they lie in. */
  views(length: number): Bytes[] {
    const views: Bytes[] = [];
    for (let left = length; left > 0;) {
      const view = this.bytes(Math.min(left, this.#left()));
      views.push(view);
      left -= view.length;
    }
    return views;
  }

  /** Bytes that are left of the current piece, or of the next where that is read. */
  #left(): number {
    if (this.#at === this.#bytes.length) this.#goOn();
    return this.#bytes.length - this.#at;
  }

  #goOn(): void {
    this.#nth += 1;
    const bytes = this.#pieces[this.#nth];
    assert(bytes !== undefined, 'what is read was written');
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#at = 0;
  }
}

const NOTHING: Bytes = new Uint8Array(0);

function viewOf({ buffer, byteOffset, byteLength }: Bytes): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
