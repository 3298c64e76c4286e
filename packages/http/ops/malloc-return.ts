/**
 * Returns free memory of malloc to the system. This concerns the whole process and stops other threads that allocate
 * meanwhile: the ops thread does it when resident memory far exceeds the memory in use.
 */

import { mallocTrim, residentBytes, systemClock } from '#base';
import { MemoryReturn } from '#stats';

/** Does nothing until `malloc_trim` is loaded, which the first need of it begins. */
export class MallocReturn {
  #trim: (() => void) | undefined;
  #collections = 0;
  readonly #memory = new MemoryReturn({
    collect: () => {
      // Once it is loaded it is done at once, so that what it takes and leaves is measured.
      if (this.#trim === undefined) void this.purge();
      else this.#trim();
    },
    ownedBytes: residentBytes,
    nowUs: () => systemClock.nowUs(),
  });

  /**
   * To be called about once a second, with the resident bytes that are accounted for, and the collections of garbage
   * in all threads since the start: these free large blocks, so that there may be nothing to give back before one.
   */
  look(inUseBytes: number, collections: number): void {
    if (collections !== this.#collections) this.#memory.lookAgain();
    this.#collections = collections;
    this.#memory.look(inUseBytes, false);
  }

  /** Settles when what can be given back is. */
  async purge(): Promise<void> {
    this.#trim = await mallocTrim();
    this.#trim?.();
  }
}
