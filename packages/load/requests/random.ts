/**
 * Repeatable random numbers: xoshiro128** of Blackman and Vigna ("Scrambled Linear Pseudorandom Number Generators", ACM TOMS
 * 47, 2021), whose state is filled from a seed by splitmix32.
 */

const TO_32 = 2 ** 32;
const TO_53 = 2 ** 53;

export class RandomNumbers {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Seed and stream decide all numbers; streams of one seed are independent of each other. */
  constructor(seed: number, stream = 0) {
    let state = (Math.imul(seed >>> 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) | 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next() | 1];
  }

  /** A number of 32 bits. */
  word(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** A number from 0 up to, but not reaching, 1, of 53 bits. */
  fraction(): number {
    return (this.word() * 2 ** 21 + (this.word() >>> 11)) / TO_53;
  }

  /** A whole number from 0 up to, but not reaching, `count`, which is at most 2^53. */
  below(count: number): number {
    // The product is exact up to 2^53, and the bias of short counts is below their share of 2^32.
    if (count <= 2 ** 20) return Math.floor((this.word() * count) / TO_32);
    return Math.floor(this.fraction() * count);
  }
}
