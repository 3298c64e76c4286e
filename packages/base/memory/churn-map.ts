/**
 * A Map for entries that are added and removed frequently. V8's Map rebuilds its table when enough entries were
 * removed, and the old table refers to the new one. Once one of them is in the old generation, all later ones are
 * considered alive by collections of the nursery, with their contents: they are promoted too, and make these
 * collections long. So this class replaces its Map after a number of removals: no earlier table refers to the contents
 * of the new one.
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
