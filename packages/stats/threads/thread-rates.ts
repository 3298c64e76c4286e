/**
 * Speed at which threads work, from readings of their pages. A reporter keeps one of these and samples it now and then:
 * any thread can, since pages are shared.
 */

import type { Page } from '../page/page.ts';
import { Rate } from '../page/rate.ts';
import { workedNowUs } from './thread-work.ts';

/** The rates of one thread. */
export class ThreadRates {
  readonly #page: Page;
  readonly #commands = new Rate();
  readonly #busy = new Rate();
  #workedUs = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  sample(nowUs: number): void {
    this.#commands.sample(this.#page.get('commands'), nowUs);
    this.#workedUs = Math.max(this.#workedUs, workedNowUs(this.#page, nowUs));
    this.#busy.sample(this.#workedUs, nowUs);
  }

  get commandsPerSecond(): number {
    return this.#commands.perSecond;
  }

  /** Share of its time that the thread did not wait for work, lately. */
  get busyPercent(): number {
    return Math.min(100, this.#busy.perSecond / 10_000);
  }
}
