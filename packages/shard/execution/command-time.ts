/** Time of the current command, which its store uses as well. */

import type { Store } from '#store';

/** Frozen time in Unix milliseconds; undefined until it is known. */
type Moment = () => number | undefined;

export class CommandTime {
  nowMs = 0;
  readonly #store: Store;
  #heldAt: Moment | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Freezes time for a script at the value that `moment` returns, once it does; undefined unfreezes it. */
  hold(moment: Moment | undefined): void {
    this.#heldAt = moment;
  }

  get mayBeHeld(): boolean {
    return this.#heldAt !== undefined;
  }

  /** Advances the clock of commands and of the store, unless time is frozen. */
  set(wallMs: number): void {
    const nowMs = this.#heldAt?.() ?? wallMs;
    this.nowMs = nowMs;
    this.#store.nowMs = nowMs;
  }
}
