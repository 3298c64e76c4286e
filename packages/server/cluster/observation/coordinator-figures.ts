/** Calls to the coordinator: how many, how long they took, and how many failed. */

import type { CoordinatorCallReport } from '#api-types';
import type { CoordinatorCall, CoordinatorTiming } from '#cluster';
import {
  bucketOf,
  greatestUs,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
  type CoordinatorTimes,
  type Counts,
  type Page,
} from '#stats';

const ERRORS = {
  read: 'clusterReadErrors',
  watch: 'clusterWatchErrors',
  commit: 'clusterCommitErrors',
  grant: 'clusterGrantErrors',
  'keep-alive': 'clusterKeepAliveErrors',
} as const;

const CALLS = Object.keys(ERRORS) as readonly CoordinatorCall[];

interface Times {
  readonly counts: Counts;
  calls: number;
  sumUs: number;
}

export class CoordinatorFigures implements CoordinatorTiming {
  readonly #page: Page;
  readonly #times = new Map<CoordinatorCall, Times>();

  constructor(page: Page) {
    this.#page = page;
  }

  answered(call: CoordinatorCall, us: number): void {
    const times = this.#times.get(call) ?? {
      counts: new Float64Array(HISTOGRAM_BUCKETS),
      calls: 0,
      sumUs: 0,
    };
    this.#times.set(call, times);
    times.counts[bucketOf(us * TICKS_PER_US)]! += 1;
    times.calls += 1;
    times.sumUs += us;
  }

  failed(call: CoordinatorCall): void {
    this.#page.add(ERRORS[call], 1);
  }

  /** Histograms of the calls that were answered. */
  get times(): readonly CoordinatorTimes[] {
    return [...this.#times].map(([call, { counts, sumUs }]) => ({ call, counts, sumUs }));
  }

  get reports(): readonly CoordinatorCallReport[] {
    return CALLS.map((call) => {
      const times = this.#times.get(call);
      const errors = this.#page.get(ERRORS[call]);
      const calls = errors + (times?.calls ?? 0);
      return { call, calls, errors, ...figuresOf(times) };
    });
  }
}

function figuresOf(
  times: Times | undefined,
): Omit<CoordinatorCallReport, 'call' | 'calls' | 'errors'> {
  if (times === undefined) return { avg_us: null, p50_us: null, p99_us: null, max_us: null };
  const { counts, calls, sumUs } = times;
  return {
    avg_us: Math.round(sumUs / calls),
    p50_us: Math.round(percentileUs(counts, 0.5)),
    p99_us: Math.round(percentileUs(counts, 0.99)),
    max_us: Math.round(greatestUs(counts)),
  };
}
