/** The hash of a field that is at hand, because it was looked ahead for; one for a whole thread. */

import type { Bytes } from '#base';

/** Two secret words for the hash. */
export interface HashSecrets {
  readonly secret0: number;
  readonly secret1: number;
}

class FieldHint {
  hash = 0;
  #secrets: HashSecrets | undefined;
  #bytes: Bytes | undefined;
  /** -1 while there is no field. */
  #at = -1;
  #length = 0;

  /** The field, and its hash by those secrets. */
  set(secrets: HashSecrets, bytes: Bytes, at: number, length: number, hash: number): void {
    this.#secrets = secrets;
    this.#bytes = bytes;
    this.#at = at;
    this.#length = length;
    this.hash = hash;
  }

  /** The field's bytes may be others now. */
  clear(): void {
    this.#bytes = undefined;
    this.#at = -1;
  }

  /** True when `hash` is that of these bytes. */
  isOf(secrets: HashSecrets, bytes: Bytes, at: number, length: number): boolean {
    const isThere = at === this.#at && length === this.#length;
    return isThere && bytes === this.#bytes && secrets === this.#secrets;
  }
}

export const fieldHintScratch = new FieldHint();
