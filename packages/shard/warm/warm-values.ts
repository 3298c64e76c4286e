/**
 * Fetches of warm values: values requested by commands, snapshots and compaction are read by number, and passed to all
 * requesters.
 */

import { type Bytes, ChurnMap, CommandError } from '#base';
import { type Store, warm } from '#store';
import type { TierLink } from '#tier';
import { FetchTimes } from './fetch-times.ts';

/** Number of extents that are read at the same time for compaction. */
const COMPACTIONS_MAX = 4;

/** Receives the entry of a value, or the error. */
type ValueTaker = (entry: Bytes | CommandError) => void;

interface Fetch {
  readonly takers: ValueTaker[];
  readonly sinceUs: number;
}

interface WarmValuesOptions {
  readonly store: Store;
  readonly link: TierLink;
  readonly nowUs: () => number;
}

export class WarmValues {
  readonly times = new FetchTimes();
  readonly #options: WarmValuesOptions;
  readonly #fetches = new ChurnMap<number, Fetch>();
  readonly #compacted = new Set<number>();
  readonly #isAwaited = (number: number): boolean => this.#fetches.has(number);

  constructor(options: WarmValuesOptions) {
    this.#options = options;
  }

  /** True when something has come from the disk. */
  get hasArrived(): boolean {
    return this.#options.link.hasArrived;
  }

  get underWay(): number {
    return this.#fetches.size;
  }

  /** Passes the entry of a value to `take` once it is read; at once if it is still in memory. */
  fetch(number: number, take: ValueTaker): void {
    const { store, link, nowUs } = this.#options;
    const unwritten = store.tier.unwritten(number);
    if (unwritten !== undefined) {
      take(unwritten);
      return;
    }
    const fetch = this.#fetches.get(number);
    if (fetch !== undefined) {
      fetch.takers.push(take);
      return;
    }
    this.#fetches.set(number, { takers: [take], sinceUs: nowUs() });
    store.tier.beginRead(warm.extentOf(number));
    link.ask(number);
  }

  /** Passes on values that were read, and continues compaction; returns true if any value was read. */
  step(): boolean {
    const { store, link } = this.#options;
    this.#compact();
    if (!link.hasArrived) return false;
    link.take(({ isExtent, number, bytes }) => {
      if (!isExtent) {
        this.#came(number, bytes);
      } else if (this.#compacted.delete(number)) {
        if (!(bytes instanceof CommandError)) warm.moveLive(store, number, bytes, this.#isAwaited);
        store.tier.endRead(number);
      }
    });
    return true;
  }

  #came(number: number, entry: Bytes | CommandError): void {
    const fetch = this.#fetches.get(number);
    if (fetch === undefined) return;
    this.#fetches.delete(number);
    this.times.add(this.#options.nowUs() - fetch.sinceUs);
    for (const take of fetch.takers) take(entry);
    this.#options.store.tier.endRead(warm.extentOf(number));
  }

  #compact(): void {
    const { store, link } = this.#options;
    while (this.#compacted.size < COMPACTIONS_MAX && store.tier.isFlowing) {
      const extent = warm.sparseExtent(store);
      if (extent < 0) return;
      store.tier.sparse.delete(extent);
      this.#compacted.add(extent);
      store.tier.beginRead(extent);
      link.askExtent(extent);
    }
  }

  /** Publishes requests to the tier's thread. */
  publish(): void {
    this.#options.link.publish();
  }
}
