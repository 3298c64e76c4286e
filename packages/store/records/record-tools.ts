/** Tools that the databases of a store share for reading keys and values. */

import { assert, ByteViews, halfSipHash } from '#base';

/** A place in memory. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
}

/** A place in memory that the next call overwrites. */
export class ValueView implements ByteRange {
  bytes: Uint8Array = new Uint8Array(0);
  /** View of the same bytes; without it they are the value's alone, and begin with it. */
  view: DataView | undefined;
  at = 0;
  length = 0;

  /** Points at nothing: what was pointed at last may have gone. */
  letGo(): void {
    this.bytes = new Uint8Array(0);
    this.view = undefined;
  }
}

/** The hash of a key that is at hand; no key at -1. */
class HashHint {
  bytes: Uint8Array | undefined;
  at = -1;
  length = 0;
  hash = 0;
}

export class RecordTools {
  readonly hint = new HashHint();
  readonly secret0: number;
  readonly secret1: number;
  readonly keyViews = new ByteViews();
  readonly valueViews = new ByteViews();
  readonly view = new ValueView();

  constructor(seed: Uint8Array) {
    assert(seed.length === 16, 'a hash seed of 16 bytes');
    const words = new DataView(seed.buffer, seed.byteOffset, seed.length);
    this.secret0 = words.getInt32(0, true) ^ words.getInt32(8, true);
    this.secret1 = words.getInt32(4, true) ^ words.getInt32(12, true);
  }

  /** The hash of a key; never 0, which the index has for unused slots. */
  hash(bytes: Uint8Array, at: number, length: number): number {
    const { hint } = this;
    if (at === hint.at && length === hint.length && bytes === hint.bytes) return hint.hash;
    const hash = halfSipHash(this.secret0, this.secret1, bytes, at, length);
    return hash === 0 ? 1 : hash;
  }
}
