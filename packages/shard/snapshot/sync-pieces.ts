/**
 * Pieces of a full synchronisation in the order in which they are sent: those of a long value come in a row, and what is
 * written meanwhile waits.
 */

import type { Bytes } from '#base';

/** A value that is written in steps. */
interface LongPieces {
  readonly pieces: Bytes[];
  /** All of them are there. */
  isWhole: boolean;
}

/** Sends a piece; `goesOn` is true if its value continues in the next. */
type SendPiece = (piece: Bytes, goesOn: boolean) => void;

export class SyncPieces {
  #pieces: Bytes[] = [];
  #longs: LongPieces[] = [];
  /** A part of the first long value was sent. */
  #isWithin = false;

  /** Adds a piece that holds whole keys. */
  add(piece: Bytes): void {
    this.#pieces.push(piece);
  }

  /** Adds a long value, whose pieces are still to come. */
  addLong(): LongPieces {
    const long: LongPieces = { pieces: [], isWhole: false };
    this.#longs.push(long);
    return long;
  }

  /** True when there is nothing that can be sent. */
  get isEmpty(): boolean {
    const [long] = this.#longs;
    const isReady = long !== undefined && this.#isReady(long);
    return !isReady && (this.#isWithin || this.#pieces.length === 0);
  }

  /** True when nothing is waiting, and no long value is under way. */
  get isDrained(): boolean {
    return this.#pieces.length === 0 && this.#longs.length === 0;
  }

  clear(): void {
    this.#pieces = [];
    this.#longs = [];
    this.#isWithin = false;
  }

  /** Sends the next piece, if there is one. */
  sendNext(send: SendPiece): void {
    const [long] = this.#longs;
    if (!this.#isWithin && this.#pieces.length > 0) {
      send(this.#pieces.shift()!, false);
    } else if (long !== undefined && this.#isReady(long)) {
      const piece = long.pieces.shift()!;
      const isLast = long.pieces.length === 0;
      this.#isWithin = !isLast;
      if (isLast) this.#longs.shift();
      send(piece, !isLast);
    }
  }

  /** True when its next piece can be sent. While it is not whole one is kept, which may be the last. */
  #isReady({ pieces, isWhole }: LongPieces): boolean {
    return pieces.length > (isWhole ? 0 : 1);
  }
}
