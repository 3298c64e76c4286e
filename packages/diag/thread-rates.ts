/**
 * How fast threads work, from readings of their pages. Whoever reports keeps one of these and samples it
 * now and then: any thread can, since pages are shared.
 */

import type { Page } from './page.ts';
import { Rate } from './rate.ts';

/** Microseconds that the thread of a page has worked since its start: all but what it waited for work. */
export function busyUs(page: Page, nowUs: number): number {
  const startedUs = page.get('startedUs');
  if (startedUs === 0) return 0;
  const idleSinceUs = page.get('idleSinceUs');
  const idleNowUs = idleSinceUs > 0 ? nowUs - idleSinceUs : 0;
  return nowUs - startedUs - page.get('idleUs') - idleNowUs;
}

/** The rates of one thread. */
export class ThreadRates {
  readonly #page: Page;
  readonly #commands = new Rate();
  readonly #busy = new Rate();

  constructor(page: Page) {
    this.#page = page;
  }

  sample(nowUs: number): void {
    this.#commands.sample(this.#page.get('commands'), nowUs);
    this.#busy.sample(busyUs(this.#page, nowUs), nowUs);
  }

  get commandsPerSecond(): number {
    return this.#commands.perSecond;
  }

  /** Share of its time that the thread did not wait for work, lately. */
  get busyPercent(): number {
    return Math.min(100, this.#busy.perSecond / 10_000);
  }
}
