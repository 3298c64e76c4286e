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

export class TierPage {
  readonly #options: TierPageOptions;
  /** Counters of the tier, and errors of its disk, when counting began. */
  #before: Readonly<Store['tier']['stats']>;
  #errorsBefore = 0;

  constructor(options: TierPageOptions) {
    this.#options = options;
    this.#before = { ...options.store.tier.stats };
  }

  /** Brings the page up to date. */
  publish(): void {
    const { store, page, times, figures } = this.#options;
    const { values } = page;
    const { stats, extents, deadBytes } = store.tier;
    const before = this.#before;
    values[AT.tierSpills] = stats.spills - before.spills;
    values[AT.tierUnspills] = stats.unspills - before.unspills;
    values[AT.tierExpired] = stats.expiredOnFetch - before.expiredOnFetch;
    values[AT.tierFetches] = stats.fetches - before.fetches;
    values[AT.tierWaits] = stats.waits - before.waits;
    values[AT.tierSpilledBytes] = stats.spilledBytes - before.spilledBytes;
    values[AT.tierCompactedBytes] = stats.compactedBytes - before.compactedBytes;
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
    this.#before = { ...store.tier.stats };
    this.#errorsBefore = figures.get('errors');
    times.reset();
  }
}
