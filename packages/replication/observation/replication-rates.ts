/** Rates of replication on main's page: bytes per second, and how long the backlog lasts at that of the stream. */

import { type Page, Rate } from '#stats';

/** Value without writes: the backlog then lasts for ever. */
const NOTHING_WRITTEN = -1;

export class ReplicationRates {
  readonly #page: Page;
  readonly #stream = new Rate();
  readonly #input = new Rate();
  readonly #output = new Rate();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Takes a sample; called at every tick. */
  sample(nowUs: number): void {
    const page = this.#page;
    this.#stream.sample(page.get('streamBytes'), nowUs);
    this.#input.sample(page.get('replicationInputBytes'), nowUs);
    this.#output.sample(page.get('replicationOutputBytes'), nowUs);
    const bytes = Math.round(this.#stream.perSecond);
    page.set('streamRate', bytes);
    page.set('replicationInputRate', Math.round(this.#input.perSecond));
    page.set('replicationOutputRate', Math.round(this.#output.perSecond));
    const seconds = bytes > 0 ? Math.floor(page.get('backlogSize') / bytes) : NOTHING_WRITTEN;
    page.set('backlogLastsSecs', seconds);
  }
}
