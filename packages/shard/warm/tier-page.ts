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
  /** Errors of the disk when counting began. */
  #errorsBefore = 0;

  constructor(options: TierPageOptions) {
    this.#options = options;
  }

  /** Brings the page up to date; what the store counts is published with its other counts. */
  publish(): void {
    const { store, page, times, figures } = this.#options;
    const { values } = page;
    const { keyCount, extents, deadBytes } = store.tier;
    values[AT.tierWarmKeys] = keyCount;
    values[AT.tierHotKeys] = store.keyCount - keyCount;
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
    const { times, figures } = this.#options;
    this.#errorsBefore = figures.get('errors');
    times.reset();
  }
}
