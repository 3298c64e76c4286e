/** A growing buffer for the bytes of a chunk, and the reader of such bytes. */

const BYTES_AT_FIRST = 16_384;

/** Least bytes that the next number of any form needs. */
const NUMBER_BYTES_MAX = 10;

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(BYTES_AT_FIRST);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written so far; valid until the next write. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(NUMBER_BYTES_MAX);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  double(value: number): void {
    this.#reserve(NUMBER_BYTES_MAX);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  /** Writes a whole number from 0 to 2^53, seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(NUMBER_BYTES_MAX);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80;
      this.#length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** Writes a whole number of either sign, small ones in few bytes. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  append(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#bytes.length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Bytes that are not a chunk's. */
export class DamagedChunk extends Error {
  override readonly name = 'DamagedChunk';
}

/** Reads what a `ByteWriter` has written; throws a DamagedChunk beyond the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DamagedChunk('the chunk ends too early');
    this.#at += 1;
    return value;
  }

  double(): number {
    return this.take(8).readDoubleLE(0);
  }

  varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
      if (unit > 2 ** 56) throw new DamagedChunk('a number is too long');
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Returns the next bytes, which are a part of the reader's own. */
  take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new DamagedChunk('the chunk ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
