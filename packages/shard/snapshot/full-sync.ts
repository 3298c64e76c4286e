/**
 * A shard's share of a full synchronisation: all its keys as they were at one place of the order, in the form of Redis'
 * snapshots, sent to main as far as that has said it has room.
 */

import { type Bytes, keySlot, SLOT_COUNT, type Steps } from '#base';
import { CONTINUED, FrameKind, ReplyFlag, type SlotSpan } from '#link';
import { type Keyspace, rdb, type Ref, type SnapshotIterator } from '#store';
import type { ReplySender } from '../frames/reply-sender.ts';
import { SyncPieces } from './sync-pieces.ts';

/** Pieces of about this fit a frame. */
const PIECE_BYTES = 40 * 1024;

export interface SyncOrder {
  readonly number: number;
  readonly credit: number;
  readonly filter: 'all' | 'functions' | 'nothing';
  /** Slots of the keys that are sent; null for all keys. */
  readonly slots: readonly SlotSpan[] | null;
}

export class FullSync {
  readonly number: number;
  hasEnded = false;
  readonly #freeze: SnapshotIterator;
  readonly #sender: ReplySender;
  readonly #writer: rdb.RdbPieceWriter;
  /** Bytes that main has room for; negative after a large piece. */
  #credit: number;
  /** Pieces to be sent: some are written while a command runs, when nothing can be. */
  readonly #pieces = new SyncPieces();
  /** True between commands, when pieces can be sent as they are written. */
  #isWalking = false;
  #isAbandoned = false;
  readonly #hasKeys: boolean;
  readonly #isWanted: ((keyspace: Keyspace, ref: Ref) => boolean) | undefined;
  #fault: string | undefined;

  constructor(
    order: SyncOrder,
    freeze: SnapshotIterator,
    sender: ReplySender,
    moved: () => void = () => undefined,
  ) {
    this.number = order.number;
    this.#credit = order.credit;
    this.#hasKeys = order.filter === 'all';
    this.#isWanted = order.slots === null ? undefined : isOfSlots(order.slots, moved);
    this.#freeze = freeze;
    this.#sender = sender;
    this.#writer = new rdb.RdbPieceWriter(PIECE_BYTES);
  }

  /** Begins with the libraries of functions, which every shard has. */
  begin(libraries: readonly Bytes[]): void {
    const writer = this.#writer;
    for (const code of libraries) writer.library(code);
    if (!this.#hasKeys) {
      if (writer.count > 0) this.#pieces.add(writer.written.slice());
      return;
    }
    this.#freeze.begin(
      (piece) => {
        this.#takeWritten(piece);
      },
      () => {
        this.#fault = 'out of memory for the copy of a value, or the warm tier could not be read';
      },
      {
        writer,
        pieceBytes: PIECE_BYTES,
        isWanted: this.#isWanted,
        longSteps: (keyspace, ref, database, wrote) => {
          const long = this.#pieces.addLong();
          const steps = writer.inSteps(keyspace, ref, database, (piece) => {
            wrote(piece.length);
            long.pieces.push(piece);
          });
          return endingWith(steps, () => {
            long.isWhole = true;
          });
        },
      },
    );
  }

  /** Sends a piece out of the writer's memory where that can be: each copy is garbage that has the collector stop the shard. */
  #takeWritten(piece: Bytes): void {
    if (this.#isWalking && this.#credit > 0 && this.#pieces.isDrained) {
      this.#credit -= piece.length;
      const isGiven = this.#sender.isTransferred(piece);
      this.#sender.give(FrameKind.rdb, 0, this.number, isGiven ? piece.slice() : piece);
    } else {
      this.#pieces.add(piece.slice());
    }
  }

  grant(byteCount: number): void {
    this.#credit += byteCount;
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#pieces.clear();
    this.#freeze.abandon();
  }

  /** Performs a slice of work; false if nothing could be done. */
  slice(nowUs: () => number, budgetUs: number): boolean {
    const mayGoOn = this.#isAbandoned || this.#credit > 0;
    if (!mayGoOn) return false;
    this.#send();
    if (this.#freeze.isActive) {
      if (!this.#pieces.isEmpty) return false;
      this.#isWalking = true;
      this.#freeze.slice(nowUs, budgetUs);
      this.#isWalking = false;
      this.#send();
    }
    if (!this.#freeze.isActive && this.#pieces.isEmpty) this.#end();
    return !this.#freeze.isWaiting;
  }

  #send(): void {
    if (this.#isAbandoned) this.#pieces.clear();
    while (!this.#pieces.isEmpty && this.#credit > 0) {
      this.#pieces.sendNext((piece, goesOn) => {
        this.#credit -= piece.length;
        this.#sender.give(
          goesOn ? FrameKind.rdb | CONTINUED : FrameKind.rdb,
          0,
          this.number,
          piece,
        );
      });
    }
  }

  #end(): void {
    this.hasEnded = true;
    const fault = this.#fault;
    if (fault === undefined) this.#sender.sendSignal(FrameKind.rdb, 0, this.number);
    else this.#sender.send(FrameKind.rdb, 0, this.number, Buffer.from(fault), ReplyFlag.error);
  }
}

/** Returns a filter for keys of slots, which calls `found` for each. */
function isOfSlots(spans: readonly SlotSpan[], found: () => void) {
  const isWanted = new Uint8Array(SLOT_COUNT);
  for (const [first, last] of spans) isWanted.fill(1, first, last + 1);
  return (keyspace: Keyspace, ref: Ref): boolean => {
    const { bytes, at, length } = keyspace.key(ref);
    const isOfThem = isWanted[keySlot(bytes, at, length)] === 1;
    if (isOfThem) found();
    return isOfThem;
  };
}

/** Returns the steps, followed by a call of `done`. */
function* endingWith(steps: Steps<void>, done: () => void): Steps<void> {
  yield* steps;
  done();
}
