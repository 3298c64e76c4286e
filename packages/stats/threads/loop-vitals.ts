/** Vitals that a thread with an event loop writes into its page: signs of life, what it uses, how long it stood still. */

import { performance } from 'node:perf_hooks';
import { systemClock } from '#base';
import { notesPauses, type FlightRecorder } from '../flight-recorder/flight-recorder.ts';
import type { Page } from '../page/page.ts';
import { GcPauses, LoopDelay } from './thread-pauses.ts';
import { ThreadSamples } from './thread-samples.ts';
import { tellWork } from './thread-work.ts';

/** Between two looks at what the thread uses. */
const PERIOD_MS = 100;

export class LoopVitals {
  readonly #page: Page;
  readonly #collections: GcPauses;
  readonly #loop: LoopDelay;
  readonly #samples: ThreadSamples;
  readonly #sampled: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `sampled` is called about once a second. */
  constructor(page: Page, flight: FlightRecorder, sampled: () => void = () => undefined) {
    this.#page = page;
    this.#sampled = sampled;
    this.#collections = new GcPauses(page, notesPauses(flight));
    this.#loop = new LoopDelay(page, systemClock);
    this.#samples = new ThreadSamples(page);
  }

  start(): void {
    // Idle time is counted from the same moment.
    const { idle, active } = performance.eventLoopUtilization();
    this.#page.set('startedUs', systemClock.nowUs() - (idle + active) * 1_000);
    this.#collections.start();
    this.#loop.start();
    this.#tell();
    this.#timer = setInterval(() => {
      this.#tell();
    }, PERIOD_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#loop.stop();
    this.#collections.stop();
  }

  #tell(): void {
    const nowUs = systemClock.nowUs();
    this.#page.set('aliveUs', nowUs);
    tellWork(this.#page, nowUs, performance.eventLoopUtilization().idle);
    if (this.#samples.take(nowUs)) this.#sampled();
  }
}
