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
  usedMemory,
  type FlightRecorder,
  type Page,
} from '#stats';
import type { Observer } from '#observer';
import { MallocReturn } from './malloc-return.ts';

/** Between two looks at what the thread uses. */
const PERIOD_MS = 100;

export class OpsVitals {
  readonly #observer: Observer;
  readonly #page: Page;
  readonly #collections: GcPauses;
  readonly #loop: LoopDelay;
  readonly #samples: ThreadSamples;
  /** Gives back what was dropped; nothing large is known to be in use. */
  readonly #memory = threadMemoryReturn();
  readonly #malloc = new MallocReturn();
  #timer: NodeJS.Timeout | undefined;

  constructor(observer: Observer, flight: FlightRecorder) {
    const page = observer.ops;
    this.#observer = observer;
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

  /** Gives back what the thread does not use, then what malloc keeps of all threads. */
  async purge(): Promise<void> {
    this.#memory.purge();
    await this.#malloc.purge();
  }

  #tell(): void {
    const nowUs = systemClock.nowUs();
    tellWork(this.#page, nowUs, performance.eventLoopUtilization().idle);
    if (!this.#samples.take(nowUs)) return;
    this.#memory.look(0, true);
    const { main, shards } = this.#observer;
    const startupBytes = main.get('startupBytes');
    // It is 0 until the server has read its data.
    if (startupBytes === 0) return;
    let collections = main.get('gcMajor');
    for (const shard of shards) collections += shard.get('gcMajor');
    this.#malloc.look(startupBytes + usedMemory(main, shards), collections);
  }
}
