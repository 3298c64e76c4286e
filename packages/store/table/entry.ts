/**
 * One entry of a table in its page:
 *
 *   u32      reference of the next entry of the chain, or GONE
 *   varint   bytes of the field, times two; odd when the entry expires
 *   varint   bytes of the value, in tables that have values
 *   u48, u32 when it expires in Unix milliseconds, and its place in the heap; only if it does
 *   field, value, zeros up to a multiple of four
 *
 * A varint is seven bits to a byte, the low ones first, with the top bit set on all but the last.
 */

/** In the place of the next reference: a gap. */
export const GONE = -1;
const NEXT_BYTES = 4;
/** A moment, and a place in the heap. */
export const EXPIRY_BYTES = 10;
const MS_BYTES = 6;
const WORD_MASK = 3;

const NO_BYTES = new Uint8Array(0);
const NO_VIEW = new DataView<ArrayBufferLike>(NO_BYTES.buffer);

/** Fields of an entry, after `parse`. One object serves a whole thread. */
export class Entry {
  bytes: Uint8Array = NO_BYTES;
  /** View of the same bytes. */
  view = NO_VIEW;
  fieldAt = 0;
  fieldLength = 0;
  valueAt = 0;
  valueLength = 0;
  /** Offset of the expiry; 0 when the entry has none. */
  expiryAt = 0;
  /** Bytes of the entry, its padding included. */
  size = 0;
  #at = 0;

  parse(bytes: Uint8Array, start: number, hasValues: boolean): void {
    this.bytes = bytes;
    this.#at = start + NEXT_BYTES;
    const head = this.#number();
    this.fieldLength = Math.floor(head / 2);
    this.valueLength = hasValues ? this.#number() : 0;
    this.expiryAt = 0;
    if (head % 2 === 1) {
      this.expiryAt = this.#at;
      this.#at += EXPIRY_BYTES;
    }
    this.fieldAt = this.#at;
    this.valueAt = this.fieldAt + this.fieldLength;
    this.size = padded(this.valueAt + this.valueLength - start);
  }

  letGo(): void {
    this.bytes = NO_BYTES;
    this.view = NO_VIEW;
  }

  /** Expiry of the entry, or -1. */
  get expiry(): number {
    return this.expiryAt === 0 ? -1 : readExpiry(this.bytes, this.expiryAt);
  }

  get heapIndex(): number {
    return readWord(this.bytes, this.expiryAt + MS_BYTES);
  }

  #number(): number {
    const { bytes } = this;
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[this.#at]!;
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

export function entryBytes(
  fieldLength: number,
  valueLength: number,
  hasValues: boolean,
  expires: boolean,
): number {
  let bytes = NEXT_BYTES + varintBytes(fieldLength * 2 + 1) + fieldLength;
  if (hasValues) bytes += varintBytes(valueLength) + valueLength;
  return padded(expires ? bytes + EXPIRY_BYTES : bytes);
}

/** Writes what stands before the field; returns where that begins. Of an expiry, only room is made. */
export function writeEntryHead(
  bytes: Uint8Array,
  start: number,
  fieldLength: number,
  valueLength: number,
  hasValues: boolean,
  expires: boolean,
): number {
  let at = writeVarint(bytes, start + NEXT_BYTES, fieldLength * 2 + (expires ? 1 : 0));
  if (hasValues) at = writeVarint(bytes, at, valueLength);
  return expires ? at + EXPIRY_BYTES : at;
}

export function writeExpiry(bytes: Uint8Array, at: number, unixMs: number): void {
  writeWord(bytes, at, unixMs | 0);
  const high = Math.floor(unixMs / 2 ** 32);
  bytes[at + 4] = high;
  bytes[at + 5] = high >>> 8;
}

export function writeHeapIndex(bytes: Uint8Array, expiryAt: number, index: number): void {
  writeWord(bytes, expiryAt + MS_BYTES, index);
}

function readExpiry(bytes: Uint8Array, at: number): number {
  return (bytes[at + 4]! | (bytes[at + 5]! << 8)) * 2 ** 32 + readWord(bytes, at);
}

function padded(bytes: number): number {
  return bytes + (-bytes & WORD_MASK);
}

/** Bytes that a length takes. */
export function varintBytes(value: number): number {
  if (value < 128) return 1;
  if (value < 16_384) return 2;
  if (value < 2_097_152) return 3;
  return value < 268_435_456 ? 4 : 5;
}

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 128) {
    bytes[at] = (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 128);
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

function readWord(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}

function writeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
