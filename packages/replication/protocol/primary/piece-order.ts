/**
 * Orders pieces of full syncs that several shards write at the same time, so that each value is contiguous: while a
 * value of one shard continues in its next piece, pieces of others wait.
 */

import type { Bytes } from '#base';

/** Piece of a shard. */
export interface ShardPiece {
  readonly shard: number;
  readonly bytes: Bytes;
  /** True if its last value continues in the next piece of the shard. */
  readonly goesOn: boolean;
}

export class PieceOrder {
  readonly #give: (piece: ShardPiece) => void;
  /** Shard whose value is incomplete. */
  #unfinished: number | undefined;
  /** Pieces that wait, by their shards, whose order they keep. */
  readonly #waiting = new Map<number, ShardPiece[]>();
  waitingBytes = 0;

  constructor(give: (piece: ShardPiece) => void) {
    this.#give = give;
  }

  take(piece: ShardPiece): void {
    const { shard } = piece;
    if (this.#unfinished !== undefined && this.#unfinished !== shard) {
      this.#keep(piece);
      return;
    }
    this.#pass(piece);
    // A value that waited may be incomplete as well, and the rest waits for that.
    for (const waiting of this.#waiting.keys()) {
      if (this.#unfinished === undefined) this.#passWaiting(waiting);
    }
  }

  #keep(piece: ShardPiece): void {
    const pieces = this.#waiting.get(piece.shard);
    if (pieces === undefined) this.#waiting.set(piece.shard, [piece]);
    else pieces.push(piece);
    this.waitingBytes += piece.bytes.length;
  }

  #pass(piece: ShardPiece): void {
    this.#unfinished = piece.goesOn ? piece.shard : undefined;
    this.#give(piece);
  }

  /** Gives all away that a shard has waiting. */
  #passWaiting(shard: number): void {
    const pieces = this.#waiting.get(shard)!;
    this.#waiting.delete(shard);
    for (const piece of pieces) {
      this.waitingBytes -= piece.bytes.length;
      this.#pass(piece);
    }
  }
}
