/** Counts of a store, which its shard publishes: rows of the table of quantities say which there are. */

import { STORE_COUNTERS, type StoreCounter } from '#quantities';

/** Place of each counter among the values. */
const PLACES = Object.fromEntries(STORE_COUNTERS.map((name, index) => [name, index])) as Readonly<
  Record<StoreCounter, number>
>;

const EXPIRED = PLACES.expired;

export class StoreStats {
  /** In the order of `STORE_COUNTERS`. */
  readonly values = new Float64Array(STORE_COUNTERS.length);

  add(counter: StoreCounter, amount: number): void {
    const at = PLACES[counter];
    this.values[at] = this.values[at]! + amount;
  }

  get(counter: StoreCounter): number {
    return this.values[PLACES[counter]]!;
  }

  /** Read twice by each SET, so its place is no look-up by name. */
  get expired(): number {
    return this.values[EXPIRED]!;
  }

  get expiredFields(): number {
    return this.get('expiredFields');
  }

  get evicted(): number {
    return this.get('evicted');
  }
}
