import type { Bytes } from '#base';

/** Bytes of a field, a member or an element, where they lie. */
export interface Piece {
  bytes: Bytes;
  at: number;
  length: number;
}
