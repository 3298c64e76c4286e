/** Looks often while the lease may end before the next second, and once a second otherwise. */

import { PacedTimer } from '#base';
import type { Lease } from './agreement/lease.ts';

/** Interval between two looks while the end may be near, in milliseconds. */
const LOOK_MS = 20;
/** Time before the end of the lease from which on it is near, in milliseconds: more than a second. */
const ENDING_MS = 1_500;

export class LeaseWatch {
  readonly #timer: PacedTimer;

  /** `dependents` are those that look at the lease, which is the one of the moment. */
  constructor(
    lease: () => Pick<Lease, 'nowMs' | 'writesUntilMs'>,
    dependents: () => readonly { look(): void }[],
  ) {
    this.#timer = new PacedTimer(LOOK_MS, () => {
      for (const dependent of dependents()) dependent.look();
      const { nowMs, writesUntilMs } = lease();
      if (nowMs > writesUntilMs - ENDING_MS) this.#timer.worked();
    });
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }
}
