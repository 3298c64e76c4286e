/**
 * Pauses exports to a collector that fails, since preparing the data is most of their cost. It is tried
 * again at growing intervals, with little data.
 */

import type { Clock } from '#base';

const REST_US_MIN = 500_000;
const REST_US_MAX = 5_000_000;

export class CollectorRest {
  readonly #clock: Pick<Clock, 'nowUs'>;
  #restUs = 0;
  #untilUs = 0;

  constructor(clock: Pick<Clock, 'nowUs'>) {
    this.#clock = clock;
  }

  /** True while nothing is to be sent. */
  get isResting(): boolean {
    return this.#clock.nowUs() < this.#untilUs;
  }

  /** Returns the number of things to send at once, `most` where the collector works. */
  batch(most: number): number {
    return this.#restUs > 0 ? 1 : most;
  }

  worked(): void {
    this.#restUs = 0;
  }

  broke(): void {
    this.#restUs = Math.min(Math.max(2 * this.#restUs, REST_US_MIN), REST_US_MAX);
    this.#untilUs = this.#clock.nowUs() + this.#restUs;
  }
}
