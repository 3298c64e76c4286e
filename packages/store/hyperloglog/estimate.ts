/** Estimate of how many elements the registers stand for: Otmar Ertl's improved raw estimator (arXiv 1702.01284). */

import { REGISTERS } from './registers.ts';

/** Patterns are at most this long. */
const PATTERN_MAX = 50;
/** 1 / (2 ln 2). */
const ALPHA = 0.72134752044448170368;

/** The count, rounded to an integer. */
export function estimate(registers: Uint8Array): number {
  const histogram = new Float64Array(64);
  for (const register of registers) histogram[register] = histogram[register]! + 1;
  const m = REGISTERS;
  let z = m * tau((m - histogram[PATTERN_MAX + 1]!) / m);
  for (let count = PATTERN_MAX; count >= 1; count -= 1) z = (z + histogram[count]!) * 0.5;
  z += m * sigma(histogram[0]! / m);
  return Math.round((ALPHA * m * m) / z);
}

function sigma(start: number): number {
  if (start === 1) return Infinity;
  let x = start;
  let y = 1;
  let z = start;
  let before: number;
  do {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  } while (before !== z);
  return z;
}

function tau(start: number): number {
  if (start === 0 || start === 1) return 0;
  let x = start;
  let y = 1;
  let z = 1 - start;
  let before: number;
  do {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  } while (before !== z);
  return z / 3;
}
