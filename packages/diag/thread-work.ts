/**
 * The time that a thread has worked, in one number of its page (`workState`): another thread reads it whole, so the
 * time never seems to go backwards.
 *
 *   > 0    the thread works, and its time of work is what has passed since this microsecond
 *   <= 0   the thread waits, and has worked for so many microseconds before
 */

import { AT } from './counters.ts';
import type { Page } from './page.ts';

/** Microseconds that the thread of a page has worked; of one that only says so now and then, up to the last time. */
export function workedUs(page: Page, nowUs: () => number): number {
  const state = page.get('workState');
  // The clock is read after the state, which may have begun just now.
  return state > 0 ? nowUs() - state : -state;
}

/** A thread's own account of its work and its waits. */
export class ThreadWork {
  readonly #values: Float64Array;
  #workedUs = 0;
  #wokenUs = 0;

  /** The thread begins to work. */
  constructor(page: Page, nowUs: number) {
    this.#values = page.values;
    this.wake(nowUs);
  }

  /** The thread begins to wait for work. */
  sleep(nowUs: number): void {
    const values = this.#values;
    this.#workedUs += nowUs - this.#wokenUs;
    values[AT.workState] = -this.#workedUs;
    values[AT.idleSinceUs] = nowUs;
  }

  /** The thread goes on. That it lives is told first: its last sign of life is from before the wait. */
  wake(nowUs: number): void {
    const values = this.#values;
    this.#wokenUs = nowUs;
    values[AT.workState] = nowUs - this.#workedUs;
    values[AT.heartbeatUs] = nowUs;
    values[AT.idleSinceUs] = 0;
  }
}

/** Tells the work of a thread that waits in its event loop, which alone knows for how long: `idleMs` since the start. */
export function tellWork(page: Page, nowUs: number, idleMs: number): void {
  const workedUs = nowUs - page.get('startedUs') - idleMs * 1_000;
  page.set('workState', -Math.max(workedUs, -page.get('workState')));
}
