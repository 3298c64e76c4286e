/**
 * Integers as Redis reads and writes them: 64 bits, strict decimal form.
 *
 * A value is a `number` where 53 bits hold it, which is nearly always; the functions that end in
 * `64` use `bigint` for the rest.
 */

import type { Bytes } from '../bytes/byte-array.ts';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
/** Longest decimal form of a 64-bit integer, sign included. */
export const INT64_DIGITS_MAX = 20;

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
/** Digits that certainly fit 53 bits. */
const SAFE_DIGITS_MAX = 15;

/**
 * Parses a strict decimal integer (no spaces, no plus, no leading zeros, no "-0"). Returns NaN if it is not one, and
 * also if it exceeds 53 bits: `parseInteger64` distinguishes the two.
 */
export function parseInteger(bytes: Bytes, at: number, length: number): number {
  if (length === 0 || length > SAFE_DIGITS_MAX + 1) return parseLong(bytes, at, length);
  let index = at;
  const end = at + length;
  const negative = bytes[index] === MINUS;
  if (negative) index += 1;
  const first = bytes[index]!;
  if (index === end || first < ZERO || first > NINE) return NaN;
  if (first === ZERO) return end - index === 1 && !negative ? 0 : NaN;
  let value = 0;
  for (; index < end; index += 1) {
    const digit = bytes[index]! - ZERO;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  // Sixteen digits may be too many.
  if (value > Number.MAX_SAFE_INTEGER) return NaN;
  return negative ? -value : value;
}

function parseLong(bytes: Bytes, at: number, length: number): number {
  const value = parseInteger64(bytes, at, length);
  if (value === undefined) return NaN;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : NaN;
}

/** Reads a strict decimal 64-bit integer; undefined when it is none or out of range. */
export function parseInteger64(bytes: Bytes, at: number, length: number): bigint | undefined {
  if (length === 0 || length > INT64_DIGITS_MAX) return undefined;
  const negative = bytes[at] === MINUS;
  const from = negative ? at + 1 : at;
  const digits = at + length - from;
  const first = bytes[from]!;
  if (digits === 0) return undefined;
  if (first === ZERO) return digits === 1 && !negative ? 0n : undefined;
  let text = '';
  for (let index = from; index < at + length; index += 1) {
    const byte = bytes[index]!;
    if (byte < ZERO || byte > NINE) return undefined;
    text += String.fromCharCode(byte);
  }
  const value = negative ? -BigInt(text) : BigInt(text);
  return value < INT64_MIN || value > INT64_MAX ? undefined : value;
}

/** Writes a safe integer in decimal at `at`; returns how many bytes it took (at most 20). */
export function writeInteger(value: number, bytes: Bytes, at: number): number {
  let rest = value;
  let start = at;
  if (rest < 0) {
    bytes[start] = MINUS;
    start += 1;
    rest = -rest;
  }
  const digits = digitCount(rest);
  let index = start + digits;
  // Above 2^31 the remainder of a double is slow, so the top is split off once.
  if (rest > 0x7fff_ffff) {
    const top = Math.floor(rest / 1e9);
    let low = (rest - top * 1e9) | 0;
    for (let left = 9; left > 0; left -= 1) {
      const quotient = (low / 10) | 0;
      index -= 1;
      bytes[index] = ZERO + (low - quotient * 10);
      low = quotient;
    }
    rest = top;
  }
  let small = rest | 0;
  do {
    const quotient = (small / 10) | 0;
    index -= 1;
    bytes[index] = ZERO + (small - quotient * 10);
    small = quotient;
  } while (index > start);
  return start + digits - at;
}

/** Returns the number of decimal digits of a non-negative safe integer. */
export function digitCount(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1_000) return 3;
  if (value < 10_000) return 4;
  let digits = 5;
  for (let bound = 100_000; value >= bound; bound *= 10) digits += 1;
  return digits;
}
