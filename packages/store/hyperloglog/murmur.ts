/**
 * MurmurHash64A (Austin Appleby, public domain), the hash of Redis' HyperLogLog. Sixty-four bits are
 * two words of 32, since bigints would be ten times slower. The words are signed: so they are never boxed.
 */

import type { Bytes } from '#base';

const MULTIPLIER_LOW = 0x5bd1_e995;
const MULTIPLIER_HIGH = 0xc6a4_a793 | 0;
const SEED = 0xadc8_3b19 | 0;

const FACTOR_LOW = MULTIPLIER_LOW & 0xffff;
const FACTOR_HIGH = MULTIPLIER_LOW >>> 16;

/** The last hash: its low and its high word. */
export const hashed = { low: 0, high: 0 };

/** The high word of the product of two words with the constant. */
function highOfProduct(low: number, high: number): number {
  const lowHalf = low & 0xffff;
  const highHalf = low >>> 16;
  // None of these sums is beyond 2^32.
  const middle = (Math.imul(highHalf, FACTOR_LOW) + (Math.imul(lowHalf, FACTOR_LOW) >>> 16)) >>> 0;
  const other = ((middle & 0xffff) + Math.imul(lowHalf, FACTOR_HIGH)) >>> 0;
  const carried = Math.imul(highHalf, FACTOR_HIGH) + (middle >>> 16) + (other >>> 16);
  return (carried + Math.imul(low, MULTIPLIER_HIGH) + Math.imul(high, MULTIPLIER_LOW)) | 0;
}

/** Hashes a range of bytes into `hashed`. */
export function hash(bytes: Bytes, at: number, length: number): void {
  // The state starts as seed ^ (length * multiplier).
  let high = highOfProduct(length, 0);
  let low = Math.imul(length, MULTIPLIER_LOW) ^ SEED;
  const wordsEnd = at + length - (length & 7);
  for (let index = at; index < wordsEnd; index += 8) {
    let wordLow = word(bytes, index);
    let wordHigh = word(bytes, index + 4);
    wordHigh = highOfProduct(wordLow, wordHigh);
    // word ^= word >> 47
    wordLow = Math.imul(wordLow, MULTIPLIER_LOW) ^ (wordHigh >>> 15);
    wordHigh = highOfProduct(wordLow, wordHigh) ^ high;
    wordLow = Math.imul(wordLow, MULTIPLIER_LOW) ^ low;
    high = highOfProduct(wordLow, wordHigh);
    low = Math.imul(wordLow, MULTIPLIER_LOW);
  }
  const left = length & 7;
  if (left > 0) {
    for (let index = 0; index < left; index += 1) {
      const byte = bytes[wordsEnd + index]!;
      if (index < 4) low ^= byte << (8 * index);
      else high ^= byte << (8 * (index - 4));
    }
    high = highOfProduct(low, high);
    low = Math.imul(low, MULTIPLIER_LOW);
  }
  low ^= high >>> 15;
  high = highOfProduct(low, high);
  low = Math.imul(low, MULTIPLIER_LOW);
  hashed.low = low ^ (high >>> 15);
  hashed.high = high;
}

function word(bytes: Bytes, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
