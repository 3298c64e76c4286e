/** Bytes in several pieces of memory, one behind the other: a Uint8Array ends at 4 GiB. */

import type { Bytes } from './bytes.ts';

export type Pieces = readonly Bytes[];

/** How many bytes the pieces have together. */
export function bytesOfPieces(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** The pieces as one: the only one itself, or a copy of all. Throws a RangeError where no memory can have so many. */
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

/** Views of `length` of the bytes from `from` on. */
export function slicePieces(pieces: Pieces, from: number, length: number): Bytes[] {
  const views: Bytes[] = [];
  let skip = from;
  let left = length;
  for (const piece of pieces) {
    if (left === 0) break;
    if (skip >= piece.length) {
      skip -= piece.length;
      continue;
    }
    const view = piece.subarray(skip, skip + left);
    skip = 0;
    left -= view.length;
    views.push(view);
  }
  return views;
}
