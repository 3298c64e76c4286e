/** Hashes the keys of all databases of a store, with a secret of its own. */

import { assert, halfSipHash } from '#base';

/** The hash of a key that is at hand; no key at -1. */
class HashHint {
  bytes: Uint8Array | undefined;
  at = -1;
  length = 0;
  hash = 0;
}

export class KeyHasher {
  readonly hint = new HashHint();
  readonly secret0: number;
  readonly secret1: number;

  constructor(seed: Uint8Array) {
    assert(seed.length === 16, 'a hash seed of 16 bytes');
    const words = new DataView(seed.buffer, seed.byteOffset, seed.length);
    this.secret0 = words.getInt32(0, true) ^ words.getInt32(8, true);
    this.secret1 = words.getInt32(4, true) ^ words.getInt32(12, true);
  }

  /** The hash of a key; never 0, which the index has for unused slots. */
  hash(bytes: Uint8Array, at: number, length: number): number {
    if (this.isHinted(bytes, at, length)) return this.hint.hash;
    const hash = halfSipHash(this.secret0, this.secret1, bytes, at, length);
    return hash === 0 ? 1 : hash;
  }

  /** True for the key that is at hand. */
  isHinted(bytes: Uint8Array, at: number, length: number): boolean {
    const { hint } = this;
    return at === hint.at && length === hint.length && bytes === hint.bytes;
  }
}
