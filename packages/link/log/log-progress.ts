/**
 * Progress of a shard's log on disk.
 *
 *   word      written by     read by           meaning
 *   SYNCED    owner of log   shard             position in the log's ring up to which all is on disk, wrapping at 2^32
 *   FAILED    owner of log   shard and main    1 while the log cannot be written
 *   PIECES    disk thread    shard             pieces of snapshots that were taken, wrapping at 2^32
 */

import type { LinkMemory } from '../memory.ts';

const SYNCED = 0;
const FAILED = 16;
const PIECES = 17;

/** Bytes that these words take in the link memory. */
export const LOG_PROGRESS_BYTES = 128;

export class LogProgress {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(memory: LinkMemory, at: number) {
    this.#words = memory.words;
    this.#at = at >> 2;
  }

  /** All up to this position of the ring is on disk. */
  setSynced(position: number): void {
    Atomics.store(this.#words, this.#at + SYNCED, position | 0);
    Atomics.notify(this.#words, this.#at + SYNCED);
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#words, this.#at + FAILED) === 1;
  }

  /** The log cannot be written, or can again; who waits for it is woken. */
  set hasFailed(value: boolean) {
    Atomics.store(this.#words, this.#at + FAILED, value ? 1 : 0);
    Atomics.notify(this.#words, this.#at + SYNCED);
  }

  /** One more piece of a snapshot is written, or dropped. */
  tookPiece(): void {
    Atomics.add(this.#words, this.#at + PIECES, 1);
  }

  get piecesTaken(): number {
    return Atomics.load(this.#words, this.#at + PIECES);
  }

  isSynced(position: number): boolean {
    return ((Atomics.load(this.#words, this.#at + SYNCED) - position) | 0) >= 0;
  }

  /** Sleeps until all up to the position is on disk; false when the log fails. For shards only. */
  waitFor(position: number): boolean {
    for (;;) {
      const synced = Atomics.load(this.#words, this.#at + SYNCED);
      if (((synced - position) | 0) >= 0) return true;
      if (this.hasFailed) return false;
      Atomics.wait(this.#words, this.#at + SYNCED, synced, LOOK_MS);
    }
  }
}

/** Milliseconds after which a failure between check and sleep is seen. */
const LOOK_MS = 100;
