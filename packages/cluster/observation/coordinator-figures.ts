/** Calls to the coordinator: how many, how long they took, and how many failed. */

import type { CoordinatorCallReport } from '#api-types';
import {
  bucketOf,
  type CoordinatorTimes,
  type Counts,
  greatestUs,
  HISTOGRAM_BUCKETS,
  type Page,
  percentileUs,
  TICKS_PER_US,
} from '#stats';
import type {
  CoordinatorCall,
  CoordinatorTiming,
} from '../agreement/coordinator/timed-coordinator.ts';

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
  /** Figures of the counts; undefined where there are newer counts. */
  figures: Figures | undefined;
  /** True when the ops thread has the counts. */
  isReported: boolean;
}

type Figures = Omit<CoordinatorCallReport, 'call' | 'calls' | 'errors'>;

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
      figures: undefined,
      isReported: false,
    };
    this.#times.set(call, times);
    times.counts[bucketOf(us * TICKS_PER_US)]! += 1;
    times.calls += 1;
    times.sumUs += us;
    times.figures = undefined;
    times.isReported = false;
  }

  failed(call: CoordinatorCall): void {
    this.#page.add(ERRORS[call], 1);
  }

  /** Returns the histograms of the calls that were answered since the last time. */
  takeTimes(): readonly CoordinatorTimes[] {
    const changed: CoordinatorTimes[] = [];
    for (const [call, times] of this.#times) {
      if (times.isReported) continue;
      times.isReported = true;
      changed.push({ call, counts: times.counts, sumUs: times.sumUs });
    }
    return changed;
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

function figuresOf(times: Times | undefined): Figures {
  if (times === undefined) return { avg_us: null, p50_us: null, p99_us: null, max_us: null };
  const { counts, calls, sumUs } = times;
  times.figures ??= {
    avg_us: Math.round(sumUs / calls),
    p50_us: Math.round(percentileUs(counts, 0.5)),
    p99_us: Math.round(percentileUs(counts, 0.99)),
    max_us: Math.round(greatestUs(counts)),
  };
  return times.figures;
}
