/** The freeze of all keys, which one snapshot at a time can have: one to disk, or one for replicas. */

import { assert } from '#base';

export class KeyFreeze {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];
  readonly #followers: (() => void)[] = [];

  get isTaken(): boolean {
    return this.#isTaken || this.#waiting.length > 0;
  }

  /** Takes the lock, which must be free. */
  take(): void {
    assert(!this.#isTaken, 'the keys are not frozen');
    this.#isTaken = true;
  }

  /** Takes the lock now, or once its holder releases it. */
  whenFree(taken: () => void): void {
    if (this.isTaken) {
      this.#waiting.push(taken);
      return;
    }
    this.#isTaken = true;
    taken();
  }

  /** Settles when who has it now has let it go. */
  freed(): Promise<void> {
    return new Promise((resolve) => {
      this.#followers.push(resolve);
    });
  }

  release(): void {
    for (const follower of this.#followers.splice(0)) follower();
    this.#isTaken = false;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#isTaken = true;
    next();
  }
}
