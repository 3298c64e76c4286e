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
  /** What was added up since it is known, in the order in which it was given. */
  readonly sums: readonly number[];
}

/** Keys are numbered, and what is known of them lies in typed arrays: counting makes no garbage. */
export class TopKeys {
  readonly #capacity: number;
  readonly #ids = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #weights: Float64Array;
  readonly #errors: Float64Array;
  /** How many sums each key has, and all sums, key by key. */
  readonly #width: number;
  readonly #sums: Float64Array;
  /** Numbers of keys as a binary heap, the lightest first; and where in it each number is. */
  readonly #heap: Int32Array;
  readonly #places: Int32Array;

  /** Adds up `width` numbers for each key. */
  constructor(capacity: number, width: number) {
    this.#capacity = capacity;
    this.#weights = new Float64Array(capacity);
    this.#errors = new Float64Array(capacity);
    this.#width = width;
    this.#sums = new Float64Array(capacity * width);
    this.#heap = new Int32Array(capacity);
    this.#places = new Int32Array(capacity);
  }

  /** Counts one use of a key, or several alike. */
  add(key: string, weight: number, amounts: readonly number[]): void {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#keys.length < this.#capacity ? this.#newId(key) : this.#takeOver(key);
    }
    this.#weights[id]! += weight;
    const at = id * this.#width;
    for (let nth = 0; nth < this.#width; nth += 1) this.#sums[at + nth]! += amounts[nth]!;
    this.#sink(id);
  }

  /** What the lightest key weighs: a key that is not known weighs no more. 0 while there is room. */
  get lightest(): number {
    return this.#keys.length < this.#capacity ? 0 : this.#weights[this.#heap[0]!]!;
  }

  /** The heaviest keys, heaviest first. */
  heaviest(count: number): readonly TopKey[] {
    const weights = this.#weights;
    const ranked = [...this.#keys.keys()].sort((a, b) => weights[b]! - weights[a]!);
    return ranked.slice(0, count).map((id) => ({
      key: this.#keys[id]!,
      ...{ weight: weights[id]!, error: this.#errors[id]! },
      sums: [...this.#sums.subarray(id * this.#width, (id + 1) * this.#width)],
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
    this.#sums.fill(0, id * this.#width, (id + 1) * this.#width);
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
