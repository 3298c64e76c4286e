/** Keys that a client watches. */

import type { WatchedKeys } from './exec-plan.ts';

/** Memory of a watched key besides its bytes, here and in its shard. */
const WATCHED_KEY_BYTES = 160;

export class Watches {
  readonly #keys = new Map<string, number>();
  #memoryBytes = 0;

  /** The watched keys, by their names in plans, with the shard of each. */
  get keys(): WatchedKeys {
    return this.#keys;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  add(name: string, shard: number): void {
    if (!this.#keys.has(name)) this.#memoryBytes += WATCHED_KEY_BYTES + name.length;
    this.#keys.set(name, shard);
  }
}

/** Shared by all clients that watch no key; it is never changed. */
export const NO_WATCHES: Watches = new Watches();
