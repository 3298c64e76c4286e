/**
 * A Map for entries that come and go all the time.
 *
 * V8's Map makes its table anew when enough entries have gone, and the old table refers to the new one. Once one of them
 * is in the old generation, all that follow are taken for alive by collections of the nursery, with whatever stood in
 * them: they get there too, and make these collections long. So here another Map takes the place of the first behind
 * some removals: what it has is referred to by no table of before.
 */

/** Removals behind which a Map is replaced: while there is this little garbage the nursery is seldom collected twice. */
const REMOVALS_MAX = 1_024;

export class ChurnMap<Key, Value> {
  #map = new Map<Key, Value>();
  #removals = 0;

  get size(): number {
    return this.#map.size;
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  /** Not to be called while entries are iterated: they may be those of a Map that was replaced. */
  set(key: Key, value: Value): void {
    if (this.#removals > REMOVALS_MAX + this.#map.size) this.#renew();
    this.#map.set(key, value);
  }

  delete(key: Key): boolean {
    const isThere = this.#map.delete(key);
    if (isThere) this.#removals += 1;
    return isThere;
  }

  clear(): void {
    this.#map = new Map();
    this.#removals = 0;
  }

  keys(): IterableIterator<Key> {
    return this.#map.keys();
  }

  values(): IterableIterator<Value> {
    return this.#map.values();
  }

  /** Entries may be removed meanwhile. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]();
  }

  #renew(): void {
    this.#map = new Map(this.#map);
    this.#removals = 0;
  }
}
