/** Places in memory that are given to the store: reused objects, since a command must make no garbage. */

import type { ByteRange } from './shared-views.ts';

export class Span implements ByteRange {
  bytes: Uint8Array;
  at: number;
  length: number;

  constructor(bytes: Uint8Array = new Uint8Array(0), at = 0, length = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  /** Points at all of the bytes. */
  all(bytes: Uint8Array): this {
    return this.point(bytes, 0, bytes.length);
  }

  point(bytes: Uint8Array, at: number, length: number): this {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
    return this;
  }

  /** Points at nothing: what was pointed at last may be large. */
  letGo(): void {
    this.all(new Uint8Array(0));
  }
}

/** Place of a key that is handed to the very next call. */
export const keyScratch = new Span();

/** Place of a value that is handed to the very next call. */
export const valueScratch = new Span();
