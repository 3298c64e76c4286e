/**
 * Word-wise access to byte arrays that others own.
 *
 * A DataView reads four bytes at any offset as fast as one, but making one costs as much as the copy
 * saves. So the view of an array is made when the array is seen for the second time without another new
 * one between (a ring, an input buffer, a node of a list). Two are kept, since a command may use one array
 * and its reply another; a third takes the place of the older.
 */

import { reused, type Reused } from './reused.ts';

/** In a smaller one there is little to copy, and among larger ones it would take their place. */
const VIEWED_BYTES_MIN = 256;

const NO_BYTES = new Uint8Array(0);

export class ByteViews implements Reused {
  #bytes: Uint8Array = NO_BYTES;
  #view: DataView = new DataView(NO_BYTES.buffer);
  #olderBytes: Uint8Array = NO_BYTES;
  #olderView: DataView = this.#view;
  #seen: Uint8Array = NO_BYTES;

  constructor() {
    reused(this);
  }

  letGo(): void {
    this.#bytes = NO_BYTES;
    this.#view = new DataView(NO_BYTES.buffer);
    this.#olderBytes = NO_BYTES;
    this.#olderView = this.#view;
    this.#seen = NO_BYTES;
  }

  /** The view of `bytes`, or undefined when it is not worth one yet. */
  of(bytes: Uint8Array): DataView | undefined {
    if (bytes === this.#bytes) return this.#view;
    return bytes === this.#olderBytes ? this.#olderView : this.#consider(bytes);
  }

  #consider(bytes: Uint8Array): DataView | undefined {
    if (bytes.length < VIEWED_BYTES_MIN) return undefined;
    if (bytes !== this.#seen) {
      this.#seen = bytes;
      return undefined;
    }
    this.#seen = NO_BYTES;
    this.#olderBytes = this.#bytes;
    this.#olderView = this.#view;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return this.#view;
  }
}

/** Copies by four words, words and bytes. */
export function copyWords(
  to: DataView,
  targetAt: number,
  from: DataView,
  fromAt: number,
  length: number,
): void {
  const end = fromAt + length;
  let j = targetAt;
  let i = fromAt;
  for (; i <= end - 16; i += 16, j += 16) {
    to.setInt32(j, from.getInt32(i, true), true);
    to.setInt32(j + 4, from.getInt32(i + 4, true), true);
    to.setInt32(j + 8, from.getInt32(i + 8, true), true);
    to.setInt32(j + 12, from.getInt32(i + 12, true), true);
  }
  for (; i <= end - 4; i += 4, j += 4) to.setInt32(j, from.getInt32(i, true), true);
  for (; i < end; i += 1, j += 1) to.setUint8(j, from.getUint8(i));
}
