/** Requests whose replies may still wait for the disk: the wait counts for their latency band and slow log entry. */

import { AT, Bands, type Page, type SlowLog } from '#stats';
import type { Journal } from '../log/journal.ts';
import type { Settings } from '../settings/settings.ts';

interface UnsettledOptions {
  readonly page: Page;
  readonly journal: Pick<Journal, 'holdsReplies'> | undefined;
}

export class Unsettled {
  readonly #page: Page;
  readonly #journal: UnsettledOptions['journal'];
  readonly #waiting: { readonly spentUs: number; readonly endUs: number }[] = [];
  readonly #logged: { readonly log: SlowLog; readonly nth: number; readonly endUs: number }[] = [];

  /** Bands in force. */
  bands = new Bands(false, []);

  constructor(options: UnsettledOptions) {
    this.#page = options.page;
    this.#journal = options.journal;
  }

  apply(settings: Settings): void {
    this.bands = new Bands(
      settings.boolean('latency-bands.enabled'),
      settings.numbers('latency-bands.bands'),
    );
  }

  /** A request that has taken `spentUs` so far was run, up to `endUs`. */
  count(spentUs: number, endUs: number): void {
    if (!this.bands.enabled) return;
    if (this.#waitsForDisk) this.#waiting.push({ spentUs, endUs });
    else this.#page.countBand(this.bands.rowOf(spentUs));
  }

  /** A request that was run up to `endUs` has an entry in a log. */
  logged(log: SlowLog, nth: number, endUs: number): void {
    if (this.#waitsForDisk) this.#logged.push({ log, nth, endUs });
  }

  get #waitsForDisk(): boolean {
    return this.#journal?.holdsReplies === true;
  }

  /** The replies are shown now, after a wait of `waitedUs`. */
  settle(waitedUs: number, nowUs: number): void {
    if (waitedUs === 0 && this.#waiting.length === 0 && this.#logged.length === 0) return;
    const { values } = this.#page;
    values[AT.durableUs] = values[AT.durableUs]! + waitedUs;
    values[AT.durableWaits] = values[AT.durableWaits]! + 1;
    for (const { spentUs, endUs } of this.#waiting) {
      if (this.bands.enabled) this.#page.countBand(this.bands.rowOf(spentUs + nowUs - endUs));
    }
    this.#waiting.length = 0;
    for (const { log, nth, endUs } of this.#logged) log.setDurable(nth, nowUs - endUs);
    this.#logged.length = 0;
  }
}
