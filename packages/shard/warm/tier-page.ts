/** Figures of a shard's warm tier on its page. */

import { AT, type Page } from '#stats';
import type { Store } from '#store';
import type { TierFigures } from '#tier';
import type { FetchTimes } from './fetch-times.ts';
import type { WorkingSet } from './working-set.ts';

interface TierPageOptions {
  readonly store: Store;
  readonly page: Page;
  readonly times: FetchTimes;
  readonly figures: TierFigures;
  readonly workingSet: WorkingSet;
}

/** Share of all use that the working set is to hold. */
const WORKING_SET_SHARE = 0.99;

/** Counters of the store's tier that the page has under another name. */
const COUNTERS = [
  ['spills', 'tierSpills'],
  ['unspills', 'tierUnspills'],
  ['expiredOnFetch', 'tierExpired'],
  ['fetches', 'tierFetches'],
  ['waits', 'tierWaits'],
  ['spilledBytes', 'tierSpilledBytes'],
  ['compactedBytes', 'tierCompactedBytes'],
] as const;

export class TierPage {
  readonly #options: TierPageOptions;
  readonly #before = new Map<string, number>();
  #errorsBefore = 0;

  constructor(options: TierPageOptions) {
    this.#options = options;
  }

  /** Brings the page up to date. */
  publish(): void {
    const { store, page, times, figures } = this.#options;
    const { values } = page;
    const { stats, extents, deadBytes } = store.tier;
    for (const [name, counter] of COUNTERS) {
      values[AT[counter]] = stats[name] - (this.#before.get(name) ?? 0);
    }
    values[AT.tierWarmKeys] = stats.keys;
    values[AT.tierHotKeys] = store.keyCount - stats.keys;
    values[AT.tierBytes] = extents.byteCount;
    values[AT.tierLiveBytes] = Math.round(extents.byteCount - deadBytes);
    values[AT.tierFileBytes] = figures.get('fileBytes');
    values[AT.tierWrittenBytes] = figures.get('writtenBytes');
    values[AT.tierErrors] = figures.get('errors') - this.#errorsBefore;
    values[AT.tierFault] = figures.get('fault');
    values[AT.tierFetchUs] = Math.round(times.totalUs);
    values[AT.tierFetchMaxUs] = Math.round(times.mostUs);
  }

  /** Works out what takes longer: not with every batch. */
  publishPercentiles(): void {
    const { page, times, workingSet } = this.#options;
    page.values[AT.tierWorkingSetBytes] = Math.round(workingSet.bytesFor(WORKING_SET_SHARE));
    page.values[AT.tierFetchP50Us] = Math.round(times.percentile(50));
    page.values[AT.tierFetchP99Us] = Math.round(times.percentile(99));
  }

  /** Counts what happens from now on. */
  reset(): void {
    const { store, times, figures } = this.#options;
    for (const [name] of COUNTERS) this.#before.set(name, store.tier.stats[name]);
    this.#errorsBefore = figures.get('errors');
    times.reset();
  }
}
