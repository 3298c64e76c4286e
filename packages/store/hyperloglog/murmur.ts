/**
 * MurmurHash64A (Austin Appleby, public domain), the hash of Redis' HyperLogLog. Sixty-four bits are
 * two unsigned words, since bigints would be ten times slower.
 */

import type { Bytes } from '#base';

const MULTIPLIER_LOW = 0x5bd1_e995;
const MULTIPLIER_HIGH = 0xc6a4_a793;
const SEED = 0xadc8_3b19;

/** The last hash: its low and its high word, unsigned. */
export const hashed = { low: 0, high: 0 };

/** Multiplies `hashed` by the constant. */
function multiply(): void {
  const { low, high } = hashed;
  const lowTimes = product(low, MULTIPLIER_LOW);
  hashed.high =
    (lowTimes + Math.imul(low, MULTIPLIER_HIGH) + Math.imul(high, MULTIPLIER_LOW)) >>> 0;
  hashed.low = Math.imul(low, MULTIPLIER_LOW) >>> 0;
}

/** The upper word of the product of two unsigned words. */
function product(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = (middle & 0xffff) + aLow * bHigh;
  return (aHigh * bHigh + Math.floor(middle / 0x1_0000) + (other >>> 16)) >>> 0;
}

/** h ^= h >> 47. */
function foldHigh(): void {
  hashed.low = (hashed.low ^ (hashed.high >>> 15)) >>> 0;
}

/** Hashes a range of bytes into `hashed`. */
export function hash(bytes: Bytes, at: number, length: number): void {
  // The state starts as seed ^ (length * multiplier).
  hashed.low = length >>> 0;
  hashed.high = 0;
  multiply();
  let low = (hashed.low ^ SEED) >>> 0;
  let { high } = hashed;
  const wordsEnd = at + (length & ~7);
  for (let index = at; index < wordsEnd; index += 8) {
    hashed.low = word(bytes, index);
    hashed.high = word(bytes, index + 4);
    multiply();
    foldHigh();
    multiply();
    hashed.low = (hashed.low ^ low) >>> 0;
    hashed.high = (hashed.high ^ high) >>> 0;
    multiply();
    ({ low, high } = hashed);
  }
  hashed.low = low;
  hashed.high = high;
  const left = length & 7;
  if (left > 0) {
    for (let index = 0; index < left; index += 1) {
      const byte = bytes[wordsEnd + index]!;
      if (index < 4) hashed.low = (hashed.low ^ (byte << (8 * index))) >>> 0;
      else hashed.high = (hashed.high ^ (byte << (8 * (index - 4)))) >>> 0;
    }
    multiply();
  }
  foldHigh();
  multiply();
  foldHigh();
}

function word(bytes: Bytes, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}
