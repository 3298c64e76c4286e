/** Watches of the ops thread over the pages of the other threads, run four times a second while there is work. */

import { PacedTimer } from '#base';
import type { Page } from '#stats';

/** Between two looks. */
const LOOK_MS = 250;

/** Logs a condition when it begins and when it ends. */
interface Watch {
  look(nowUs: number): void;
}

interface WatchesOptions {
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly watches: readonly Watch[];
  nowUs(): number;
}

export class Watches {
  readonly #options: WatchesOptions;
  readonly #timer: PacedTimer;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.#timer = new PacedTimer(LOOK_MS, () => {
      this.#look();
    });
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }

  #look(): void {
    const { main, shards, watches } = this.#options;
    const nowUs = this.#options.nowUs();
    // The heartbeat of a main that sleeps is ahead.
    const isMainAwake = main.get('heartbeatUs') < nowUs;
    if (isMainAwake || shards.some((page) => page.get('executing') > 0)) this.#timer.worked();
    for (const watch of watches) watch.look(nowUs);
  }
}
