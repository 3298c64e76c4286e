/** The moment of the command at hand, on which its store goes too. */

import type { Store } from '#store';

/** The moment at which time stands still, once there is one. */
type Moment = () => number | undefined;

export class CommandTime {
  nowMs = 0;
  readonly #store: Store;
  #heldAt: Moment | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Has time stand still for a script at the moment that is returned, once there is one; undefined lets it go on. */
  hold(moment: Moment | undefined): void {
    this.#heldAt = moment;
  }

  get mayBeHeld(): boolean {
    return this.#heldAt !== undefined;
  }

  /** Moves the clock of commands and of the store, unless time stands still. */
  set(wallMs: number): void {
    const nowMs = this.#heldAt?.() ?? wallMs;
    this.nowMs = nowMs;
    this.#store.nowMs = nowMs;
  }
}
