/** Latency bands as they are shown: cumulative, of each shard and of all. */

import { Bands } from './bands.ts';
import { BAND_ROWS_MAX, type Page } from '../page/page.ts';

/**
 * Bands of the requests that no single shard answers. They are in main's page too, for readers of pages.
 *
 * What main runs by itself is counted with the first shard, as commands without keys are; what several
 * shards have answered with the slowest of them. So there is one list per shard, and they add up.
 */
export class MainBands {
  #bands = new Bands(false, []);
  #generation = 0;
  readonly #page: Page;
  readonly #rows: readonly Float64Array[];

  constructor(page: Page, shardCount: number) {
    this.#page = page;
    this.#rows = Array.from({ length: shardCount }, () => new Float64Array(BAND_ROWS_MAX));
  }

  get bands(): Bands {
    return this.#bands;
  }

  /** Generation of the counting in force: pages that are not at it yet have counted nothing. */
  get generation(): number {
    return this.#generation;
  }

  /** Sets other thresholds; counts of the old ones must then be reset by `restart`. */
  configure(bands: Bands): void {
    this.#bands = bands;
  }

  /** Counts from zero; answers the number that pages must come to. */
  restart(): number {
    this.#generation += 1;
    this.#page.clearBands(this.#generation);
    for (const rows of this.#rows) rows.fill(0);
    return this.#generation;
  }

  count(us: number, shard: number): void {
    if (!this.#bands.enabled) return;
    const row = this.#bands.rowOf(us);
    const rows = this.#rows[shard]!;
    rows[row] = rows[row]! + 1;
    this.#page.countBand(row);
  }

  /** Cumulative counts of each shard, in the order of `bandLabels`; `pages` are the shards'. */
  perShard(pages: readonly Page[]): readonly (readonly number[])[] {
    return pages.map((page, shard) => {
      const own = this.#rows[shard]!;
      const isCurrent = page.get('bandsGeneration') === this.#generation;
      return cumulative(this.#bands, (row) => own[row]! + (isCurrent ? page.band(row) : 0));
    });
  }
}

/** Cumulative counts of all pages that are at this counting, main's among them; then what is over, then the total. */
export function bandCounts(
  bands: Bands,
  generation: number,
  pages: readonly Page[],
): readonly number[] {
  const current = pages.filter((page) => page.get('bandsGeneration') === generation);
  return cumulative(bands, (row) => current.reduce((sum, page) => sum + page.band(row), 0));
}

/** Returns the label of each count: `<=1ms`, ..., `>500ms`, `total`. */
export function bandLabels({ thresholdsMs }: Bands): readonly string[] {
  const within = thresholdsMs.map((ms) => `<=${String(ms)}ms`);
  return [...within, `>${String(thresholdsMs.at(-1) ?? 0)}ms`, 'total'];
}

function cumulative({ thresholdsMs }: Bands, countOf: (row: number) => number): number[] {
  let total = 0;
  const counts = thresholdsMs.map((_, row) => (total += countOf(row)));
  const over = countOf(thresholdsMs.length);
  return [...counts, over, total + over];
}
