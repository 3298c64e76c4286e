/**
 * XXH3 with 64 bits, seed 0 and the standard secret (xxHash specification, 0.8): what DIGEST returns.
 *
 * Inputs longer than 240 bytes are read by stripes of 64 bytes in a loop without bigints, since a number holds only
 * 53 bits exactly. Everything that is done a limited number of times is computed with bigints.
 */

import type { Bytes } from '../bytes/byte-array.ts';

const SECRET_HEX =
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f' +
  'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
  '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
  'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
  'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e' +
  '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e';
const secret = new DataView(Uint8Array.from(Buffer.from(SECRET_HEX, 'hex')).buffer);

const PRIME32_1 = 0x9e37_79b1n;
const PRIME32_2 = 0x85eb_ca77n;
const PRIME32_3 = 0xc2b2_ae3dn;
const PRIME64_1 = 0x9e37_79b1_85eb_ca87n;
const PRIME64_2 = 0xc2b2_ae3d_27d4_eb4fn;
const PRIME64_3 = 0x1656_67b1_9e37_79f9n;
const PRIME64_4 = 0x85eb_ca77_c2b2_ae63n;
const PRIME64_5 = 0x27d4_eb2f_1656_67c5n;
const PRIME_MX1 = 0x1656_6791_9e37_79f9n;
const PRIME_MX2 = 0x9fb2_1c65_1e98_df25n;

/** Longest input that is not read by stripes. */
const SHORT_BYTES_MAX = 240;

/** Returns the 64-bit hash of `length` bytes from `at` on. */
export function xxh3(bytes: Bytes, at: number, length: number): bigint {
  const input = new DataView(bytes.buffer, bytes.byteOffset + at, length);
  if (length > SHORT_BYTES_MAX) return hashLong(input);
  if (length > 128) return hashTo240(input);
  if (length > 16) return hashTo128(input);
  return hashTo16(input);
}

// Inputs of at most 240 bytes.

function hashTo16(input: DataView): bigint {
  const length = input.byteLength;
  if (length > 8) {
    const low = word(input, 0) ^ word(secret, 24) ^ word(secret, 32);
    const high = word(input, length - 8) ^ word(secret, 40) ^ word(secret, 48);
    return avalanche(BigInt(length) + byteSwapped(low) + high + foldedProduct(low, high));
  }
  if (length > 3) {
    const low = BigInt(input.getUint32(length - 4, true));
    const high = BigInt(input.getUint32(0, true));
    const keyed = (low | (high << 32n)) ^ word(secret, 8) ^ word(secret, 16);
    return mixedTwice(keyed, BigInt(length));
  }
  if (length === 0) return avalancheOfXxh64(word(secret, 56) ^ word(secret, 64));
  const first = input.getUint8(0);
  const middle = input.getUint8(length >> 1);
  const last = input.getUint8(length - 1);
  const packed = ((first << 16) | (middle << 24) | (length << 8) | last) >>> 0;
  const flip = secret.getUint32(0, true) ^ secret.getUint32(4, true);
  return avalancheOfXxh64(BigInt((packed ^ flip) >>> 0));
}

/** 17 to 128 bytes: pairs of 16 bytes from both ends, towards the middle. */
function hashTo128(input: DataView): bigint {
  const length = input.byteLength;
  let sum = BigInt(length) * PRIME64_1;
  for (let nth = (length - 1) >> 5; nth >= 0; nth -= 1) {
    sum += mixed(input, 16 * nth, 32 * nth);
    sum += mixed(input, length - 16 * (nth + 1), 32 * nth + 16);
  }
  return avalanche(sum);
}

function hashTo240(input: DataView): bigint {
  const length = input.byteLength;
  let sum = BigInt(length) * PRIME64_1;
  for (let nth = 0; nth < 8; nth += 1) sum += mixed(input, 16 * nth, 16 * nth);
  sum = avalanche(sum);
  for (let nth = 8; nth < length >> 4; nth += 1) {
    sum += mixed(input, 16 * nth, 16 * (nth - 8) + 3);
  }
  return avalanche(sum + mixed(input, length - 16, 119));
}

/** 16 bytes of the input with 16 bytes of the secret. */
function mixed(input: DataView, at: number, secretAt: number): bigint {
  return foldedProduct(
    word(input, at) ^ word(secret, secretAt),
    word(input, at + 8) ^ word(secret, secretAt + 8),
  );
}

function word(view: DataView, at: number): bigint {
  return view.getBigUint64(at, true);
}

/** Both halves of the product's 128 bits, combined. */
function foldedProduct(one: bigint, other: bigint): bigint {
  const product = one * other;
  return BigInt.asUintN(64, product ^ (product >> 64n));
}

const swapScratch = new DataView(new ArrayBuffer(8));

function byteSwapped(value: bigint): bigint {
  swapScratch.setBigUint64(0, value, true);
  return swapScratch.getBigUint64(0, false);
}

function rotated(value: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, value << bits) | (value >> (64n - bits));
}

/** The final mixing of XXH3; the sum may be larger than 64 bits. */
function avalanche(sum: bigint): bigint {
  const value = BigInt.asUintN(64, sum);
  const product = BigInt.asUintN(64, (value ^ (value >> 37n)) * PRIME_MX1);
  return product ^ (product >> 32n);
}

/** The final mixing of XXH64, for the shortest inputs. */
function avalancheOfXxh64(value: bigint): bigint {
  let mix = BigInt.asUintN(64, (value ^ (value >> 33n)) * PRIME64_2);
  mix = BigInt.asUintN(64, (mix ^ (mix >> 29n)) * PRIME64_3);
  return mix ^ (mix >> 32n);
}

/** The final mixing of 4 to 8 bytes ("rrmxmx"). */
function mixedTwice(value: bigint, length: bigint): bigint {
  let mix = value ^ rotated(value, 49n) ^ rotated(value, 24n);
  mix = BigInt.asUintN(64, mix * PRIME_MX2);
  mix ^= (mix >> 35n) + length;
  mix = BigInt.asUintN(64, mix * PRIME_MX2);
  return mix ^ (mix >> 28n);
}

// Longer inputs: eight sums of 64 bits, to which stripes of 64 bytes are added. After each block of 16 stripes the sums
// are scrambled.

const LANES = 8;
const STRIPE_BYTES = 64;
const BLOCK_STRIPES = 16;
const BLOCK_BYTES = BLOCK_STRIPES * STRIPE_BYTES;
const TWO_32 = 2 ** 32;
const TWO_16 = 2 ** 16;

const initialSums = [
  PRIME32_3,
  PRIME64_1,
  PRIME64_2,
  PRIME64_3,
  PRIME64_4,
  PRIME32_2,
  PRIME64_5,
  PRIME32_1,
];

/** The eight sums as words: low and high ones in turn. */
const sumsScratch = new DataView(new ArrayBuffer(8 * LANES));
const sumWords = new Uint32Array(sumsScratch.buffer);

/** The secret from a byte on as words, low and high ones in turn. */
function secretFrom(at: number): Int32Array {
  const words = new Int32Array((secret.byteLength - at) >> 2);
  for (const nth of words.keys()) words[nth] = secret.getInt32(at + 4 * nth, true);
  return words;
}

/** The secret of the stripes of a block: each begins eight bytes after the one before. */
const blockSecret = secretFrom(0);
const scramblingSecret = secretFrom(128);
const lastSecret = secretFrom(121);

function hashLong(input: DataView): bigint {
  const length = input.byteLength;
  for (const [lane, sum] of initialSums.entries()) {
    sumsScratch.setBigUint64(8 * lane, sum, true);
  }
  // The last stripe is not among those of the blocks, even if it ends one.
  const end = length - 1;
  let at = 0;
  for (; at + BLOCK_BYTES <= end; at += BLOCK_BYTES) {
    addStripes(input, at, BLOCK_STRIPES, blockSecret);
    scramble();
  }
  addStripes(input, at, Math.floor((end - at) / STRIPE_BYTES), blockSecret);
  addStripes(input, length - STRIPE_BYTES, 1, lastSecret);
  return merged(BigInt(length));
}

/**
 * Adds up to 16 stripes to the sums. Each of 8 bytes of a stripe is added to the sum of its neighbour; combined
 * with the secret, the product of its halves to its own.
 */
function addStripes(input: DataView, at: number, stripes: number, keys: Int32Array): void {
  for (let lane = 0; lane < LANES; lane += 1) {
    const pairAt = at + 8 * lane;
    const neighbourAt = at + 8 * (lane ^ 1);
    // Products have 48 bits each, so that their sums are exact.
    let low = 0;
    let high = 0;
    let lowProducts = 0;
    let highProducts = 0;
    for (let stripe = 0; stripe < stripes; stripe += 1) {
      const from = STRIPE_BYTES * stripe;
      low += input.getUint32(neighbourAt + from, true);
      high += input.getUint32(neighbourAt + from + 4, true);
      const key = 2 * (stripe + lane);
      const one = (input.getInt32(pairAt + from, true) ^ keys[key]!) >>> 0;
      const other = input.getInt32(pairAt + from + 4, true) ^ keys[key + 1]!;
      lowProducts += one * (other & 0xffff);
      highProducts += one * (other >>> 16);
    }
    addToLane(lane, low, high, lowProducts, highProducts);
  }
}

/** Adds low + high * 2^32 + lowProducts + highProducts * 2^16 to a sum; all are below 2^53. */
function addToLane(
  lane: number,
  low: number,
  high: number,
  lowProducts: number,
  highProducts: number,
): void {
  // Cut into words first: 2^16 times the products would be rounded.
  const upper = Math.floor(highProducts / TWO_16);
  const lower = highProducts - upper * TWO_16;
  const wholeLow = sumWords[2 * lane]! + low + lowProducts + lower * TWO_16;
  const carry = Math.floor(wholeLow / TWO_32);
  sumWords[2 * lane + 1] = (sumWords[2 * lane + 1]! + high + upper + carry) % TWO_32;
  sumWords[2 * lane] = wholeLow - carry * TWO_32;
}

const SCRAMBLING_PRIME = Number(PRIME32_1);
const SCRAMBLING_PRIME_LOW = SCRAMBLING_PRIME & 0xffff;
const SCRAMBLING_PRIME_HIGH = SCRAMBLING_PRIME >>> 16;

/** For each sum: sum ^= sum >> 47, combined with the secret, times a prime of 32 bits. */
function scramble(): void {
  for (let lane = 0; lane < LANES; lane += 1) {
    const sumLow = sumWords[2 * lane]!;
    const sumHigh = sumWords[2 * lane + 1]!;
    const low = (sumLow ^ (sumHigh >>> 15) ^ scramblingSecret[2 * lane]!) >>> 0;
    const high = sumHigh ^ scramblingSecret[2 * lane + 1]!;
    const carried = Math.floor((low * SCRAMBLING_PRIME_LOW) / TWO_16);
    const upper = Math.floor((low * SCRAMBLING_PRIME_HIGH + carried) / TWO_16);
    sumWords[2 * lane] = Math.imul(low, SCRAMBLING_PRIME);
    sumWords[2 * lane + 1] = Math.imul(high, SCRAMBLING_PRIME) + upper;
  }
}

function merged(length: bigint): bigint {
  let result = length * PRIME64_1;
  for (let pair = 0; pair < LANES / 2; pair += 1) {
    result += mixed(sumsScratch, 16 * pair, 11 + 16 * pair);
  }
  return avalanche(result);
}
