/** Writes values as Redis' snapshots and dumps have them, without compressing anything. */
import { type Bytes, copyBytes, copyWords, INT64_MAX, parseInteger } from '#base';
import { LENGTH_14_BITS, LENGTH_32, LENGTH_64, LENGTH_CODE, StringCode } from './rdb-type.ts';

const INITIAL_BYTES = 64;
/** Longer copies are the system's. */
const WORD_COPY_BYTES_MAX = 512;
/** A length with its first byte. */
const LENGTH_BYTES_MAX = 9;
/** Longest text of an integer of 32 bits. */
const INTEGER_TEXT_MAX = 11;
const WORD = 2 ** 32;
/** As a double, one more than 64 bits with a sign can have. */
const SIGNED_END = Number(INT64_MAX);

const doubleScratch = new Float64Array(1);
const doubleBytesScratch = new Uint8Array(doubleScratch.buffer);

export class RdbWriter {
  #bytes: Bytes;
  #view: DataView;
  #length = 0;

  /** `expected` bytes are taken at once. */
  constructor(expected = 0) {
    this.#bytes = new Uint8Array(INITIAL_BYTES + expected);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written, in memory that further writing may change. */
  get written(): Bytes {
    return this.#bytes.subarray(0, this.#length);
  }

  get writtenBytes(): number {
    return this.#length;
  }

  /** Returns the output in newly allocated memory; further output starts a new piece. */
  take(): Bytes {
    const taken = this.written.slice();
    this.#length = 0;
    return taken;
  }

  /** Discards the output. */
  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#put(value);
  }

  /** A number of up to 53 bits, in as many bytes as it needs. */
  length(value: number): void {
    this.#reserve(LENGTH_BYTES_MAX);
    if (value < 2 ** 6) {
      this.#put(value);
    } else if (value < 2 ** 14) {
      this.#put((LENGTH_14_BITS << 6) | (value >>> 8));
      this.#put(value);
    } else if (value < WORD) {
      this.#put(LENGTH_32);
      this.#putBigEndian(value);
    } else {
      this.#put(LENGTH_64);
      this.#putBigEndian(Math.floor(value / WORD));
      this.#putBigEndian(value % WORD);
    }
  }

  /** Writes a length of 64 bits, given as two words. */
  wideLength(high: number, low: number): void {
    if (high === 0) {
      this.length(low >>> 0);
      return;
    }
    this.#reserve(LENGTH_BYTES_MAX);
    this.#put(LENGTH_64);
    this.#putBigEndian(high);
    this.#putBigEndian(low);
  }

  /** A whole number in the place of a length, as 64 bits with a sign have it. */
  signed(value: number): void {
    if (value >= SIGNED_END) this.wideLength(0x7fff_ffff, -1);
    else this.wideLength(Math.floor(value / WORD) | 0, value | 0);
  }

  /** 32 bits, the high ones first. */
  bigEndian(word: number): void {
    this.#reserve(4);
    this.#putBigEndian(word);
  }

  /**
   * Writes a string; as an integer if it is the text of one of at most 32 bits. `view` is the view of the bytes, if the
   * caller has one.
   */
  string(bytes: Bytes, at = 0, length = bytes.length - at, view?: DataView): void {
    if (length <= INTEGER_TEXT_MAX) {
      const value = parseInteger(bytes, at, length);
      if (value === (value | 0)) {
        this.#integer(value);
        return;
      }
    }
    this.length(length);
    this.raw(bytes, at, length, view);
  }

  /** A string that is compressed already. */
  compressedString(compressed: Bytes, length: number): void {
    this.byte((LENGTH_CODE << 6) | StringCode.lzf);
    this.length(compressed.length);
    this.length(length);
    this.raw(compressed, 0, compressed.length);
  }

  double(value: number): void {
    doubleScratch[0] = value;
    this.raw(doubleBytesScratch, 0, doubleBytesScratch.length);
  }

  /** Writes Unix milliseconds, as an integer of 64 bits. */
  milliseconds(unixMs: number): void {
    this.word(unixMs % WORD);
    this.word(Math.floor(unixMs / WORD));
  }

  /** 32 bits, the low ones first. */
  word(value: number): void {
    this.#reserve(4);
    for (let shift = 0; shift < 32; shift += 8) this.#put(value >>> shift);
  }

  /** Writes bytes unchanged; `view` is their view, if the caller has one. */
  raw(bytes: Bytes, at: number, length: number, view?: DataView): void {
    this.#reserve(length);
    if (view !== undefined && length <= WORD_COPY_BYTES_MAX) {
      copyWords(this.#view, this.#length, view, at, length);
    } else {
      copyBytes(bytes, at, this.#bytes, this.#length, length);
    }
    this.#length += length;
  }

  /** Adds what another writer holds, from its byte at `from` on. */
  rest(other: RdbWriter, from: number): void {
    this.raw(other.#bytes, from, other.#length - from, other.#view);
  }

  #integer(value: number): void {
    const isByte = value >= -0x80 && value < 0x80;
    const isShort = value >= -0x8000 && value < 0x8000;
    const code = isByte ? StringCode.int8 : isShort ? StringCode.int16 : StringCode.int32;
    this.#reserve(LENGTH_BYTES_MAX);
    this.#put((LENGTH_CODE << 6) | code);
    for (let shift = 0; shift < 8 << code; shift += 8) this.#put(value >> shift);
  }

  #put(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  #putBigEndian(word: number): void {
    for (let shift = 24; shift >= 0; shift -= 8) this.#put(word >>> shift);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.written);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
