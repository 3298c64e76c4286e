/** Counting and finding bits in a range of bytes. Bit 0 is the most significant bit of the first byte. */

import type { Bytes } from '#base';

const ONES_OF_BYTE = new Uint8Array(256);
for (let byte = 1; byte < 256; byte += 1)
  ONES_OF_BYTE[byte] = ONES_OF_BYTE[byte >> 1]! + (byte & 1);

/** From this length on, words are looked at instead of bytes. */
const WORDS_MIN_BYTES = 64;
const WORD_BYTES = 4;
/** Words that are looked at together while a bit is sought. */
const STRIDE_WORDS = 8;
/** Words that one call looks at. */
const PIECE_WORDS = 4_096;
const BYTE_BITS = 8;

/** The byte of a bit. Bits are numbered beyond 2^31: a shift would cut the number. */
export function byteOf(bit: number): number {
  return Math.floor(bit / BYTE_BITS);
}

/** Counts the bits of `length` bytes that are one. */
export function countOnes(bytes: Bytes, at: number, length: number): number {
  const end = at + length;
  let index = at;
  let ones = 0;
  if (length >= WORDS_MIN_BYTES) {
    for (const first = at + gapBefore(bytes, at); index < first; index += 1) {
      ones += ONES_OF_BYTE[bytes[index]!]!;
    }
    const words = wordsBetween(bytes, index, end);
    ones += onesOfWords(words);
    index += WORD_BYTES * words.length;
  }
  for (; index < end; index += 1) ones += ONES_OF_BYTE[bytes[index]!]!;
  return ones;
}

/** Counts the bits that are one, by pieces: a loop that is called often is compiled well before it ends. */
function onesOfWords(words: Int32Array): number {
  let ones = 0;
  for (let from = 0; from < words.length; from += PIECE_WORDS) {
    ones += onesOfPiece(words, from, Math.min(from + PIECE_WORDS, words.length));
  }
  return ones;
}

/** The well-known addition of neighbouring bit fields (Hacker's Delight, 5-1). */
function onesOfPiece(words: Int32Array, from: number, to: number): number {
  let ones = 0;
  for (let at = from; at < to; at += 1) {
    const word = words[at]!;
    let fields = word - ((word >>> 1) & 0x5555_5555);
    fields = (fields & 0x3333_3333) + ((fields >>> 2) & 0x3333_3333);
    fields = (fields + (fields >>> 4)) & 0x0f0f_0f0f;
    ones = (ones + (Math.imul(fields, 0x0101_0101) >>> 24)) | 0;
  }
  return ones;
}

/** Counts the bits from `first` to `final` that are one; both are counted from bit 0 of `at`. */
export function countOnesOfBits(bytes: Bytes, at: number, first: number, final: number): number {
  const firstByte = byteOf(first);
  const finalByte = byteOf(final);
  let ones = countOnes(bytes, at + firstByte, finalByte - firstByte + 1);
  for (let bit = firstByte * BYTE_BITS; bit < first; bit += 1) ones -= bitAt(bytes, at, bit);
  const endBit = (finalByte + 1) * BYTE_BITS;
  for (let bit = final + 1; bit < endBit; bit += 1) ones -= bitAt(bytes, at, bit);
  return ones;
}

export function bitAt(bytes: Bytes, at: number, bit: number): number {
  return (bytes[at + byteOf(bit)]! >> (7 - (bit & 7))) & 1;
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
  const firstWhole = Math.ceil(first / BYTE_BITS);
  const endWhole = Math.floor((final + 1) / BYTE_BITS);
  let bit = first;
  if (firstWhole < endWhole) {
    for (; bit < firstWhole * BYTE_BITS; bit += 1) {
      if (bitAt(bytes, at, bit) === wanted) return bit;
    }
    bit = (findOther(bytes, at + firstWhole, at + endWhole, without) - at) * BYTE_BITS;
  }
  for (; bit <= final; bit += 1) if (bitAt(bytes, at, bit) === wanted) return bit;
  return -1;
}

/** Returns the index of the first byte that is not `same`, which is 0 or 255; `end` when there is none. */
function findOther(bytes: Bytes, at: number, end: number, same: number): number {
  let index = at;
  if (end - at >= WORDS_MIN_BYTES) {
    for (const first = at + gapBefore(bytes, at); index < first; index += 1) {
      if (bytes[index] !== same) return index;
    }
    const words = wordsBetween(bytes, index, end);
    index += WORD_BYTES * wordsOfOneKind(words, same === 0 ? 0 : -1);
  }
  while (index < end && bytes[index] === same) index += 1;
  return index;
}

/** Counts the words, in whole strides, that are all zeros (`same` is 0) or all ones (-1). */
function wordsOfOneKind(words: Int32Array, same: number): number {
  const pass = same === 0 ? passZeros : passOnes;
  let from = 0;
  for (;;) {
    const to = Math.min(from + PIECE_WORDS, words.length);
    const at = pass(words, from, to);
    if (at < to || to === words.length) return at;
    from = to;
  }
}

function passZeros(words: Int32Array, from: number, to: number): number {
  let at = from;
  for (; at <= to - STRIDE_WORDS; at += STRIDE_WORDS) {
    const near = words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!;
    const far = words[at + 4]! | words[at + 5]! | words[at + 6]! | words[at + 7]!;
    if ((near | far) !== 0) break;
  }
  return at;
}

function passOnes(words: Int32Array, from: number, to: number): number {
  let at = from;
  for (; at <= to - STRIDE_WORDS; at += STRIDE_WORDS) {
    const near = words[at]! & words[at + 1]! & words[at + 2]! & words[at + 3]!;
    const far = words[at + 4]! & words[at + 5]! & words[at + 6]! & words[at + 7]!;
    if ((near & far) !== -1) break;
  }
  return at;
}

/** Bytes from `at` up to the next that a word may begin with. */
function gapBefore(bytes: Bytes, at: number): number {
  return -(bytes.byteOffset + at) & (WORD_BYTES - 1);
}

/** The whole words from `at`, where a word may begin, up to `end`. */
export function wordsBetween(bytes: Bytes, at: number, end: number): Int32Array<ArrayBuffer> {
  const { buffer, byteOffset } = bytes;
  const count = Math.floor((end - at) / WORD_BYTES);
  return new Int32Array(buffer as ArrayBuffer, byteOffset + at, count);
}
