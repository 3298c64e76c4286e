/**
 * Redis' HyperLogLog: 16,384 registers of six bits, dense or as a run-length code, behind a header.
 *
 *   0..3    "HYLL"
 *   4       0 = dense, 1 = sparse
 *   8..15   the cached count, little endian; bit 63 = it is no longer true
 *   16..    registers
 *
 * Sparse opcodes: 00xxxxxx: x+1 registers are 0; 01xxxxxx yyyyyyyy: xy+1 registers are 0;
 * 1vvvvvxx: x+1 registers are v+1.
 */

import { asBuffer, type Bytes } from '#base';
import { hash, hashed } from './murmur.ts';

export const REGISTERS = 16_384;
export const HEADER_BYTES = 16;
const DENSE_BYTES = HEADER_BYTES + (REGISTERS * 6) / 8;
/** Highest value that a sparse code can hold. */
export const SPARSE_VALUE_MAX = 32;

const INDEX_BITS = 14;
/** Bits of the hash that are searched for the first one. */
const PATTERN_BITS = 64 - INDEX_BITS;
const MAGIC = Buffer.from('HYLL', 'latin1');
const ENCODING_AT = 4;
const DENSE = 0;
const SPARSE = 1;
const CACHE_AT = 8;
const STALE_AT = 15;

/** The register that the last element falls into, and the length of its pattern. */
export const place = { register: 0, count: 0 };

/** Finds an element's register and pattern: into `place`. */
export function locate(bytes: Bytes, at: number, length: number): void {
  hash(bytes, at, length);
  const { low, high } = hashed;
  place.register = low & (REGISTERS - 1);
  // The hash shifted right by 14, and a one at bit 50 so that there always is one.
  const shiftedLow = (low >>> INDEX_BITS) | (high << (32 - INDEX_BITS));
  const shiftedHigh = (high >>> INDEX_BITS) | (1 << (PATTERN_BITS - 32));
  place.count =
    1 + (shiftedLow !== 0 ? trailingZeros(shiftedLow) : 32 + trailingZeros(shiftedHigh));
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** A new sparse one: all registers are 0. */
export function emptySparse(): Bytes {
  const value = Buffer.alloc(HEADER_BYTES + 2);
  value.set(MAGIC);
  value[ENCODING_AT] = SPARSE;
  value[HEADER_BYTES] = 0x40 | ((REGISTERS - 1) >> 8);
  value[HEADER_BYTES + 1] = (REGISTERS - 1) & 0xff;
  return value;
}

export function emptyDense(): Bytes {
  const value = Buffer.alloc(DENSE_BYTES);
  value.set(MAGIC);
  value[ENCODING_AT] = DENSE;
  return value;
}

export function isHyperLogLog(value: Bytes): boolean {
  if (value.length < HEADER_BYTES) return false;
  for (let index = 0; index < ENCODING_AT; index += 1) {
    if (value[index] !== MAGIC[index]) return false;
  }
  return (
    value[ENCODING_AT] === SPARSE || (value[ENCODING_AT] === DENSE && value.length === DENSE_BYTES)
  );
}

export function isDense(value: Bytes): boolean {
  return value[ENCODING_AT] === DENSE;
}

/** The cached count, which may be any 63 bits that somebody has written there; undefined when it is no longer true. */
export function cachedCount(value: Bytes): bigint | undefined {
  if ((value[STALE_AT]! & 0x80) !== 0) return undefined;
  return asBuffer(value).readBigInt64LE(CACHE_AT);
}

export function cacheCount(value: Bytes, count: number): void {
  let rest = count;
  for (let index = CACHE_AT; index < CACHE_AT + 8; index += 1) {
    value[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

export function forgetCount(value: Bytes): void {
  value[STALE_AT]! |= 0x80;
}

export function denseRegister(value: Bytes, register: number): number {
  const bit = register * 6;
  const at = HEADER_BYTES + (bit >> 3);
  const shift = bit & 7;
  // The last register ends with the last byte.
  return ((value[at]! >> shift) | ((value[at + 1] ?? 0) << (8 - shift))) & 63;
}

export function setDenseRegister(value: Bytes, register: number, count: number): void {
  const bit = register * 6;
  const at = HEADER_BYTES + (bit >> 3);
  const shift = bit & 7;
  value[at] = (value[at]! & ~(63 << shift)) | (count << shift);
  if (shift > 2) value[at + 1] = (value[at + 1]! & ~(63 >> (8 - shift))) | (count >> (8 - shift));
}

/** One run of a sparse code. */
interface Run {
  /** Bytes of its opcode. */
  bytes: number;
  value: number;
  length: number;
}

/** Returns the run whose opcode is at `at`; bytes beyond the end of the value count as zero. */
export function runAt(value: Bytes, at: number): Run {
  const opcode = value[at]!;
  if ((opcode & 0x80) !== 0) {
    return { bytes: 1, value: ((opcode >> 2) & 31) + 1, length: (opcode & 3) + 1 };
  }
  if ((opcode & 0x40) === 0) return { bytes: 1, value: 0, length: (opcode & 63) + 1 };
  const length = (((opcode & 63) << 8) | (value[at + 1] ?? 0)) + 1;
  return { bytes: 2, value: 0, length };
}

/** Raises `registers` to those of the value; returns false if its sparse encoding is invalid. */
export function mergeInto(registers: Uint8Array, value: Bytes): boolean {
  if (!isDense(value)) return mergeSparse(registers, value);
  // Four registers are three bytes.
  let at = HEADER_BYTES;
  for (let register = 0; register < REGISTERS; register += 4) {
    const bits = value[at]! | (value[at + 1]! << 8) | (value[at + 2]! << 16);
    at += 3;
    raise(registers, register, bits & 63);
    raise(registers, register + 1, (bits >> 6) & 63);
    raise(registers, register + 2, (bits >> 12) & 63);
    raise(registers, register + 3, bits >> 18);
  }
  return true;
}

function raise(registers: Uint8Array, register: number, count: number): void {
  if (count > registers[register]!) registers[register] = count;
}

function mergeSparse(registers: Uint8Array, value: Bytes): boolean {
  let register = 0;
  let at = HEADER_BYTES;
  while (at < value.length) {
    const run = runAt(value, at);
    const end = register + run.length;
    if (end > REGISTERS) return false;
    // Most of a sparse code is zeros, which raise nothing.
    if (run.value === 0) register = end;
    for (; register < end; register += 1) raise(registers, register, run.value);
    at += run.bytes;
  }
  return register === REGISTERS;
}

/** Returns the value with dense registers; undefined if its sparse encoding is invalid. */
export function toDense(value: Bytes): Bytes | undefined {
  const registers = new Uint8Array(REGISTERS);
  if (!mergeInto(registers, value)) return undefined;
  const dense = emptyDense();
  // What is unused between the encoding and the count stays too.
  dense.set(value.subarray(ENCODING_AT + 1, HEADER_BYTES), ENCODING_AT + 1);
  fillDense(dense, registers);
  return dense;
}

export function fillDense(dense: Bytes, registers: Uint8Array): void {
  let at = HEADER_BYTES;
  for (let register = 0; register < REGISTERS; register += 4) {
    const bits =
      registers[register]! |
      (registers[register + 1]! << 6) |
      (registers[register + 2]! << 12) |
      (registers[register + 3]! << 18);
    dense[at] = bits;
    dense[at + 1] = bits >> 8;
    dense[at + 2] = bits >> 16;
    at += 3;
  }
}
