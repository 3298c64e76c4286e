/**
 * Reads values as Redis' snapshots and dumps have them. What a length says is believed only as far as
 * there are bytes: nothing is allocated for a lie.
 */
import { asBuffer, type Bytes, decompressLzf, fromLatin1, latin1, parseDouble } from '#base';
import { VALUE_BYTES_MAX } from '../../memory/limits.ts';
import type { Span } from '../../values/span.ts';
import { demand, demandElements } from './malformed.ts';
import {
  LENGTH_14_BITS,
  LENGTH_32,
  LENGTH_64,
  LENGTH_CODE,
  SCORE_INFINITE,
  SCORE_NAN,
  SCORE_NEGATIVE_INFINITE,
  StringCode,
} from './rdb-type.ts';

const WORD = 2 ** 32;
/** Three bytes of LZF are at most 264. */
const LZF_FACTOR_MAX = 88;

/** Sections of memory after the first, each of which begins where something does that is read in one piece. */
export interface RdbSections {
  /** At least the bytes of those that were not given yet; 0 after the last. */
  readonly bytesLeft: number;
  next(): Bytes;
}

const NO_SECTIONS: RdbSections = {
  bytesLeft: 0,
  next: () => {
    throw new RangeError('no section follows');
  },
};

export class RdbReader {
  readonly #sections: RdbSections;
  #bytes: Bytes;
  #buffer: Buffer;
  #end: number;
  /** Length that `wideLength` has read. */
  readonly wide = { high: 0, low: 0 };
  #at: number;
  #textBytes = 0;
  /** Up to where bytes were asked for, if that is after the end: of a file that is read in pieces they may follow. */
  wanted = 0;

  /** Reads `length` bytes from `at` on, and then the sections. */
  constructor(bytes: Bytes, at: number, length: number, sections = NO_SECTIONS) {
    this.#sections = sections;
    // A view of its own: a Buffer's `slice` would not copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset + at, length);
    this.#buffer = asBuffer(this.#bytes);
    this.#at = 0;
    this.#end = length;
  }

  /** Bytes read so far, of the current section where there are several. */
  get position(): number {
    return this.#at;
  }

  byte(): number {
    const at = this.#take(1);
    return this.#bytes[at]!;
  }

  /** A number that was written as a length. */
  length(): number {
    const first = this.byte();
    const kind = first >>> 6;
    demand(kind !== LENGTH_CODE);
    return this.#lengthFrom(first);
  }

  /** Reads a length of 64 bits as two words. */
  wideLength(): { high: number; low: number } {
    const first = this.byte();
    const { wide } = this;
    if (first !== LENGTH_64) {
      demand(first >>> 6 !== LENGTH_CODE);
      wide.high = 0;
      wide.low = this.#lengthFrom(first);
      return wide;
    }
    const at = this.#take(8);
    wide.high = this.#buffer.readUInt32BE(at);
    wide.low = this.#buffer.readUInt32BE(at + 4);
    return wide;
  }

  /** Bytes as they are, in memory of the payload. */
  raw(length: number): Buffer {
    const at = this.#take(length);
    return this.#buffer.subarray(at, at + length);
  }

  /** Reads how many pieces of at least `bytes` follow; there may be none. */
  pieces(bytes: number): number {
    const count = this.length();
    this.#demandBytes(count * bytes);
    return count;
  }

  /** Reads how many elements follow, each of which takes a byte or more; throws an EmptyValueError for none. */
  count(): number {
    const count = this.pieces(1);
    demandElements(count);
    return count;
  }

  /** A string: a view of what is read, or bytes of its own. */
  string(): Bytes {
    const first = this.byte();
    if (first >>> 6 === LENGTH_CODE) return this.#coded(first & 0x3f);
    const length = this.#lengthFrom(first);
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  double(): number {
    const at = this.#take(8);
    return this.#buffer.readDoubleLE(at);
  }

  /** Points `place` at a string in place, or at a decompressed copy. */
  stringPlace(place: Span): void {
    const first = this.byte();
    if (first >>> 6 === LENGTH_CODE) {
      place.all(this.#coded(first & 0x3f));
      return;
    }
    this.rawPlace(place, this.#lengthFrom(first));
  }

  /** Points `place` at bytes as they are. */
  rawPlace(place: Span, length: number): void {
    const at = this.#take(length);
    place.point(this.#bytes, at, length);
  }

  /** Skips a string without reading its bytes. */
  skipString(): void {
    const first = this.byte();
    if (first >>> 6 !== LENGTH_CODE) {
      this.#take(this.#lengthFrom(first));
      return;
    }
    const code = first & 0x3f;
    if (code === StringCode.lzf) {
      this.#compressedBytes();
      return;
    }
    demand(code <= StringCode.int32);
    this.#take(1 << code);
  }

  /** Steps over a double in text. */
  skipTextDouble(): void {
    const length = this.byte();
    if (length < SCORE_NAN) this.#take(length);
  }

  /** Goes to a place in the memory, which has no sections, and reads no further than `end`. */
  moveTo(at: number, end = this.#end): void {
    demand(at <= end && end <= this.#bytes.length);
    this.#at = at;
    this.#end = end;
  }

  /** A double in text. */
  textDouble(): number {
    const length = this.byte();
    if (length === SCORE_NEGATIVE_INFINITE) return -Infinity;
    if (length === SCORE_INFINITE) return Infinity;
    if (length === SCORE_NAN) return NaN;
    const at = this.#take(length);
    return parseDouble(latin1(this.#bytes, at, length));
  }

  /** Steps over bytes that need not be known. */
  skip(length: number): void {
    this.#take(length);
  }

  /** A whole number of 64 bits with a sign in the place of a length, rounded beyond 53. */
  signed(): number {
    const { high, low } = this.wideLength();
    return (high | 0) * WORD + low;
  }

  /** Reads Unix milliseconds of up to 53 bits. */
  milliseconds(): number {
    const at = this.#take(8);
    const value = this.#buffer.readInt32LE(at + 4) * WORD + this.#buffer.readUInt32LE(at);
    demand(Number.isSafeInteger(value));
    return value;
  }

  /** Steps over bytes, and returns where they begin in `#bytes`, which may be others than before. */
  #take(length: number): number {
    if (this.#at === this.#end && this.#sections.bytesLeft > 0) this.#goOn();
    const at = this.#at;
    const end = at + length;
    if (end > this.#end) this.wanted = end;
    demand(end <= this.#end);
    this.#at = end;
    return at;
  }

  /** Throws unless `count` bytes follow, over all sections. */
  #demandBytes(count: number): void {
    const end = this.#at + count;
    if (end > this.#end) this.wanted = end;
    demand(end <= this.#end + this.#sections.bytesLeft);
  }

  #goOn(): void {
    this.#bytes = this.#sections.next();
    this.#buffer = asBuffer(this.#bytes);
    this.#at = 0;
    this.#end = this.#bytes.length;
  }

  #lengthFrom(first: number): number {
    const kind = first >>> 6;
    if (kind === 0) return first;
    if (kind === LENGTH_14_BITS) return ((first & 0x3f) << 8) | this.byte();
    demand(first === LENGTH_32 || first === LENGTH_64);
    const at = this.#take(first === LENGTH_32 ? 4 : 8);
    if (first === LENGTH_32) return this.#buffer.readUInt32BE(at);
    const value = this.#buffer.readUInt32BE(at) * WORD + this.#buffer.readUInt32BE(at + 4);
    demand(Number.isSafeInteger(value));
    return value;
  }

  #coded(code: number): Bytes {
    if (code === StringCode.lzf) return this.#compressed();
    demand(code <= StringCode.int32);
    const byteCount = 1 << code;
    const at = this.#take(byteCount);
    return textOf(this.#buffer.readIntLE(at, byteCount));
  }

  #compressed(): Bytes {
    const compressedBytes = this.#compressedBytes();
    const bytes = new Uint8Array(this.#textBytes);
    const source = this.#bytes.subarray(this.#at - compressedBytes, this.#at);
    demand(decompressLzf(source, bytes, bytes.length));
    return bytes;
  }

  /** Steps over compressed text; returns its length, and leaves that of the text in `#textBytes`. */
  #compressedBytes(): number {
    const compressedBytes = this.length();
    const length = this.length();
    demand(length <= Math.min(compressedBytes * LZF_FACTOR_MAX, VALUE_BYTES_MAX));
    this.#take(compressedBytes);
    this.#textBytes = length;
    return compressedBytes;
  }
}

function textOf(value: number): Bytes {
  return new Uint8Array(fromLatin1(String(value)));
}
