/** Words of 32 bits and runs of bytes, one behind the other, beginning at any byte. */

import type { Bytes } from '#base';

const WORD_BYTES = 4;

/** The same memory as bytes. */
export function asBytes(words: Int32Array, from = 0, to = words.length): Bytes {
  return new Uint8Array(
    words.buffer,
    words.byteOffset + from * WORD_BYTES,
    (to - from) * WORD_BYTES,
  );
}

export class WordWriter {
  at: number;
  readonly #bytes: Bytes;
  readonly #view: DataView;

  constructor(bytes: Bytes, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  words(...values: readonly number[]): void {
    for (const value of values) {
      this.#view.setInt32(this.at, value, true);
      this.at += WORD_BYTES;
    }
  }

  bytes(source: Bytes): void {
    this.#bytes.set(source, this.at);
    this.at += source.length;
  }
}

export class WordReader {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  word(): number {
    const word = this.#view.getInt32(this.#at, true);
    this.#at += WORD_BYTES;
    return word;
  }

  /** A view of the next bytes. */
  bytes(length: number): Bytes {
    const at = this.#at;
    this.#at += length;
    return this.#bytes.subarray(at, this.#at);
  }
}
