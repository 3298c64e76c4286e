/** Vitals that the ops thread writes into its page: signs of life, what it uses, how long it stood still. */

import { performance } from 'node:perf_hooks';
import { systemClock } from '#base';
import {
  GcPauses,
  LoopDelay,
  notesPauses,
  tellWork,
  threadMemoryReturn,
  ThreadSamples,
  type FlightRecorder,
  type Page,
} from '#stats';

/** Between two looks at what the thread uses. */
const PERIOD_MS = 100;

export class OpsVitals {
  readonly #page: Page;
  readonly #collections: GcPauses;
  readonly #loop: LoopDelay;
  readonly #samples: ThreadSamples;
  /** Gives back what was dropped; nothing large is known to be in use. */
  readonly memory = threadMemoryReturn();
  #timer: NodeJS.Timeout | undefined;

  constructor(page: Page, flight: FlightRecorder) {
    this.#page = page;
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
    tellWork(this.#page, nowUs, performance.eventLoopUtilization().idle);
    if (this.#samples.take(nowUs)) this.memory.look(0, true);
  }
}
