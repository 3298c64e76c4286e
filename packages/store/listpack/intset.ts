/**
 * Redis' intset: integers in order, each in as many bytes as the widest needs.
 *
 *   u32 bytes of one integer (2, 4 or 8), u32 how many, the integers; all little-endian
 *
 * An integer is given as two words, `high` signed and `low`, since 53 bits do not hold them all.
 */
import { asBuffer, type Bytes, parseInteger, parseInteger64, reused, writeInteger } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { ByteRange } from '../values/shared-views.ts';
import type { Ref } from '../memory/segment.ts';

const HEADER_BYTES = 8;
const WIDTHS = [2, 4, 8] as const;
const DIGITS = 24;

/** An integer of 64 bits; one object serves a whole thread. */
export class Word64 {
  high = 0;
  low = 0;

  /** Parses decimal text; returns false if it is not an integer of 64 bits. */
  parse(bytes: Bytes, at: number, length: number): boolean {
    const value = parseInteger(bytes, at, length);
    if (!Number.isNaN(value)) {
      this.assign(value);
      return true;
    }
    if (length <= 15) return false;
    const large = parseInteger64(bytes, at, length);
    if (large === undefined) return false;
    this.low = Number(BigInt.asUintN(32, large));
    this.high = Number(BigInt.asIntN(32, large >> 32n));
    return true;
  }

  /** Takes an integer of up to 53 bits. */
  assign(value: number): void {
    this.high = Math.floor(value / 2 ** 32);
    this.low = value >>> 0;
  }

  /** Writes the integer in decimal; returns the number of bytes, at most 20. */
  write(target: Bytes): number {
    const value = this.high * 2 ** 32 + this.low;
    if (Number.isSafeInteger(value)) return writeInteger(value, target, 0);
    const text = (BigInt(this.high) * 2n ** 32n + BigInt(this.low)).toString();
    return asBuffer(target).write(text, 'latin1');
  }

  /** Bytes that an intset needs for it. */
  get width(): number {
    const { high, low } = this;
    const isNarrow = (high === 0 && low <= 0x7fff_ffff) || (high === -1 && low > 0x7fff_ffff);
    if (!isNarrow) return 8;
    const value = low | 0;
    return value >= -32_768 && value <= 32_767 ? 2 : 4;
  }
}

/** A new intset without integers. */
export function emptyIntset(): Bytes {
  return Uint8Array.of(WIDTHS[0], 0, 0, 0, 0, 0, 0, 0);
}

const NO_BYTES: Bytes = new Uint8Array(0);

/** View of an intset; valid until its memory is written. */
export class Intset {
  bytes: Bytes = NO_BYTES;
  start = 0;
  width = 2;
  count = 0;
  /** Result of the last search: the index of the integer, or the one at which it must be inserted. */
  index = 0;
  readonly text: Bytes = new Uint8Array(DIGITS);
  readonly #word = new Word64();

  pointAt(view: ByteRange): this {
    const { bytes, at } = view;
    this.bytes = bytes;
    this.start = at;
    this.width = bytes[at]!;
    this.count = readLow(bytes, at + 4);
    return this;
  }

  letGo(): void {
    this.bytes = NO_BYTES;
    this.start = 0;
    this.count = 0;
  }

  /** Finds an integer; sets `index` to its position, or to the one at which it must be inserted. */
  find(wanted: Word64): boolean {
    let first = 0;
    let last = this.count - 1;
    while (first <= last) {
      const middle = (first + last) >>> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) {
        this.index = middle;
        return true;
      }
      if (order < 0) first = middle + 1;
      else last = middle - 1;
    }
    this.index = first;
    return false;
  }

  /** The integer at `index`. */
  read(index: number, into: Word64): void {
    const { bytes, width } = this;
    const at = this.start + HEADER_BYTES + index * width;
    if (width === 2) {
      into.assign(((bytes[at]! | (bytes[at + 1]! << 8)) << 16) >> 16);
    } else if (width === 4) {
      into.assign(readLow(bytes, at) | 0);
    } else {
      into.low = readLow(bytes, at);
      into.high = readLow(bytes, at + 4) | 0;
    }
  }

  /** Writes the integer at `index` to `text` in decimal; returns how many bytes it takes. */
  writeText(index: number): number {
    this.read(index, this.#word);
    return this.#word.write(this.text);
  }

  #compare(index: number, other: Word64): number {
    const word = this.#word;
    this.read(index, word);
    return word.high === other.high ? word.low - other.low : word.high - other.high;
  }
}

const readerScratch = reused(new Intset());
const movedScratch = new Word64();

/** Adds an integer that is not there to the intset that a record holds. The record may move. */
export function insertIntoIntset(keyspace: Keyspace, ref: Ref, value: Word64): Ref {
  const old = readerScratch.pointAt(keyspace.value(ref));
  old.find(value);
  const { index, count, width } = old;
  const wider = Math.max(width, value.width);
  const next = keyspace.resize(ref, HEADER_BYTES + (count + 1) * wider);
  const view = keyspace.value(next);
  const { bytes, at } = view;
  if (wider === width) {
    const from = at + HEADER_BYTES + index * width;
    bytes.copyWithin(from + width, from, at + HEADER_BYTES + count * width);
  } else {
    // Wider than all others, it is the first or the last of them.
    readerScratch.pointAt(view);
    for (let each = count - 1; each >= 0; each -= 1) {
      readerScratch.read(each, movedScratch);
      write(
        bytes,
        at + HEADER_BYTES + (each < index ? each : each + 1) * wider,
        movedScratch,
        wider,
      );
    }
    writeLow(bytes, at, wider);
  }
  write(bytes, at + HEADER_BYTES + index * wider, value, wider);
  writeLow(bytes, at + 4, count + 1);
  return next;
}

/** Takes the integer at `index` out. The record may move. */
export function removeFromIntset(keyspace: Keyspace, ref: Ref, index: number): Ref {
  const { bytes, start, width, count } = readerScratch.pointAt(keyspace.value(ref));
  const at = start + HEADER_BYTES + index * width;
  bytes.copyWithin(at, at + width, start + HEADER_BYTES + count * width);
  writeLow(bytes, start + 4, count - 1);
  return keyspace.resize(ref, HEADER_BYTES + (count - 1) * width);
}

function write(bytes: Bytes, at: number, value: Word64, width: number): void {
  bytes[at] = value.low;
  bytes[at + 1] = value.low >>> 8;
  if (width === 2) return;
  writeLow(bytes, at, value.low);
  if (width === 8) writeLow(bytes, at + 4, value.high);
}

function readLow(bytes: Bytes, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}

function writeLow(bytes: Bytes, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
