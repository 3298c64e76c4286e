/**
 * Ranks after Zipf's law: rank k of n is drawn in proportion to 1 / k^s.
 *
 * By rejection-inversion, W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", ACM TOMACS 6 (1996). It is exact for every s > 0, 1 included, takes constant time and memory, and needs
 * 1.1 draws for a rank or fewer: no sum over all keys, as the generator of Gray et al. (SIGMOD 1994) needs.
 */

import type { RandomNumbers } from './random.ts';

/** Distance from 0 below which the quotients are their Taylor series. */
const NEAR_ZERO = 1e-8;

export class Zipf {
  readonly #count: number;
  readonly #exponent: number;
  readonly #random: RandomNumbers;
  /** Integral of the hat from its beginning and to its end, and the distance within which a rank is taken at once. */
  readonly #first: number;
  readonly #last: number;
  readonly #squeeze: number;

  /** Draws from `count` ranks with an exponent above 0. */
  constructor(count: number, exponent: number, random: RandomNumbers) {
    this.#count = count;
    this.#exponent = exponent;
    this.#random = random;
    this.#first = this.#integral(1.5) - 1;
    this.#last = this.#integral(count + 0.5);
    this.#squeeze = 2 - this.#inverse(this.#integral(2.5) - this.#density(2));
  }

  /** Returns a rank, from 1, the most frequent one, to the number of ranks. */
  next(): number {
    for (;;) {
      const area = this.#last + this.#random.fraction() * (this.#first - this.#last);
      const x = this.#inverse(area);
      const rank = Math.min(this.#count, Math.max(1, Math.round(x)));
      if (rank - x <= this.#squeeze) return rank;
      if (area >= this.#integral(rank + 0.5) - this.#density(rank)) return rank;
    }
  }

  #density(x: number): number {
    return Math.exp(-this.#exponent * Math.log(x));
  }

  /** Integral of the density up to x: (x^(1-s) - 1) / (1 - s), which is log x where s is 1. */
  #integral(x: number): number {
    const log = Math.log(x);
    return exponentialQuotient((1 - this.#exponent) * log) * log;
  }

  #inverse(area: number): number {
    const product = Math.max(-1, area * (1 - this.#exponent));
    return Math.exp(logarithmQuotient(product) * area);
  }
}

/** (e^x - 1) / x */
function exponentialQuotient(x: number): number {
  return Math.abs(x) > NEAR_ZERO ? Math.expm1(x) / x : 1 + x / 2;
}

/** log(1 + x) / x */
function logarithmQuotient(x: number): number {
  return Math.abs(x) > NEAR_ZERO ? Math.log1p(x) / x : 1 - x / 2;
}
