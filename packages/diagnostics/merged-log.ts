/**
 * A log whose entries are kept where they arise, and shown as one.
 *
 * Ids are given out one by one for the whole process, so the log is what has one of the last `lengthMax`
 * ids, and its length is known without asking anybody.
 */

import type { SharedCounter } from '#link';

export class MergedLog {
  readonly #ids: SharedCounter;
  #lengthMax: number;
  /** Entries with a lower id are forgotten. */
  #firstId = 0;

  constructor(ids: SharedCounter, lengthMax: number) {
    this.#ids = ids;
    this.#lengthMax = lengthMax;
  }

  get lengthMax(): number {
    return this.#lengthMax;
  }

  /** Sets the most entries of the log; entries beyond the old length stay forgotten when there is more room. */
  set lengthMax(lengthMax: number) {
    this.#firstId = this.oldestId;
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#ids.upcoming - this.oldestId;
  }

  /** The lowest id that is part of the log, as of now. */
  get oldestId(): number {
    return Math.max(this.#firstId, this.#ids.upcoming - this.#lengthMax);
  }

  /** The id of the next entry. */
  get upcoming(): number {
    return this.#ids.upcoming;
  }

  /** Forgets everything up to now. */
  clear(): void {
    this.#firstId = this.#ids.upcoming;
  }
}
