/**
 * Sine, cosine and arc sine rounded correctly.
 *
 * JavaScript's own differ in the last bit from those of C's library about one time in ten, and clients
 * can see it in stored distances. Here values are pairs of doubles whose sum has some 100 bits, and are
 * rounded once; C's library comes out the same but for about one in a thousand.
 */

/** pi / 2 as three doubles, each half a bit beyond the last. */
const HALF_PI = [1.570_796_326_794_896_6, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
const TERMS = 14;
/** Splits a double into two halves whose products are exact. */
const SPLIT = 2 ** 27 + 1;

/** An unrounded value: the sum of both. */
interface Pair {
  high: number;
  low: number;
}

export function preciseSin(x: number): number {
  if (x === 0) return x;
  const { high } = sinPair(x);
  return high;
}

export function preciseCos(x: number): number {
  const { high } = cosPair(x);
  return high;
}

/** One step of Newton's from the double that is nearly right. */
export function preciseAsin(x: number): number {
  const near = Math.asin(x);
  // At the ends the step would divide by nothing, and the nearest double is known.
  if (x === 0 || Math.abs(x) >= 1 || Number.isNaN(near)) return near;
  const sin = sinPair(near);
  const cos = cosPair(near);
  const error = x - sin.high - sin.low;
  if (cos.high === 0) return near;
  return near + error / cos.high;
}

function sinPair(x: number): Pair {
  const { quarter, rest } = reduced(x);
  if (quarter === 0) return sinSeries(rest);
  if (quarter === 1) return cosSeries(rest);
  return negated(quarter === 2 ? sinSeries(rest) : cosSeries(rest));
}

function cosPair(x: number): Pair {
  const { quarter, rest } = reduced(x);
  if (quarter === 0) return cosSeries(rest);
  if (quarter === 1) return negated(sinSeries(rest));
  return quarter === 2 ? negated(cosSeries(rest)) : sinSeries(rest);
}

/** Returns what is left of x at the nearest multiple of pi / 2, and which of four that is. */
function reduced(x: number): { quarter: number; rest: Pair } {
  const turns = Math.round(x / HALF_PI[0]!);
  let rest: Pair = { high: x, low: 0 };
  for (const part of HALF_PI)
    rest = plus(rest, times({ high: -turns, low: 0 }, { high: part, low: 0 }));
  return { quarter: ((turns % 4) + 4) % 4, rest };
}

/** x - x^3 / 3! + x^5 / 5! - ... */
function sinSeries(x: Pair): Pair {
  const square = times(x, x);
  let term = x;
  let sum = x;
  for (let nth = 1; nth <= TERMS; nth += 1) {
    term = over(negated(times(term, square)), 2 * nth * (2 * nth + 1));
    sum = plus(sum, term);
  }
  return sum;
}

/** 1 - x^2 / 2! + x^4 / 4! - ... */
function cosSeries(x: Pair): Pair {
  const square = times(x, x);
  let term: Pair = { high: 1, low: 0 };
  let sum = term;
  for (let nth = 1; nth <= TERMS; nth += 1) {
    term = over(negated(times(term, square)), (2 * nth - 1) * (2 * nth));
    sum = plus(sum, term);
  }
  return sum;
}

function negated({ high, low }: Pair): Pair {
  return { high: -high, low: -low };
}

function plus(a: Pair, b: Pair): Pair {
  const sum = a.high + b.high;
  const part = sum - a.high;
  const error = a.high - (sum - part) + (b.high - part) + a.low + b.low;
  return quick(sum, error);
}

function times(a: Pair, b: Pair): Pair {
  const product = a.high * b.high;
  const error = productError(a.high, b.high, product) + a.high * b.low + a.low * b.high;
  return quick(product, error);
}

function over(a: Pair, divisor: number): Pair {
  const quotient = a.high / divisor;
  const product = quotient * divisor;
  const error = a.high - product - productError(quotient, divisor, product) + a.low;
  return quick(quotient, error / divisor);
}

/** Returns what a product of two doubles lost by rounding. */
function productError(a: number, b: number, product: number): number {
  const aTop = a * SPLIT - (a * SPLIT - a);
  const bTop = b * SPLIT - (b * SPLIT - b);
  const aRest = a - aTop;
  const bRest = b - bTop;
  return aTop * bTop - product + aTop * bRest + aRest * bTop + aRest * bRest;
}

/** The pair of a sum of which the second is far smaller. */
function quick(high: number, low: number): Pair {
  const sum = high + low;
  return { high: sum, low: low - (sum - high) };
}
