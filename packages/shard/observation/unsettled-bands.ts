/** Requests whose replies may yet have to wait for the disk: what they wait belongs to their time, in latency bands and in the slow log. */

import { AT, type Bands, type KeptCommand, type Page } from '#stats';

interface UnsettledOptions {
  readonly page: Page;
  readonly bands: () => Bands;
  /** True when replies will wait for what was logged: in sync mode, once something was. */
  readonly waitsForDisk: () => boolean;
}

export class Unsettled {
  readonly #options: UnsettledOptions;
  readonly #waiting: { readonly spentUs: number; readonly endUs: number }[] = [];
  readonly #slow: { readonly entry: KeptCommand; readonly endUs: number }[] = [];

  constructor(options: UnsettledOptions) {
    this.#options = options;
  }

  /** A request that has taken `spentUs` so far was run, up to `endUs`. */
  count(spentUs: number, endUs: number): void {
    const { page, bands, waitsForDisk } = this.#options;
    if (waitsForDisk()) this.#waiting.push({ spentUs, endUs });
    else page.countBand(bands().rowOf(spentUs));
  }

  /** A request that was run up to `endUs` has an entry in the slow log. */
  logged(entry: KeptCommand, endUs: number): void {
    entry.durableUs = 0;
    if (this.#options.waitsForDisk()) this.#slow.push({ entry, endUs });
  }

  /** The replies are shown now, after a wait of `waitedUs`. */
  settle(waitedUs: number, nowUs: number): void {
    if (waitedUs === 0 && this.#waiting.length === 0 && this.#slow.length === 0) return;
    const { page, bands } = this.#options;
    const { values } = page;
    values[AT.durableUs] = values[AT.durableUs]! + waitedUs;
    values[AT.durableWaits] = values[AT.durableWaits]! + 1;
    for (const { spentUs, endUs } of this.#waiting) {
      if (bands().enabled) page.countBand(bands().rowOf(spentUs + nowUs - endUs));
    }
    this.#waiting.length = 0;
    // An entry that was used again meanwhile is here twice, and the later stands.
    for (const { entry, endUs } of this.#slow) entry.durableUs = nowUs - endUs;
    this.#slow.length = 0;
  }
}
