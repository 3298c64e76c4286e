/** Growth of a thread's counters between two readings of its page. */

import {
  COMMAND_QUANTITIES,
  type Counter,
  KEY_QUANTITIES,
  type LiveRate,
  QUANTITIES,
} from '#quantities';
import {
  BAND_ROWS_MAX,
  bucketHigh,
  type Counts,
  growth,
  HISTOGRAM_BUCKETS,
  type Page,
  pagesOf,
  percentileUs,
  TICKS_PER_US,
} from '#stats';
import type { LiveLatency } from '#api-types';

/** A counter as a rate. */
export class Growth {
  readonly #page: Page;
  readonly #counter: Counter;
  #before: number;

  constructor(page: Page, counter: Counter) {
    this.#page = page;
    this.#counter = counter;
    this.#before = page.get(counter);
  }

  /** Returns the growth since the last call. */
  take(): number {
    const now = this.#page.get(this.#counter);
    const grown = growth(this.#before, now);
    this.#before = now;
    return grown;
  }
}

/** Rows of the live samples, in their order there. */
const RATES = [
  ...new Set([...COMMAND_QUANTITIES.errors, ...KEY_QUANTITIES.lookups, ...QUANTITIES]),
].filter(({ live }) => live !== undefined);

/** Counters of all threads that the live samples show as rates. */
export class RateGrowths {
  readonly #rates: readonly (readonly [name: string, growths: readonly Growth[]])[];

  constructor(main: Page, shards: readonly Page[]) {
    this.#rates = RATES.map((row) => {
      const pages = pagesOf(row, main, shards);
      return [row.live!, pages.map((page) => new Growth(page, row.counter))];
    });
  }

  take(perSecond: (grown: number) => number): Readonly<Record<LiveRate, number>> {
    return Object.fromEntries(
      this.#rates.map(([name, growths]) => [
        name,
        perSecond(growths.reduce((sum, growth) => sum + growth.take(), 0)),
      ]),
    ) as Record<LiveRate, number>;
  }
}

/** Growth of a histogram. */
class HistogramGrowth {
  readonly #before = new Float64Array(HISTOGRAM_BUCKETS);

  /** Adds the growth of `now` since the last call to `target`. */
  addTo(target: Counts, now: Counts): void {
    const before = this.#before;
    for (let index = 0; index < HISTOGRAM_BUCKETS; index += 1) {
      target[index] = target[index]! + growth(before[index]!, now[index]!);
      before[index] = now[index]!;
    }
  }
}

/** Latency of commands in one thread: execution and waiting. */
export class LatencyGrowth {
  readonly execute = new Float64Array(HISTOGRAM_BUCKETS);
  readonly queue = new Float64Array(HISTOGRAM_BUCKETS);
  readonly #page: Page;
  readonly #commandCount: number;
  readonly #calls: Float64Array;
  /** Only of commands that were called: most never are. */
  readonly #histograms = new Map<number, HistogramGrowth>();
  readonly #queueGrowth = new HistogramGrowth();

  constructor(page: Page, commandCount: number) {
    this.#page = page;
    this.#commandCount = commandCount;
    this.#calls = new Float64Array(commandCount);
    this.take();
  }

  /** Sets `execute` and `queue` to the growth since the last call. */
  take(): void {
    const page = this.#page;
    this.execute.fill(0);
    this.queue.fill(0);
    this.#queueGrowth.addTo(this.queue, page.queueHistogram);
    for (let id = 0; id < this.#commandCount; id += 1) {
      const calls = page.command(id, 'calls');
      if (calls === this.#calls[id]) continue;
      this.#calls[id] = calls;
      let growth = this.#histograms.get(id);
      if (growth === undefined) {
        growth = new HistogramGrowth();
        this.#histograms.set(id, growth);
      }
      growth.addTo(this.execute, page.histogram(id));
    }
  }
}

/** Requests by latency band in one thread. */
export class BandGrowth {
  readonly #page: Page;
  readonly #before = new Float64Array(BAND_ROWS_MAX);

  constructor(page: Page) {
    this.#page = page;
    this.take(BAND_ROWS_MAX);
  }

  /** Returns the counts of the first `rows` bands since the last call; from zero after a reset. */
  take(rows: number): number[] {
    const before = this.#before;
    return Array.from({ length: rows }, (_, row) => {
      const now = this.#page.band(row);
      const grown = growth(before[row]!, now);
      before[row] = now;
      return grown;
    });
  }
}

/** Null where nothing was counted. */
export function latencyOf(counts: Counts): LiveLatency | null {
  let last = counts.length - 1;
  while (last >= 0 && counts[last] === 0) last -= 1;
  if (last < 0) return null;
  const at = (fraction: number): number => threeDigits(percentileUs(counts, fraction));
  const max = threeDigits(bucketHigh(last) / TICKS_PER_US);
  return { p50_us: at(0.5), p99_us: at(0.99), p999_us: at(0.999), max_us: max };
}

/** No more than a chart shows, and a histogram knows: five minutes of samples are a third smaller. */
export function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
