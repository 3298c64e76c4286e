/** Bytes in several pieces of memory, one after the other: a Uint8Array ends at 4 GiB. */

import type { Bytes } from './byte-array.ts';

export type Pieces = readonly Bytes[];

/** Returns the number of bytes of all pieces together. */
export function bytesOfPieces(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Joins pieces: returns the only one itself, or a copy of all. Throws a RangeError if they exceed the maximum size of a
 * buffer.
 */
export function joined(pieces: Pieces): Bytes {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(bytesOfPieces(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
