/**
 * Fetches of warm values: what commands, snapshots and compaction want of the tier is asked for by number, and told to
 * all who want it when it comes.
 */

import { type Bytes, ChurnMap, CommandError } from '#base';
import { type Store, warm } from '#store';
import type { TierLink } from '#tier';
import { FetchTimes } from './fetch-times.ts';

/** Extents that are read at the same time to be written anew. */
const COMPACTIONS_MAX = 4;

/** Told of the entry of a value, or why there is none. */
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

  /** Has the entry of a value told, once it is there; what is in memory yet is told at once. */
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

  /** Tells what has come, and has more extents written anew; answers whether anything has come. */
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

  /** Lets the tier's thread see what was asked for. */
  publish(): void {
    this.#options.link.publish();
  }
}
