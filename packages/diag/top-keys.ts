/**
 * The heaviest keys of a stream, in bounded memory: space-saving (Metwally, Agrawal, El Abbadi).
 *
 * A key that is not known takes the place of the lightest one and inherits its weight, which is then the
 * most that it can be over-counted by. Every key heavier than total / capacity is certain to be known.
 */

/** What is known of a key. */
export interface TopKey {
  /** One character for each byte. */
  key: string;
  /** What it is ranked by. */
  weight: number;
  /** How much of `weight` may be others'. */
  error: number;
  calls: number;
  us: number;
  bytes: number;
  /** Its place in the heap. */
  place: number;
}

export class TopKeys {
  readonly #capacity: number;
  readonly #byKey = new Map<string, TopKey>();
  /** A binary heap, the lightest first. */
  readonly #heap: TopKey[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts one use of a key, or several alike. */
  add(key: string, weight: number, calls: number, us: number, bytes: number): void {
    let entry = this.#byKey.get(key);
    if (entry === undefined) {
      entry = this.#heap.length < this.#capacity ? this.#newEntry(key) : this.#takeOver(key);
    }
    entry.weight += weight;
    entry.calls += calls;
    entry.us += us;
    entry.bytes += bytes;
    this.#sink(entry);
  }

  /** The heaviest keys, heaviest first. */
  heaviest(count: number): readonly TopKey[] {
    return [...this.#heap].sort((a, b) => b.weight - a.weight).slice(0, count);
  }

  #newEntry(key: string): TopKey {
    const entry = {
      ...{ key, weight: 0, error: 0, calls: 0, us: 0, bytes: 0 },
      place: this.#heap.length,
    };
    this.#byKey.set(key, entry);
    this.#heap.push(entry);
    // It weighs nothing yet, so it belongs on top.
    while (entry.place > 0) this.#exchange(entry.place, (entry.place - 1) >> 1);
    return entry;
  }

  #takeOver(key: string): TopKey {
    const entry = this.#heap[0]!;
    this.#byKey.delete(entry.key);
    entry.key = key;
    entry.error = entry.weight;
    entry.calls = 0;
    entry.us = 0;
    entry.bytes = 0;
    this.#byKey.set(key, entry);
    return entry;
  }

  /** An entry has become heavier. */
  #sink(entry: TopKey): void {
    const heap = this.#heap;
    for (;;) {
      const left = 2 * entry.place + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const isRight = right < heap.length && heap[right]!.weight < heap[left]!.weight;
      const lighter = isRight ? right : left;
      if (heap[lighter]!.weight >= entry.weight) return;
      this.#exchange(entry.place, lighter);
    }
  }

  #exchange(one: number, other: number): void {
    const heap = this.#heap;
    const first = heap[one]!;
    const second = heap[other]!;
    heap[one] = second;
    heap[other] = first;
    second.place = one;
    first.place = other;
  }
}
