/** Percentiles of one phase in one thread, for each length of samples: from what its histogram has grown by. */

import {
  addCounts,
  bucketHigh,
  type Counts,
  growth,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
} from '#stats';

/** Digits after the decimal point of a microsecond that are kept. */
const THOUSAND = 1_000;

/** Growth that has been added up; nothing is computed where there is none. */
export class GrowthSum {
  readonly counts = new Float64Array(HISTOGRAM_BUCKETS);
  isEmpty = true;

  clear(): void {
    if (!this.isEmpty) this.counts.fill(0);
    this.isEmpty = true;
  }

  add(source: GrowthSum): void {
    if (source.isEmpty) return;
    addCounts(this.counts, source.counts);
    this.isEmpty = false;
  }

  /** Returns the 50th, 99th and 99.9th percentile and the maximum in microseconds; NaN where nothing was counted. */
  percentiles(): readonly [p50: number, p99: number, p999: number, max: number] {
    if (this.isEmpty) return [NaN, NaN, NaN, NaN];
    const { counts } = this;
    const at = (fraction: number): number => rounded(percentileUs(counts, fraction));
    const last = counts.findLastIndex((count) => count > 0);
    return [at(0.5), at(0.99), at(0.999), rounded(bucketHigh(last) / TICKS_PER_US)];
  }
}

/** A histogram that only grows, or is set back to zero. */
export class HistogramGrowth {
  readonly grown = new GrowthSum();
  readonly #before = new Float64Array(HISTOGRAM_BUCKETS);
  readonly #read: () => Counts;

  constructor(read: () => Counts) {
    this.#read = read;
    this.#before.set(read());
  }

  /** Sets `grown` to the growth since the last call. */
  take(): void {
    const { grown } = this;
    const now = this.#read();
    const before = this.#before;
    grown.clear();
    for (let index = 0; index < HISTOGRAM_BUCKETS; index += 1) {
      if (now[index] === before[index]) continue;
      grown.counts[index] = growth(before[index]!, now[index]!);
      if (grown.counts[index] !== 0) grown.isEmpty = false;
      before[index] = now[index]!;
    }
  }
}

function rounded(us: number): number {
  return Math.round(us * THOUSAND) / THOUSAND;
}
