/** SHA-1 of sources, and its text: what was seen lately is compared instead of being hashed, or made a string, again. */

import { createHash } from 'node:crypto';
import { asBuffer, sameBytes } from '../bytes/bytes.ts';
import type { Bytes } from '../bytes/byte-array.ts';

/** Places for sources, by a cheap hash of them; a power of two. */
const PLACES = 256;
/** Longer sources are hashed each time. */
const BYTES_MAX = 65_536;

interface Seen {
  readonly source: Bytes;
  readonly digest: string;
}

export class SourceDigests {
  readonly #seen = new Array<Seen | undefined>(PLACES);

  /** Returns the digest of these bytes: 40 hexadecimal digits in lower case. */
  of(bytes: Bytes, at: number, length: number): string {
    if (length > BYTES_MAX) return digestOf(bytes.subarray(at, at + length));
    const place = placeOf(bytes, at, length);
    const seen = this.#seen[place];
    if (seen !== undefined && isEqual(seen.source, bytes, at, length)) return seen.digest;
    const source = Uint8Array.from(bytes.subarray(at, at + length));
    const digest = digestOf(source);
    this.#seen[place] = { source, digest };
    return digest;
  }

  /** Forgets all sources. */
  clear(): void {
    this.#seen.fill(undefined);
  }
}

const DIGEST_LENGTH = 40;

/** Digests as clients name them, in either case: the one that was named last is compared instead of being made a string. */
export class NamedDigests {
  readonly #bytes = new Uint8Array(DIGEST_LENGTH);
  #latest = '';

  /** Returns the digest in lower case, or undefined where the bytes have not the length of one. */
  of(bytes: Bytes, at: number, length: number): string | undefined {
    if (length !== DIGEST_LENGTH) return undefined;
    if (this.#latest !== '' && sameBytes(bytes, at, this.#bytes, 0, length)) return this.#latest;
    this.#bytes.set(bytes.subarray(at, at + length));
    this.#latest = asBuffer(this.#bytes).toString('latin1').toLowerCase();
    return this.#latest;
  }
}

function digestOf(source: Bytes): string {
  return createHash('sha1').update(source).digest('hex');
}

function placeOf(bytes: Bytes, at: number, length: number): number {
  const last = length - 1;
  let hash = length;
  for (let nth = 0; nth < 8; nth += 1) {
    hash = (Math.imul(hash, 31) + (bytes[at + Math.floor((last * nth) / 7)] ?? 0)) | 0;
  }
  return hash & (PLACES - 1);
}

function isEqual(source: Bytes, bytes: Bytes, at: number, length: number): boolean {
  return (
    source.length === length && asBuffer(bytes).compare(source, 0, length, at, at + length) === 0
  );
}
