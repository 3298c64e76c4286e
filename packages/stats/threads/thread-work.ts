/**
 * The time that a thread has worked, as one number of its page (`workedUs`), which the thread alone writes and which only
 * grows: another thread that worked it out from several numbers would see some of them before a change and some after.
 */

import { AT } from '../page/counters.ts';
import type { Page } from '../page/page.ts';

/**
 * Work time including the time since the last update, if the thread is working: for rates, which then show a long
 * command at once. It may be less a moment later.
 */
export function workedNowUs(page: Page, nowUs: number): number {
  const heartbeatUs = page.get('heartbeatUs');
  const isAtWork = page.get('idleSinceUs') === 0 && heartbeatUs > 0;
  return page.get('workedUs') + (isAtWork ? Math.max(0, nowUs - heartbeatUs) : 0);
}

/** A thread's own account of its work and its waits. */
export class ThreadWork {
  readonly #values: Float64Array;
  /** Microsecond up to which the thread's time is published. */
  #reportedUs = 0;

  /** The thread begins to work. */
  constructor(page: Page, nowUs: number) {
    this.#values = page.values;
    this.wake(nowUs);
  }

  /** The thread has worked up to now. */
  work(nowUs: number): void {
    if (nowUs <= this.#reportedUs) return;
    const values = this.#values;
    values[AT.workedUs] = values[AT.workedUs]! + (nowUs - this.#reportedUs);
    this.#reportedUs = nowUs;
  }

  /** The thread begins to wait for work. */
  sleep(nowUs: number): void {
    this.work(nowUs);
    this.#values[AT.idleSinceUs] = nowUs;
  }

  /** The thread resumes. Its heartbeat is updated first: the last one is from before the wait. */
  wake(nowUs: number): void {
    const values = this.#values;
    this.#reportedUs = nowUs;
    values[AT.heartbeatUs] = nowUs;
    values[AT.idleSinceUs] = 0;
  }
}

/** Publishes the work time of a thread that waits in its event loop; `idleMs` is the idle time since the start. */
export function reportWork(page: Page, nowUs: number, idleMs: number): void {
  const workedUs = nowUs - page.get('startedUs') - idleMs * 1_000;
  page.set('workedUs', Math.max(workedUs, page.get('workedUs')));
}
