/**
 * The heaviest keys of a stream, in bounded memory: space-saving (Metwally, Agrawal, El Abbadi).
 *
 * A key that is not known takes the place of the lightest one and inherits its weight, which is then the
 * most that it can be over-counted by. Every key heavier than total / capacity is certain to be known.
 */

/** What is known of a key. */
export interface TopKey {
  /** One character for each byte. */
  readonly key: string;
  /** What it is ranked by. */
  readonly weight: number;
  /** How much of `weight` may be others'. */
  readonly error: number;
  readonly calls: number;
  readonly us: number;
  readonly bytes: number;
}

/** Keys are numbered, and what is known of them lies in typed arrays: counting makes no garbage. */
export class TopKeys {
  readonly #capacity: number;
  readonly #ids = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #weights: Float64Array;
  readonly #errors: Float64Array;
  readonly #calls: Float64Array;
  readonly #us: Float64Array;
  readonly #bytes: Float64Array;
  /** Numbers of keys as a binary heap, the lightest first; and where in it each number is. */
  readonly #heap: Int32Array;
  readonly #places: Int32Array;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#weights = new Float64Array(capacity);
    this.#errors = new Float64Array(capacity);
    this.#calls = new Float64Array(capacity);
    this.#us = new Float64Array(capacity);
    this.#bytes = new Float64Array(capacity);
    this.#heap = new Int32Array(capacity);
    this.#places = new Int32Array(capacity);
  }

  /** Counts one use of a key, or several alike. */
  add(key: string, weight: number, calls: number, us: number, bytes: number): void {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#keys.length < this.#capacity ? this.#newId(key) : this.#takeOver(key);
    }
    this.#weights[id]! += weight;
    this.#calls[id]! += calls;
    this.#us[id]! += us;
    this.#bytes[id]! += bytes;
    this.#sink(id);
  }

  /** The heaviest keys, heaviest first. */
  heaviest(count: number): readonly TopKey[] {
    const weights = this.#weights;
    const ranked = [...this.#keys.keys()].sort((a, b) => weights[b]! - weights[a]!);
    return ranked.slice(0, count).map((id) => ({
      key: this.#keys[id]!,
      ...{ weight: weights[id]!, error: this.#errors[id]! },
      ...{ calls: this.#calls[id]!, us: this.#us[id]!, bytes: this.#bytes[id]! },
    }));
  }

  #newId(key: string): number {
    const id = this.#keys.length;
    this.#keys.push(key);
    this.#ids.set(key, id);
    // It weighs nothing yet, so it belongs on top.
    let place = id;
    while (place > 0) {
      const above = (place - 1) >> 1;
      this.#put(this.#heap[above]!, place);
      place = above;
    }
    this.#put(id, 0);
    return id;
  }

  #takeOver(key: string): number {
    const id = this.#heap[0]!;
    this.#ids.delete(this.#keys[id]!);
    this.#ids.set(key, id);
    this.#keys[id] = key;
    this.#errors[id] = this.#weights[id]!;
    this.#calls[id] = 0;
    this.#us[id] = 0;
    this.#bytes[id] = 0;
    return id;
  }

  /** A key has become heavier. */
  #sink(id: number): void {
    const heap = this.#heap;
    const weights = this.#weights;
    const count = this.#keys.length;
    const weight = weights[id]!;
    let place = this.#places[id]!;
    for (let below = 2 * place + 1; below < count; below = 2 * place + 1) {
      const right = below + 1;
      if (right < count && weights[heap[right]!]! < weights[heap[below]!]!) below = right;
      const lighter = heap[below]!;
      if (weights[lighter]! >= weight) break;
      this.#put(lighter, place);
      place = below;
    }
    this.#put(id, place);
  }

  #put(id: number, place: number): void {
    this.#heap[place] = id;
    this.#places[id] = place;
  }
}
