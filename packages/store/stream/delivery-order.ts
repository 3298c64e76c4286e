/**
 * Pending entries of a group in the order of their last delivery: by time, and within a millisecond by rank, which is
 * higher for a later change. It answers which entries have been idle the longest without a look at the others.
 */

import type { Steps } from '#base';
import { IdIndex, IdPlace } from './id-index.ts';
import type { MemoryTally } from './memory-tally.ts';
import { StreamId } from './stream-id.ts';

const WORD = 2 ** 32;
const ID_WORDS = 4;
const RANK_MAX = 2 ** 32 - 1;

const keyScratch = new StreamId();
const idScratch = new StreamId();
const placeScratch = new IdPlace();

export class DeliveryOrder {
  /** Keys are the time and the rank in the form of an id; their words are the entry's id. */
  readonly #index: IdIndex;
  #lastRank = 0;

  constructor(tally: MemoryTally) {
    this.#index = new IdIndex(ID_WORDS, tally);
  }

  /** Adds all entries of a group's index, entries of one millisecond by their ids. */
  build(
    pending: IdIndex,
    deliveredMs: (at: IdPlace) => number,
    setRank: (at: IdPlace, rank: number) => void,
  ): void {
    const at = new IdPlace();
    for (let more = pending.first(at); more; more = pending.next(at)) {
      pending.readId(at, idScratch);
      setRank(at, this.add(deliveredMs(at), idScratch));
    }
  }

  /** Adds all entries of another order, with their ranks; there are none here. */
  *copyFrom(other: DeliveryOrder): Steps<void> {
    this.#lastRank = other.#lastRank;
    yield* this.#index.copyFrom(other.#index);
  }

  /** True when no rank is left. */
  get isFull(): boolean {
    return this.#lastRank === RANK_MAX;
  }

  /** Rank of what was added last. */
  get lastRank(): number {
    return this.#lastRank;
  }

  /** Adds an entry that was delivered at that Unix millisecond, behind all others of it; returns its rank. */
  add(unixMs: number, { msHigh, msLow, seqHigh, seqLow }: StreamId): number {
    this.#lastRank += 1;
    const index = this.#index;
    index.insert(key(unixMs, this.#lastRank), placeScratch);
    index.setWord(placeScratch, 0, msHigh);
    index.setWord(placeScratch, 1, msLow);
    index.setWord(placeScratch, 2, seqHigh);
    index.setWord(placeScratch, 3, seqLow);
    return this.#lastRank;
  }

  /** Removes what `add` gave that rank; a rank of 0 stands for nothing. The rank may be given as a signed word. */
  remove(unixMs: number, rank: number): void {
    if (rank === 0) return;
    if (this.#index.find(key(unixMs, rank), placeScratch)) this.#index.remove(placeScratch);
  }

  /** Points at the first entry after that time and rank; false if there is none. */
  seekAfter(unixMs: number, rank: number, place: IdPlace): boolean {
    keyScratch.setWords(Math.floor(unixMs / WORD), unixMs, 0, rank).increment();
    return this.#index.seek(keyScratch, place);
  }

  first(place: IdPlace): boolean {
    return this.#index.first(place);
  }

  next(place: IdPlace): boolean {
    return this.#index.next(place);
  }

  /** Reads the id of the entry at a place. */
  readId(place: IdPlace, id: StreamId): void {
    const index = this.#index;
    id.setWords(
      index.word(place, 0),
      index.word(place, 1),
      index.word(place, 2),
      index.word(place, 3),
    );
  }

  /** Returns the Unix millisecond of the delivery at a place. */
  msAt(place: IdPlace): number {
    this.#index.readId(place, keyScratch);
    return (keyScratch.msHigh >>> 0) * WORD + (keyScratch.msLow >>> 0);
  }

  rankAt(place: IdPlace): number {
    this.#index.readId(place, keyScratch);
    return keyScratch.seqLow >>> 0;
  }

  clear(): void {
    this.#index.clear();
  }
}

function key(unixMs: number, rank: number): StreamId {
  return keyScratch.setWords(Math.floor(unixMs / WORD), unixMs, 0, rank);
}
