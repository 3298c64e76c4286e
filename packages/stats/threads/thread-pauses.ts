/**
 * Pauses of a thread: for garbage collection, and for anything else that holds up its event loop. Each thread measures
 * itself and updates its page; reports of all threads are made from the pages.
 */

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { type Clock, monotonicUs, PacedTimer } from '#base';
import { greatestUs, percentileUs, totalCount } from '../page/histogram.ts';
import { AT } from '../page/counters.ts';
import { type Page } from '../page/page.ts';
import type { Counter } from '#quantities';

/** A kind of collection, as Prometheus' client of Node names it, and where a page counts it. */
interface GcKind {
  readonly kind: string;
  readonly count: Counter;
  readonly us: Counter;
  /** Node's own number of it. */
  readonly code: number;
}

export const GC_KINDS: readonly GcKind[] = [
  { kind: 'minor', count: 'gcMinor', us: 'gcMinorUs', code: constants.NODE_PERFORMANCE_GC_MINOR },
  { kind: 'major', count: 'gcMajor', us: 'gcMajorUs', code: constants.NODE_PERFORMANCE_GC_MAJOR },
  {
    kind: 'incremental',
    count: 'gcIncremental',
    us: 'gcIncrementalUs',
    code: constants.NODE_PERFORMANCE_GC_INCREMENTAL,
  },
  { kind: 'weakcb', count: 'gcWeak', us: 'gcWeakUs', code: constants.NODE_PERFORMANCE_GC_WEAKCB },
];

/** An entry of the observer, of which Node's types do not know the detail. */
interface Collection {
  readonly startTime: number;
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

/** Called for every pause: its end (monotonic), its duration, an index into GC_KINDS. */
type PauseListener = (endUs: number, us: number, kind: number) => void;

/**
 * Counts a thread's garbage collections. Node reports them from the event loop: a thread that blocks must run its loop
 * now and then, and call `take` after that.
 */
export class GcPauses {
  readonly #page: Page;
  readonly #listener: PauseListener | undefined;
  readonly #observer: PerformanceObserver;

  constructor(page: Page, listener?: PauseListener) {
    this.#page = page;
    this.#listener = listener;
    this.#observer = new PerformanceObserver((list) => {
      this.#count(list.getEntries() as unknown as Collection[]);
    });
  }

  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#observer.disconnect();
  }

  /** Counts what the loop has brought, without waiting for its next turn. */
  take(): void {
    this.#count(this.#observer.takeRecords() as unknown as Collection[]);
  }

  #count(entries: readonly Collection[]): void {
    const { values } = this.#page;
    for (const { startTime, duration, detail } of entries) {
      const { kind: code } = detail;
      const index = GC_KINDS.findIndex((each) => each.code === code);
      const kind = GC_KINDS[index];
      if (kind === undefined) continue;
      const us = duration * 1_000;
      this.#page.add(kind.count, 1);
      this.#page.add(kind.us, us);
      if (us > values[AT.gcUsMax]!) values[AT.gcUsMax] = us;
      this.#listener?.(monotonicUs(startTime + duration), us, index);
    }
  }
}

/** Interval of measurements of the loop's delay; like timers, they have a resolution of a millisecond. */
const LOOK_MS = 20;

/**
 * Measures the delay of the event loop of its thread, and updates the thread's heartbeat. Before an idle thread sleeps for a
 * second, its heartbeat is set ahead to the end of the sleep.
 */
export class LoopDelay {
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #timer: PacedTimer;
  #dueUs = 0;

  constructor(page: Page, clock: Clock) {
    this.#page = page;
    this.#clock = clock;
    this.#timer = new PacedTimer(
      LOOK_MS,
      (nextMs) => {
        const nowUs = this.#clock.nowUs();
        this.#page.looped(Math.max(0, nowUs - this.#dueUs));
        this.#beat(nowUs, nextMs);
      },
      (nextMs) => {
        this.#beat(this.#clock.nowUs(), nextMs);
      },
    );
  }

  start(): void {
    this.#beat(this.#clock.nowUs(), this.#timer.start());
  }

  /** Notes that the thread has work: looks follow closely. */
  worked(): void {
    this.#timer.worked();
  }

  stop(): void {
    this.#timer.stop();
    // No further sample is expected.
    this.#page.set('heartbeatUs', 0);
  }

  #beat(nowUs: number, nextMs: number): void {
    this.#dueUs = nowUs + nextMs * 1_000;
    this.#page.set('heartbeatUs', this.#dueUs - LOOK_MS * 1_000);
  }
}

/** Pauses of a thread, as its page reports them. */
export interface PauseReport {
  readonly collections: number;
  readonly collectionUs: number;
  readonly collectionUsMax: number;
  /** Delays of the event loop, or durations of a shard's rounds; 0 while nothing is counted. */
  readonly loopCount: number;
  readonly loopUsP50: number;
  readonly loopUsP99: number;
  readonly loopUsMax: number;
}

export function pauseReport(page: Page): PauseReport {
  const loop = page.loopHistogram;
  const sum = (of: (kind: GcKind) => Counter): number =>
    GC_KINDS.reduce((total, kind) => total + page.get(of(kind)), 0);
  return {
    collections: sum(({ count }) => count),
    collectionUs: sum(({ us }) => us),
    collectionUsMax: page.get('gcUsMax'),
    loopCount: totalCount(loop),
    loopUsP50: percentileUs(loop, 0.5),
    loopUsP99: percentileUs(loop, 0.99),
    loopUsMax: greatestUs(loop),
  };
}
