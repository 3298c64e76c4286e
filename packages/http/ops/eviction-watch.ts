/** Logs from the ops thread when the server begins to evict keys, and when it has not evicted any for a while. */

import type { LogFields } from '#base';
import { growth, type Page, usedMemory } from '#stats';

/** Time without an evicted key after which evictions have ended, in microseconds: a cache in use does not flap. */
const QUIET_US = 10_000_000;

interface EvictionWatchOptions {
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly policy: () => string;
  readonly memoryLimitBytes: () => number;
  readonly log: (level: 'info', event: string, message: string, fields: LogFields) => void;
}

interface Evictions {
  readonly sinceUs: number;
  lastUs: number;
  keys: number;
}

export class EvictionWatch {
  readonly #options: EvictionWatchOptions;
  /** Evicted keys, as of the last look. */
  #seen: number;
  #current: Evictions | undefined;

  constructor(options: EvictionWatchOptions) {
    this.#options = options;
    this.#seen = this.#evicted;
  }

  get #evicted(): number {
    return this.#options.shards.reduce((sum, page) => sum + page.get('evicted'), 0);
  }

  look(nowUs: number): void {
    const evicted = this.#evicted;
    const keys = growth(this.#seen, evicted);
    this.#seen = evicted;
    if (keys > 0) {
      if (this.#current === undefined) this.#begin(nowUs);
      this.#current!.lastUs = nowUs;
      this.#current!.keys += keys;
    } else if (this.#current !== undefined && nowUs - this.#current.lastUs >= QUIET_US) {
      this.#end(this.#current);
    }
  }

  #begin(nowUs: number): void {
    const { main, shards, policy, memoryLimitBytes, log } = this.#options;
    this.#current = { sinceUs: nowUs, lastUs: nowUs, keys: 0 };
    log('info', 'evictions-began', 'Keys are evicted: maxmemory is reached', {
      policy: policy(),
      used_bytes: usedMemory(main, shards),
      limit_bytes: memoryLimitBytes(),
    });
  }

  #end({ sinceUs, lastUs, keys }: Evictions): void {
    this.#current = undefined;
    const ms = Math.round((lastUs - sinceUs) / 1_000);
    this.#options.log('info', 'evictions-ended', 'No key was evicted for 10 s', { keys, ms });
  }
}
