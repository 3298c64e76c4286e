/**
 * Extents: what is written to the warm tier at once. Values of several keys stand one after the other, each with its
 * key, so that compaction, which moves the live ones to another extent, finds their records.
 *
 *   entry     u32 CRC-32 of the rest, u32 bytes of the value, u16 bytes of the key, u8 type, u8 encoding and flags,
 *             key, value (as in `key-state.ts`: the store's own representation)
 *   extent    entries, then a u32 for each with the offset at which it begins, then u32 count of entries
 */
import { crc32 } from 'node:zlib';
import { assert, type Bytes } from '#base';

/** Four pages of the tier's file: extents of one size leave gaps that fit others. */
const EXTENT_BYTES = 4 * 4_096;
/** Bits of a value's number that say which of an extent it is; the others are the extent's. */
export const NTH_BITS = 10;
const EXTENT_VALUES_MAX = 1 << NTH_BITS;
export const EXTENTS_MAX = 2 ** (32 - NTH_BITS);

const ENTRY_HEAD_BYTES = 12;
/** Bits of the encoding, and the flag of a value that is an object's bytes, as in the states of keys. */
const ENCODING_BITS = 15;
const OBJECT_FLAG = 128;
const OFFSET_BYTES = 4;
const COUNT_BYTES = 4;

/** The parts of an entry, as places in the bytes that it lies in. */
interface WarmEntry {
  readonly bytes: Bytes;
  readonly keyAt: number;
  readonly keyLength: number;
  readonly valueAt: number;
  readonly valueLength: number;
  readonly type: number;
  readonly encoding: number;
  /** The value's bytes are what the codec of its type and encoding makes of an object. */
  readonly isObject: boolean;
}

/** Facts of an entry that is to be written. */
export interface EntryHead {
  readonly type: number;
  readonly encoding: number;
  readonly isObject: boolean;
  readonly valueLength: number;
}

/** Returns the bytes that an entry takes. */
export function entryBytes(keyLength: number, valueLength: number): number {
  return ENTRY_HEAD_BYTES + keyLength + valueLength;
}

/** Entries that are not yet written; those added can be read at once. */
export class ExtentWriter {
  readonly extent: number;
  readonly #bytes: Bytes;
  readonly #view: DataView;
  readonly #offsets: number[] = [];
  #length = 0;

  /** Creates an extent with room for an entry of at least `firstBytes` bytes. */
  constructor(extent: number, firstBytes: number) {
    const needed = firstBytes + OFFSET_BYTES + COUNT_BYTES;
    this.extent = extent;
    this.#bytes = new Uint8Array(Math.max(EXTENT_BYTES, needed));
    this.#view = new DataView(this.#bytes.buffer);
  }

  get count(): number {
    return this.#offsets.length;
  }

  /** True when an entry of `byteCount` bytes fits. */
  fits(byteCount: number): boolean {
    const { count } = this;
    const tail = (count + 1) * OFFSET_BYTES + COUNT_BYTES;
    return count < EXTENT_VALUES_MAX && this.#length + byteCount + tail <= this.#bytes.length;
  }

  /** Adds an entry, whose value `write` puts into the bytes at a place; returns which one it is. */
  add(
    head: EntryHead,
    key: { readonly bytes: Bytes; readonly at: number; readonly length: number },
    write: (target: Bytes, at: number) => void,
  ): number {
    const begin = this.#length;
    const byteCount = entryBytes(key.length, head.valueLength);
    assert(this.fits(byteCount), 'an extent has room for what is added');
    const view = this.#view;
    const keyAt = begin + ENTRY_HEAD_BYTES;
    view.setUint32(begin + 4, head.valueLength, true);
    view.setUint16(begin + 8, key.length, true);
    view.setUint8(begin + 10, head.type);
    view.setUint8(begin + 11, head.encoding | (head.isObject ? OBJECT_FLAG : 0));
    this.#bytes.set(key.bytes.subarray(key.at, key.at + key.length), keyAt);
    write(this.#bytes, keyAt + key.length);
    const end = begin + byteCount;
    view.setUint32(begin, crc32(this.#bytes.subarray(begin + 4, end)), true);
    this.#length = end;
    return this.#offsets.push(begin) - 1;
  }

  /** The bytes of one entry, as a view. */
  entry(nth: number): Bytes {
    return this.#bytes.subarray(this.#offsets[nth], this.#offsets[nth + 1] ?? this.#length);
  }

  /** The whole extent, as a view; nothing may be added after it. */
  finish(): Bytes {
    const view = this.#view;
    let at = this.#length;
    for (const offset of this.#offsets) {
      view.setUint32(at, offset, true);
      at += OFFSET_BYTES;
    }
    view.setUint32(at, this.#offsets.length, true);
    return this.#bytes.subarray(0, at + COUNT_BYTES);
  }
}

/** Returns the entries of an extent as views of its bytes; undefined where it is no extent. */
export function entriesOf(extent: Bytes): readonly Bytes[] | undefined {
  const view = new DataView(extent.buffer, extent.byteOffset, extent.byteLength);
  if (extent.length < COUNT_BYTES) return undefined;
  const count = view.getUint32(extent.length - COUNT_BYTES, true);
  const table = extent.length - COUNT_BYTES - count * OFFSET_BYTES;
  if (count > EXTENT_VALUES_MAX || table < 0) return undefined;
  const entries: Bytes[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const entry = entryAt(extent, view, table, nth);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return entries;
}

/** One of them; undefined where there is no such, or the extent is damaged. */
export function entryOf(extent: Bytes, nth: number): Bytes | undefined {
  if (extent.length < COUNT_BYTES) return undefined;
  const view = new DataView(extent.buffer, extent.byteOffset, extent.byteLength);
  const count = view.getUint32(extent.length - COUNT_BYTES, true);
  const table = extent.length - COUNT_BYTES - count * OFFSET_BYTES;
  if (nth >= count || count > EXTENT_VALUES_MAX || table < 0) return undefined;
  return entryAt(extent, view, table, nth);
}

function entryAt(extent: Bytes, view: DataView, table: number, nth: number): Bytes | undefined {
  const from = view.getUint32(table + nth * OFFSET_BYTES, true);
  const next = table + (nth + 1) * OFFSET_BYTES;
  const isLast = next >= extent.length - COUNT_BYTES;
  const to = isLast ? table : view.getUint32(next, true);
  return from <= to && to <= table ? extent.subarray(from, to) : undefined;
}

/** True when an entry is what was written. */
export function isSound(entry: Bytes): boolean {
  if (entry.length < ENTRY_HEAD_BYTES) return false;
  const view = new DataView(entry.buffer, entry.byteOffset, entry.byteLength);
  const byteCount = entryBytes(view.getUint16(8, true), view.getUint32(4, true));
  return byteCount === entry.length && crc32(entry.subarray(4)) === view.getUint32(0, true);
}

/** Reads a sound entry. Without a view of it: one is made for each fetch. */
export function readEntry(entry: Bytes): WarmEntry {
  const keyLength = entry[8]! | (entry[9]! << 8);
  const flags = entry[11]!;
  return {
    bytes: entry,
    keyAt: ENTRY_HEAD_BYTES,
    keyLength,
    valueAt: ENTRY_HEAD_BYTES + keyLength,
    valueLength: (entry[4]! | (entry[5]! << 8) | (entry[6]! << 16) | (entry[7]! << 24)) >>> 0,
    type: entry[10]!,
    encoding: flags & ENCODING_BITS,
    isObject: (flags & OBJECT_FLAG) !== 0,
  };
}
