/** When main's thread stood still: garbage collection, and whatever else held up its event loop. */

import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** Between two looks at how late the loop is. */
const RESOLUTION_MS = 20;

export interface PauseReport {
  readonly collections: number;
  readonly collectionUsMax: number;
  /** How much later than due main's event loop came round: most, and for all but one in a hundred. */
  readonly loopDelayUsMax: number;
  readonly loopDelayUsP99: number;
}

export class Pauses {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #observer: PerformanceObserver;
  #collections = 0;
  #collectionUsMax = 0;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#collections += 1;
        this.#collectionUsMax = Math.max(this.#collectionUsMax, duration * 1_000);
      }
    });
  }

  start(): void {
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  get report(): PauseReport {
    // The histogram is of nanoseconds between two looks, the resolution included.
    const late = (ns: number): number => Math.max(0, ns / 1_000 - RESOLUTION_MS * 1_000);
    return {
      collections: this.#collections,
      collectionUsMax: this.#collectionUsMax,
      loopDelayUsMax: late(this.#delay.max),
      loopDelayUsP99: late(this.#delay.percentile(99)),
    };
  }
}
