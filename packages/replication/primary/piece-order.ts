/**
 * Puts pieces of full synchronisations that several shards write at once in an order in which each value is whole: while a
 * value of one shard goes on in its next piece, pieces of others wait.
 */

import type { Bytes } from '#base';

/** Piece of a shard. */
export interface ShardPiece {
  readonly shard: number;
  readonly bytes: Bytes;
  /** Its last value goes on in the next piece of the shard. */
  readonly goesOn: boolean;
}

export class PieceOrder {
  readonly #give: (piece: ShardPiece) => void;
  /** Shard whose value goes on. */
  #unfinished: number | undefined;
  #waiting: ShardPiece[] = [];
  waitingBytes = 0;

  constructor(give: (piece: ShardPiece) => void) {
    this.#give = give;
  }

  take(piece: ShardPiece): void {
    if (!this.#pass(piece)) return;
    // What waited may hold another value that goes on, behind which the rest waits again.
    while (this.#unfinished === undefined && this.#waiting.length > 0) this.#passWaiting();
  }

  /** Gives a piece away, or keeps it; true when it was given away and its values are whole. */
  #pass(piece: ShardPiece): boolean {
    const { shard, goesOn, bytes } = piece;
    if (this.#unfinished !== undefined && this.#unfinished !== shard) {
      this.#waiting.push(piece);
      this.waitingBytes += bytes.length;
      return false;
    }
    this.#unfinished = goesOn ? shard : undefined;
    this.#give(piece);
    return !goesOn;
  }

  #passWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.waitingBytes = 0;
    for (const piece of waiting) this.#pass(piece);
  }
}
