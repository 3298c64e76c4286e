/** Members that a search found. */

import type { Bytes } from '#base';
import { orderOf } from '../elements/order.ts';
import { Texts } from '../elements/texts.ts';

const COUNT_USUAL = 256;

export class FoundPlaces {
  readonly members = new Texts();
  #scores: Float64Array = new Float64Array(COUNT_USUAL);
  /** Metres from the middle of the shape. */
  #distances: Float64Array = new Float64Array(COUNT_USUAL);

  get count(): number {
    return this.members.count;
  }

  add(bytes: Bytes, at: number, length: number, score: number, distance: number): void {
    const nth = this.members.count;
    if (nth === this.#scores.length) {
      this.#scores = doubled(this.#scores);
      this.#distances = doubled(this.#distances);
    }
    this.members.push(bytes, at, length);
    this.#scores[nth] = score;
    this.#distances[nth] = distance;
  }

  score(nth: number): number {
    return this.#scores[nth]!;
  }

  distance(nth: number): number {
    return this.#distances[nth]!;
  }

  /** Returns the numbers of the `count` first by their distances; equal ones stay in their order. */
  nearest(count: number, isDescending: boolean): Uint32Array {
    const ranks = this.#distances.subarray(0, this.count);
    return orderOf({ ranks, isDescending, compareEqual: () => 0 }, 0, count);
  }
}

function doubled(numbers: Float64Array): Float64Array {
  const larger = new Float64Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
