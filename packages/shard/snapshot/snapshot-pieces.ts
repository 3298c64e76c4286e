/**
 * Pieces of snapshots on their way to the disk thread, in memory that is used again when the disk has taken them: as
 * garbage of their size they would have the collector stop the shard for 10 ms.
 */

import type { MessagePort } from 'node:worker_threads';
import type { Bytes } from '#base';
import { allocateShared, type LogProgress } from '#link';
import type { LogLeft, SnapshotPiece } from '#persistence';
import { SNAPSHOT_PIECE_BYTES_USUAL } from '#store';

/** Pieces that may be on their way before the walk over the keys rests; those of keys about to change come besides. */
export const PIECES_AHEAD_MAX = 16;

/** Destination of the pieces of a snapshot. */
export interface SnapshotOutlet {
  /**
   * Sends states of `count` keys, or a part of one, whose bytes are valid until it returns, or are handed over with all
   * their memory; a count of 0 ends the snapshot of that number.
   */
  send(number: number, states: Bytes, count: number, isGiven: boolean): void;
  /** There was no room for a key's state: the snapshot of that number has failed. */
  fail(number: number): void;
  /** The shard logs nothing any more: its log can be closed. */
  leaveLog(): void;
  /** Pieces on their way, which the disk has not taken. */
  readonly ahead: number;
}

export class SnapshotPieces implements SnapshotOutlet {
  readonly #port: MessagePort;
  readonly #progress: LogProgress;
  /** One for each piece that may be on its way. */
  #rooms: Bytes[] = [];
  /** Pieces sent of all snapshots, wrapping at 2^32. */
  #sent = 0;

  constructor(port: MessagePort, progress: LogProgress) {
    this.#port = port;
    this.#progress = progress;
  }

  get ahead(): number {
    return (this.#sent - this.#progress.piecesTaken) | 0;
  }

  send(number: number, states: Bytes, count: number, isGiven: boolean): void {
    const own = isGiven ? states : this.#copied(states);
    const piece: SnapshotPiece = { number, states: own, count };
    this.#port.postMessage(piece, isGiven ? [states.buffer as ArrayBuffer] : []);
    this.#sent = (this.#sent + 1) | 0;
    if (count === 0) this.#rooms = [];
  }

  fail(number: number): void {
    const fault = 'a value is larger than the memory for its copy';
    const piece: SnapshotPiece = { number, states: new Uint8Array(0), count: 0, fault };
    this.#port.postMessage(piece);
    this.#sent = (this.#sent + 1) | 0;
    this.#rooms = [];
  }

  leaveLog(): void {
    this.#port.postMessage({ kind: 'leaves' } satisfies LogLeft);
    this.#rooms = [];
  }

  #copied(states: Bytes): Bytes {
    const hasRoom = this.ahead < PIECES_AHEAD_MAX && states.length <= SNAPSHOT_PIECE_BYTES_USUAL;
    const room = hasRoom ? this.#room() : new Uint8Array(allocateShared(states.length));
    room.set(states);
    return room.subarray(0, states.length);
  }

  /** The piece that had it before was taken: pieces are taken in the order in which they were sent. */
  #room(): Bytes {
    const nth = this.#sent & (PIECES_AHEAD_MAX - 1);
    this.#rooms[nth] ??= new Uint8Array(allocateShared(SNAPSHOT_PIECE_BYTES_USUAL));
    return this.#rooms[nth];
  }
}
