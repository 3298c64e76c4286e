/**
 * Gives back the memory that malloc keeps of freed blocks. It is the process' matter and not a thread's, and stops
 * whoever allocates meanwhile: the ops thread does it, when much more is resident than is in use.
 */

import { mallocTrim, systemClock } from '#base';
import { MemoryReturn } from '#stats';

/** Does nothing until `malloc_trim` is loaded, which the first need of it begins. */
export class MallocReturn {
  readonly #memory = new MemoryReturn({
    collect: () => void this.#trim(),
    externalBytes: () => process.memoryUsage.rss(),
    nowUs: () => systemClock.nowUs(),
  });

  /** To be called about once a second, with the resident bytes that are accounted for. */
  look(inUseBytes: number): void {
    this.#memory.look(inUseBytes, false);
  }

  /** Settles when what can be given back is. */
  async purge(): Promise<void> {
    await this.#trim();
  }

  async #trim(): Promise<void> {
    const trim = await mallocTrim();
    trim?.();
  }
}
