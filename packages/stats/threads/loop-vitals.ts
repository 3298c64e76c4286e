/** Vitals that a thread with an event loop writes into its page: heartbeat, resource usage, pauses. */

import { performance } from 'node:perf_hooks';
import { PacedTimer, systemClock } from '#base';
import { notesPauses, type FlightRecorder } from '../flight-recorder/flight-recorder.ts';
import type { Page } from '../page/page.ts';
import { GcPauses, LoopDelay } from './thread-pauses.ts';
import { ThreadSamples } from './thread-samples.ts';
import { reportWork } from './thread-work.ts';

/** Between two looks at what the thread uses. */
const PERIOD_MS = 100;
/** A thread that was active for a larger part of the time between two looks has work. */
const WORK_SHARE = 0.05;

interface LoopVitalsOptions {
  /** Milliseconds for which the thread has slept since its loop began; by default as Node counts them. */
  readonly idleMs?: () => number;
  /** Called about once a second. */
  readonly sampled?: () => void;
}

export class LoopVitals {
  readonly #page: Page;
  readonly #collections: GcPauses;
  readonly #loop: LoopDelay;
  readonly #samples: ThreadSamples;
  readonly #sampled: () => void;
  readonly #timer: PacedTimer;
  readonly #idleMs: () => number;
  /** Time and idle time as of the last look. */
  #seenUs = systemClock.nowUs();
  #seenIdleMs: number;

  constructor(
    page: Page,
    flight: FlightRecorder,
    { idleMs = nodeIdleMs, sampled = () => undefined }: LoopVitalsOptions = {},
  ) {
    this.#page = page;
    this.#sampled = sampled;
    this.#idleMs = idleMs;
    this.#seenIdleMs = idleMs();
    this.#collections = new GcPauses(page, notesPauses(flight));
    this.#loop = new LoopDelay(page, systemClock);
    this.#samples = new ThreadSamples(page);
    this.#timer = new PacedTimer(PERIOD_MS, (nextMs) => {
      this.#report(nextMs);
    });
  }

  start(): void {
    // Idle time is counted from the same moment.
    const { idle, active } = performance.eventLoopUtilization();
    this.#page.set('startedUs', systemClock.nowUs() - (idle + active) * 1_000);
    this.#collections.start();
    this.#loop.start();
    this.#report(this.#timer.start());
  }

  /** Notes that the thread has work: its vitals are written often. */
  worked(): void {
    this.#loop.worked();
    this.#timer.worked();
  }

  stop(): void {
    this.#timer.stop();
    this.#loop.stop();
    this.#collections.stop();
  }

  #report(nextMs: number): void {
    const nowUs = systemClock.nowUs();
    this.#page.set('aliveUs', nowUs + (nextMs - PERIOD_MS) * 1_000);
    const idleMs = this.#idleMs();
    const idleShare = ((idleMs - this.#seenIdleMs) * 1_000) / Math.max(1, nowUs - this.#seenUs);
    this.#seenUs = nowUs;
    this.#seenIdleMs = idleMs;
    if (1 - idleShare > WORK_SHARE) this.worked();
    reportWork(this.#page, nowUs, idleMs);
    if (this.#samples.take(nowUs)) this.#sampled();
  }
}

function nodeIdleMs(): number {
  return performance.eventLoopUtilization().idle;
}
