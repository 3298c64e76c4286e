/**
 * Writing listpacks: entries are encoded beside, then put in the place of others.
 *
 * One `ListpackEntries` serves a whole thread: what it holds is copied when it is put somewhere.
 */
import { type Bytes, ByteViews, copyBytes, parseInteger, parseInteger64 } from '#base';
import { copyInto } from '../memory/byte-views.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { COUNT_UNKNOWN, END, HEADER_BYTES, writeBackLength, writeWord } from './listpack-layout.ts';
import type { Ref } from '../memory/segment.ts';

/** An integer with its first byte; the heads of strings are shorter. */
export const HEAD_BYTES_MAX = 9;
/** Beside a string's bytes: its head and the length after it. */
const ENTRY_OVERHEAD_BYTES = 10;

/** Room that is kept for the next entries; there may be more between two commands. */
const ROOM_BYTES = 256;

const sourcesScratch = new ByteViews();

/** Entries in their encoded form, in the order they were added. */
export class ListpackEntries {
  bytes: Bytes = new Uint8Array(ROOM_BYTES);
  /** View of the same bytes, which are copied to and from for nearly every element that is written. */
  view = new DataView(this.bytes.buffer);
  length = 0;
  count = 0;

  clear(): this {
    this.length = 0;
    this.count = 0;
    return this;
  }

  letGo(): void {
    this.clear();
    this.bytes = new Uint8Array(ROOM_BYTES);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Adds a text; as an integer, if it is one. */
  add(bytes: Bytes, at = 0, length = bytes.length - at): this {
    this.#reserve(length + ENTRY_OVERHEAD_BYTES);
    const start = this.length;
    const head = encodeHead(this.bytes, bytes, at, length, start);
    let body = head;
    if (isStringHead(this.bytes[start]!)) {
      copyInto(this, start + head, bytes, at, length, sourcesScratch);
      body += length;
    }
    return this.#finish(start, body);
  }

  /** Adds an integer of up to 53 bits. */
  addInteger(value: number): this {
    this.#reserve(ENTRY_OVERHEAD_BYTES);
    const start = this.length;
    return this.#finish(start, writeIntegerHead(this.bytes, start, value));
  }

  /** Adds an integer of up to 64 bits. */
  addInteger64(value: bigint): this {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return this.addInteger(number);
    this.#reserve(ENTRY_OVERHEAD_BYTES);
    return this.#finish(this.length, writeLong(this.bytes, this.length, value));
  }

  /** Adds `count` entries that are encoded already. */
  addEncoded(bytes: Bytes, at: number, length: number, count: number): this {
    this.#reserve(length);
    copyInto(this, this.length, bytes, at, length, sourcesScratch);
    this.length += length;
    this.count += count;
    return this;
  }

  /** Writes them all. */
  copyTo(target: Bytes, at: number): void {
    copyBytes(this.bytes, 0, target, at, this.length, this.view);
  }

  /** A listpack of exactly these entries. */
  toListpack(): Bytes {
    const listpack = new Uint8Array(HEADER_BYTES + this.length + 1);
    this.copyTo(listpack, HEADER_BYTES);
    writeHeader(listpack, 0, listpack.length, this.count);
    listpack[listpack.length - 1] = END;
    return listpack;
  }

  #finish(start: number, body: number): this {
    this.length = start + body + writeBackLength(this.bytes, start + body, body);
    this.count += 1;
    return this;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.length + count, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

/** A part of a listpack: entries that lie side by side. */
export interface Stretch {
  /** Distance from the listpack's beginning. */
  offset: number;
  bytes: number;
  count: number;
}

/**
 * Puts `entries` in the place of a stretch of the listpack that a record holds; either may be nothing.
 * The record may move: its place is the answer.
 */
export function spliceRecord(
  keyspace: Keyspace,
  ref: Ref,
  stretch: Stretch,
  entries: ListpackEntries,
): Ref {
  const before = keyspace.length(ref);
  const growth = entries.length - stretch.bytes;
  const tail = stretch.offset + stretch.bytes;
  const grown = growth > 0 ? keyspace.resize(ref, before + growth) : ref;
  const { bytes, at } = keyspace.value(grown);
  if (growth !== 0) bytes.copyWithin(at + tail + growth, at + tail, at + before);
  entries.copyTo(bytes, at + stretch.offset);
  updateHeader(bytes, at, before + growth, entries.count - stretch.count);
  return growth < 0 ? keyspace.resize(grown, before + growth) : grown;
}

/** Replaces a stretch of a listpack with its own memory; returns the new listpack. */
export function spliced(listpack: Bytes, stretch: Stretch, entries: ListpackEntries): Bytes {
  const next = new Uint8Array(listpack.length + entries.length - stretch.bytes);
  const tail = stretch.offset + stretch.bytes;
  next.set(listpack.subarray(0, stretch.offset));
  entries.copyTo(next, stretch.offset);
  next.set(listpack.subarray(tail), stretch.offset + entries.length);
  updateHeader(next, 0, next.length, entries.count - stretch.count);
  return next;
}

/**
 * Writes how an entry for the text begins: the whole of an integer, or what comes before a string's
 * bytes. Returns how many bytes that takes.
 */
export function encodeHead(
  target: Bytes,
  bytes: Bytes,
  at: number,
  length: number,
  targetAt = 0,
): number {
  const value = parseInteger(bytes, at, length);
  if (!Number.isNaN(value)) return writeIntegerHead(target, targetAt, value);
  // 53 bits hold every text of up to 15 digits.
  if (length > 15) {
    const long = parseInteger64(bytes, at, length);
    if (long !== undefined) return writeLong(target, targetAt, long);
  }
  if (length < 64) {
    target[targetAt] = 0x80 | length;
    return 1;
  }
  if (length < 4096) {
    target[targetAt] = 0xe0 | (length >>> 8);
    target[targetAt + 1] = length;
    return 2;
  }
  target[targetAt] = 0xf0;
  writeWord(target, targetAt + 1, length);
  return 5;
}

function isStringHead(first: number): boolean {
  return (first & 0xc0) === 0x80 || (first >= 0xe0 && first <= 0xf0);
}

function integerBytes(value: number): number {
  if (value >= 0 && value <= 127) return 1;
  if (value >= -4096 && value <= 4095) return 2;
  if (value >= -32_768 && value <= 32_767) return 3;
  if (value >= -8_388_608 && value <= 8_388_607) return 4;
  return value === (value | 0) ? 5 : 9;
}

function writeIntegerHead(target: Bytes, at: number, value: number): number {
  const count = integerBytes(value);
  if (count === 1) {
    target[at] = value;
  } else if (count === 2) {
    target[at] = 0xc0 | ((value >> 8) & 0x1f);
    target[at + 1] = value;
  } else {
    // The words behind a negative number's low one are all its sign.
    target[at] = count === 9 ? 0xf4 : 0xee + count;
    const low = value | 0;
    const high = Math.floor(value / 2 ** 32);
    for (let index = 0; index < Math.min(count - 1, 4); index += 1) {
      target[at + 1 + index] = low >> (8 * index);
    }
    if (count === 9) writeWord(target, at + 5, high);
  }
  return count;
}

function writeLong(target: Bytes, at: number, value: bigint): number {
  target[at] = 0xf4;
  writeWord(target, at + 1, Number(BigInt.asUintN(32, value)));
  writeWord(target, at + 5, Number(BigInt.asIntN(32, value >> 32n)));
  return HEAD_BYTES_MAX;
}

function writeHeader(target: Bytes, at: number, totalBytes: number, count: number): void {
  writeWord(target, at, totalBytes);
  const stored = Math.min(count, COUNT_UNKNOWN);
  target[at + 4] = stored;
  target[at + 5] = stored >>> 8;
}

/** A count that was not known stays so. */
function updateHeader(target: Bytes, at: number, totalBytes: number, added: number): void {
  const stored = target[at + 4]! | (target[at + 5]! << 8);
  writeHeader(target, at, totalBytes, stored === COUNT_UNKNOWN ? stored : stored + added);
}
