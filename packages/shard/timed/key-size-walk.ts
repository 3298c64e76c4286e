/** Counts of keys by their size and memory, and by prefix: a walk over all keys in slices, when there were changes. */

import type { PrefixMatcher } from '#base';
import { AT, setPrefixKeySizes, type Page } from '#stats';
import { KeySizes, type Store } from '#store';

/** Most microseconds of one slice: a hundredth of the time between two of them. */
const KEY_SIZES_US = 250;
/** Changes are counted in steps of this, so that a sum of bytes fits between two. */
const CHANGES_STEP = 65_536;

export class KeySizeWalk {
  readonly #store: Store;
  readonly #page: Page;
  readonly #nowUs: () => number;
  readonly #keySizes: KeySizes;
  /** The count of changes when the walk under way began; -1 when none is under way. */
  #keySizesChanges = -1;
  /** No walk has counted keys by the prefixes of now. */
  #hasOtherPrefixes = false;

  constructor(store: Store, page: Page, nowUs: () => number) {
    this.#store = store;
    this.#page = page;
    this.#nowUs = nowUs;
    this.#keySizes = new KeySizes(store);
  }

  /** Counts keys by these prefixes from now on: what is known of others is void. Returns whether there are any. */
  countPrefixes(prefixes: PrefixMatcher | undefined): boolean {
    this.#keySizes.prefixes = prefixes;
    this.#keySizesChanges = -1;
    this.#hasOtherPrefixes = prefixes !== undefined;
    return this.#hasOtherPrefixes;
  }

  /** Counts keys by size for a while, when there were changes; returns true if there is more to count. */
  slice(): boolean {
    const { values } = this.#page;
    const keySizes = this.#keySizes;
    if (this.#keySizesChanges < 0) {
      if (!this.isDue) return false;
      this.#keySizesChanges = this.#changes();
      keySizes.restart();
    }
    if (!keySizes.slice(this.#nowUs, KEY_SIZES_US)) return true;
    this.#page.setKeySizes(keySizes.counts);
    if (keySizes.prefixKeys.length > 0) {
      setPrefixKeySizes(this.#page, keySizes.prefixKeys, keySizes.prefixBytes);
    }
    this.#hasOtherPrefixes = false;
    values[AT.keySizesUs] = this.#nowUs();
    values[AT.keySizesChanges] = this.#keySizesChanges;
    this.#keySizesChanges = -1;
    return false;
  }

  /** True when what the page says is no longer so. */
  get isDue(): boolean {
    const { values } = this.#page;
    if (this.#hasOtherPrefixes) return true;
    return values[AT.keySizesUs] === 0 || values[AT.keySizesChanges] !== this.#changes();
  }

  /**
   * A number that is another one when the size of a key has changed: by a command here, by a command of
   * another shard that has borrowed the key, or by itself.
   */
  #changes(): number {
    const { stats, memory } = this.#store;
    const gone = stats.expired + stats.evicted + stats.expiredFields;
    return (
      (this.#page.values[AT.changes]! + gone) * CHANGES_STEP + (memory.usedBytes % CHANGES_STEP)
    );
  }
}
