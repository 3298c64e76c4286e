/** Counting and finding bits in a range of bytes. Bit 0 is the most significant bit of the first byte. */

import type { Bytes } from '#base';

const onesOfByte = new Uint8Array(256);
for (let byte = 1; byte < 256; byte += 1) onesOfByte[byte] = onesOfByte[byte >> 1]! + (byte & 1);

/** From this length on, words are counted instead of bytes. */
const WORDS_MIN_BYTES = 64;

/** How many bits of `length` bytes are one. */
export function countOnes(bytes: Bytes, at: number, length: number): number {
  const end = at + length;
  let index = at;
  let ones = 0;
  if (length >= WORDS_MIN_BYTES) {
    while (((bytes.byteOffset + index) & 3) !== 0) {
      ones += onesOfByte[bytes[index]!]!;
      index += 1;
    }
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + index, (end - index) >> 2);
    ones += onesOfWords(words);
    index += 4 * words.length;
  }
  for (; index < end; index += 1) ones += onesOfByte[bytes[index]!]!;
  return ones;
}

/** The well-known addition of neighbouring bit fields (Hacker's Delight, 5-1). */
function onesOfWords(words: Int32Array): number {
  let ones = 0;
  for (const word of words) {
    let fields = word - ((word >>> 1) & 0x5555_5555);
    fields = (fields & 0x3333_3333) + ((fields >>> 2) & 0x3333_3333);
    fields = (fields + (fields >>> 4)) & 0x0f0f_0f0f;
    ones += Math.imul(fields, 0x0101_0101) >>> 24;
  }
  return ones;
}

/** How many of the bits from `first` to `final` are one; both counted from bit 0 of `at`. */
export function countOnesOfBits(bytes: Bytes, at: number, first: number, final: number): number {
  const firstByte = first >> 3;
  const finalByte = final >> 3;
  let ones = countOnes(bytes, at + firstByte, finalByte - firstByte + 1);
  for (let bit = firstByte * 8; bit < first; bit += 1) ones -= bitAt(bytes, at, bit);
  for (let bit = final + 1; bit < (finalByte + 1) * 8; bit += 1) ones -= bitAt(bytes, at, bit);
  return ones;
}

export function bitAt(bytes: Bytes, at: number, bit: number): number {
  return (bytes[at + Math.floor(bit / 8)]! >> (7 - (bit & 7))) & 1;
}

/** The first bit from `first` to `final` that is `wanted`; -1 when there is none. */
export function findBit(
  bytes: Bytes,
  at: number,
  first: number,
  final: number,
  wanted: number,
): number {
  // A byte without the wanted bit is stepped over whole.
  const without = wanted === 1 ? 0 : 0xff;
  let bit = first;
  while (bit <= final) {
    if ((bit & 7) === 0 && bytes[at + bit / 8] === without) bit += 8;
    else if (bitAt(bytes, at, bit) === wanted) return bit;
    else bit += 1;
  }
  return -1;
}
