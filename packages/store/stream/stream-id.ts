/**
 * Ids of stream entries: milliseconds and a sequence number, unsigned integers of 64 bits each.
 *
 * Each is kept as two words of 32 bits, signed, so that no arithmetic on ids makes anything. Words are
 * compared as what they are without their sign.
 */

import { type Bytes, INT64_MIN, latin1, writeInteger } from '#base';

const WORD = 2 ** 32;
/** Beyond this high word a number of 64 bits does not fit 53. */
const SAFE_HIGH_MAX = 2 ** 21;
/** Digits that certainly fit 53 bits. */
const SAFE_DIGITS_MAX = 15;
const UINT64_MAX = 2n ** 64n - 1n;

const ZERO = 0x30;
const DASH = 0x2d;

/** Longest text of an id. */
export const ID_TEXT_BYTES_MAX = 41;

export class StreamId {
  msHigh = 0;
  msLow = 0;
  seqHigh = 0;
  seqLow = 0;

  set(other: StreamId): this {
    this.msHigh = other.msHigh;
    this.msLow = other.msLow;
    this.seqHigh = other.seqHigh;
    this.seqLow = other.seqLow;
    return this;
  }

  setWords(msHigh: number, msLow: number, seqHigh: number, seqLow: number): this {
    this.msHigh = msHigh | 0;
    this.msLow = msLow | 0;
    this.seqHigh = seqHigh | 0;
    this.seqLow = seqLow | 0;
    return this;
  }

  setZero(): this {
    return this.setWords(0, 0, 0, 0);
  }

  setMax(): this {
    return this.setWords(-1, -1, -1, -1);
  }

  /** Milliseconds of 53 bits, and sequence number 0. */
  setMs(ms: number): this {
    return this.setWords(Math.floor(ms / WORD), ms, 0, 0);
  }

  copy(): StreamId {
    return new StreamId().set(this);
  }

  get isZero(): boolean {
    return (this.msHigh | this.msLow | this.seqHigh | this.seqLow) === 0;
  }

  get isMax(): boolean {
    return (this.msHigh & this.msLow & this.seqHigh & this.seqLow) === -1;
  }

  /** True when both have the same milliseconds. */
  sharesMs(other: StreamId): boolean {
    return this.msHigh === other.msHigh && this.msLow === other.msLow;
  }

  /** Below zero when this id comes first, zero when it is the same. */
  compare(other: StreamId): number {
    if (this.msHigh !== other.msHigh) return order(this.msHigh, other.msHigh);
    if (this.msLow !== other.msLow) return order(this.msLow, other.msLow);
    if (this.seqHigh !== other.seqHigh) return order(this.seqHigh, other.seqHigh);
    return this.seqLow === other.seqLow ? 0 : order(this.seqLow, other.seqLow);
  }

  /** Becomes the next id; returns false when there is none, and becomes the first one. */
  increment(): boolean {
    this.seqLow = (this.seqLow + 1) | 0;
    if (this.seqLow !== 0) return true;
    this.seqHigh = (this.seqHigh + 1) | 0;
    if (this.seqHigh !== 0) return true;
    this.msLow = (this.msLow + 1) | 0;
    if (this.msLow !== 0) return true;
    this.msHigh = (this.msHigh + 1) | 0;
    return this.msHigh !== 0;
  }

  /** Becomes the id before; returns false when there is none, and becomes the last one. */
  decrement(): boolean {
    const wasZero = this.isZero;
    this.seqLow = (this.seqLow - 1) | 0;
    if (this.seqLow !== -1) return true;
    this.seqHigh = (this.seqHigh - 1) | 0;
    if (this.seqHigh !== -1) return true;
    this.msLow = (this.msLow - 1) | 0;
    if (this.msLow !== -1) return true;
    this.msHigh = (this.msHigh - 1) | 0;
    return !wasZero;
  }

  /** Writes the text at `at`; returns how many bytes it took. */
  write(target: Bytes, at: number): number {
    const bytes = this.writeMs(target, at);
    return bytes + this.writeSequence(target, at + bytes);
  }

  /** The milliseconds alone. */
  writeMs(target: Bytes, at: number): number {
    return writeUnsigned(this.msHigh, this.msLow, target, at);
  }

  /** And what follows them, from the dash on. */
  writeSequence(target: Bytes, at: number): number {
    target[at] = DASH;
    return 1 + writeUnsigned(this.seqHigh, this.seqLow, target, at + 1);
  }

  toString(): string {
    const text = new Uint8Array(ID_TEXT_BYTES_MAX);
    return latin1(text, 0, this.write(text, 0));
  }
}

/** An unsigned number of 64 bits as two words, as `readUnsigned` leaves it. */
export const unsigned = { high: 0, low: 0 };

/**
 * Reads the text of an unsigned number of 64 bits into `unsigned`, as leniently as Redis: what is no
 * strict integer of 64 bits goes through C's `strtoull`, which takes spaces, signs and zeros in front.
 */
export function readUnsigned(bytes: Bytes, at: number, length: number): boolean {
  if (length === 0) return false;
  if (length > SAFE_DIGITS_MAX) return readLong(latin1(bytes, at, length));
  let value = 0;
  for (let index = at; index < at + length; index += 1) {
    const digit = bytes[index]! - ZERO;
    if (digit < 0 || digit > 9) return readLong(latin1(bytes, at, length));
    value = value * 10 + digit;
  }
  unsigned.high = Math.floor(value / WORD) | 0;
  unsigned.low = value | 0;
  return true;
}

function readLong(text: string): boolean {
  const [, sign, digits] = /^[\t-\r ]*([+-]?)(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return false;
  const size = BigInt(digits);
  const isStrictlyNegative = /^-[1-9]/.test(text) && -size >= INT64_MIN;
  if (size > UINT64_MAX || isStrictlyNegative) return false;
  const value = BigInt.asUintN(64, sign === '-' ? -size : size);
  unsigned.high = Number(value >> 32n) | 0;
  unsigned.low = Number(value & 0xffff_ffffn) | 0;
  return true;
}

function order(word: number, other: number): number {
  return word >>> 0 < other >>> 0 ? -1 : 1;
}

function writeUnsigned(high: number, low: number, target: Bytes, at: number): number {
  if (high >>> 0 < SAFE_HIGH_MAX) return writeInteger(high * WORD + (low >>> 0), target, at);
  const text = ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString();
  for (let index = 0; index < text.length; index += 1) target[at + index] = text.charCodeAt(index);
  return text.length;
}
