/**
 * Redis' listpack: many short strings and integers one after the other in one piece of memory.
 *
 *   listpack   u32 bytes in all, u16 entries (65535: count them), entries, 0xff
 *   entry      encoding with the data, then the length of that, readable backwards
 *
 *   first byte   holds
 *   0xxxxxxx     an integer from 0 to 127
 *   10xxxxxx     a string of up to 63 bytes
 *   110xxxxx     an integer of 13 bits, with the next byte
 *   1110xxxx     a string of up to 4095 bytes: its length continues in the next byte
 *   0xf0         a string: its length in the next four bytes
 *   0xf1 - 0xf4  an integer in the next 2, 3, 4 or 8 bytes
 *
 * The same value always has the same encoding: text that is a 64-bit integer is never kept as text. So
 * entries are compared by their bytes. Numbers are little-endian, but for the length of strings up to
 * 4095 bytes and the high bits of 13-bit integers, which stand in the first byte.
 */
import { asBuffer, type Bytes, type EntryTaker, latin1, writeInteger } from '#base';
import { encodeHead, HEAD_BYTES_MAX } from './listpack-entries.ts';
import { backLengthBytes, COUNT_UNKNOWN, END, HEADER_BYTES } from './listpack-layout.ts';
import type { ByteRange } from '../values/shared-views.ts';

/** Room for the text of any 64-bit integer. */
const DIGITS = 24;
const NO_BYTES: Bytes = new Uint8Array(0);

/**
 * A place in a listpack that others own. Nothing is allocated by moving it, so one object can serve
 * for ever; what it points at is good until the memory is written.
 *
 * Large because a reader that makes no objects has what it read as fields of its own, one for each part.
 */
export class Listpack {
  bytes: Bytes = NO_BYTES;
  /** Start of the listpack in `bytes`. */
  start = 0;
  /** Start of the current entry in `bytes`; -1 when there is none. */
  position = -1;
  /** The current entry as text, after `read`. */
  text: Bytes = this.bytes;
  textAt = 0;
  textLength = 0;
  readonly #digits = new Uint8Array(DIGITS);
  readonly #needle = new Uint8Array(HEAD_BYTES_MAX);

  /** Points at a listpack, before its first entry. */
  point(bytes: Bytes, start: number): this {
    this.bytes = bytes;
    this.start = start;
    this.position = -1;
    return this;
  }

  pointAt(view: ByteRange): this {
    return this.point(view.bytes, view.at);
  }

  letGo(): void {
    this.point(NO_BYTES, 0);
    this.text = NO_BYTES;
    this.textLength = 0;
  }

  /** Bytes of the whole listpack. */
  get totalBytes(): number {
    return readWord(this.bytes, this.start);
  }

  /** Number of entries. */
  get count(): number {
    const { bytes, start } = this;
    const stored = bytes[start + 4]! | (bytes[start + 5]! << 8);
    return stored === COUNT_UNKNOWN ? this.#walked() : stored;
  }

  /** The current entry's distance from the listpack's beginning. */
  get offset(): number {
    return this.position - this.start;
  }

  /** Distance of the end mark, where entries are appended. */
  get endOffset(): number {
    return this.totalBytes - 1;
  }

  /** Moves to the first entry; returns true if there is one. */
  first(): boolean {
    return this.#settle(this.start + HEADER_BYTES);
  }

  last(): boolean {
    this.position = this.start + this.totalBytes - 1;
    return this.prev();
  }

  /** Moves to the next entry; returns false after the last one. */
  next(): boolean {
    return this.#settle(this.position + this.entryBytes);
  }

  prev(): boolean {
    const { bytes } = this;
    if (this.position <= this.start + HEADER_BYTES) {
      this.position = -1;
      return false;
    }
    let at = this.position - 1;
    let length = bytes[at]! & 0x7f;
    for (let factor = 128; (bytes[at]! & 0x80) !== 0; factor *= 128) {
      at -= 1;
      length += (bytes[at]! & 0x7f) * factor;
    }
    this.position = at - length;
    return true;
  }

  /** Steps to entry `index`, counted from 0, or from the end when negative. */
  seek(index: number): boolean {
    const { count } = this;
    const wanted = index < 0 ? count + index : index;
    if (wanted < 0 || wanted >= count) {
      this.position = -1;
      return false;
    }
    if (wanted * 2 < count) {
      let found = this.first();
      for (let at = 0; at < wanted; at += 1) found = this.next();
      return found;
    }
    let found = this.last();
    for (let at = count - 1; at > wanted; at -= 1) found = this.prev();
    return found;
  }

  /** Puts the cursor at a distance from the beginning that `offset` gave. */
  moveTo(offset: number): boolean {
    return this.#settle(this.start + offset);
  }

  /** Bytes of the current entry in the listpack. */
  get entryBytes(): number {
    const body = bodyBytes(this.bytes, this.position);
    return body + backLengthBytes(body);
  }

  /** True when the current entry is stored as an integer. */
  get isInteger(): boolean {
    const first = this.bytes[this.position]!;
    return first < 0x80 || first > 0xf0 || (first >= 0xc0 && first < 0xe0);
  }

  /** The integer of the current entry: NaN for a string, rounded beyond 53 bits. */
  get integer(): number {
    const { bytes, position } = this;
    const first = bytes[position]!;
    if (first < 0x80) return first;
    if (first >= 0xc0 && first < 0xe0) {
      return ((((first & 0x1f) << 8) | bytes[position + 1]!) << 19) >> 19;
    }
    const low = bytes[position + 1]! | (bytes[position + 2]! << 8);
    if (first === 0xf1) return (low << 16) >> 16;
    if (first === 0xf2) return ((low | (bytes[position + 3]! << 16)) << 8) >> 8;
    if (first === 0xf3) return readWord(bytes, position + 1) | 0;
    if (first !== 0xf4) return NaN;
    return (readWord(bytes, position + 5) | 0) * 2 ** 32 + readWord(bytes, position + 1);
  }

  /** Current integer as a bigint, exact for 64 bits; only for entries that are integers. */
  get integer64(): bigint {
    const { integer } = this;
    if (Number.isSafeInteger(integer)) return BigInt(integer);
    return asBuffer(this.bytes).readBigInt64LE(this.position + 1);
  }

  /** Points `text`, `textAt` and `textLength` at the current entry as text. */
  read(): void {
    const { bytes, position } = this;
    const first = bytes[position]!;
    if (first >= 0x80 && first < 0xc0) {
      this.#textIs(bytes, position + 1, first & 0x3f);
    } else if (first >= 0xe0 && first < 0xf0) {
      this.#textIs(bytes, position + 2, ((first & 0x0f) << 8) | bytes[position + 1]!);
    } else if (first === 0xf0) {
      this.#textIs(bytes, position + 5, readWord(bytes, position + 1));
    } else {
      this.#textIs(this.#digits, 0, this.#writeDigits());
    }
  }

  /**
   * Visits `count` entries as texts, from the current one on; all of them must exist. Entries that `taker` takes are
   * not visited.
   */
  each(
    count: number,
    visit: (bytes: Bytes, at: number, length: number) => void,
    taker?: EntryTaker,
  ): void {
    const { bytes } = this;
    const end = this.start + this.totalBytes;
    let { position } = this;
    for (let left = count; left > 0; left -= 1) {
      const taken = taker?.take(bytes, position, end, left) ?? 0;
      if (taken > 0) {
        position = taker!.next;
        left -= taken;
        if (left === 0) break;
      }
      const first = bytes[position]!;
      if (first >= 0x80 && first < 0xc0) {
        // Short texts, whose length is read once: one byte before them and one behind.
        const length = first & 0x3f;
        visit(bytes, position + 1, length);
        position += length + 2;
        continue;
      }
      this.position = position;
      this.read();
      visit(this.text, this.textAt, this.textLength);
      position += this.entryBytes;
    }
    this.position = position;
  }

  /** A private copy of the current entry as text. */
  copy(): Bytes {
    this.read();
    return this.text.slice(this.textAt, this.textAt + this.textLength);
  }

  /** The current entry with one character per byte. */
  latin1(): string {
    this.read();
    return latin1(this.text, this.textAt, this.textLength);
  }

  /** True when the current entry is this text. */
  equals(bytes: Bytes, at: number, length: number): boolean {
    const head = encodeHead(this.#needle, bytes, at, length);
    return this.#matches(head, bytes, at, length);
  }

  /**
   * Steps from the current entry on to one that is this text, looking at it and then at each
   * `stride`-th; after the last one there is none.
   */
  find(bytes: Bytes, at: number, length: number, stride = 1): boolean {
    if (this.position < 0) return false;
    const head = encodeHead(this.#needle, bytes, at, length);
    for (;;) {
      if (this.#matches(head, bytes, at, length)) return true;
      for (let step = 0; step < stride; step += 1) if (!this.next()) return false;
    }
  }

  #matches(head: number, bytes: Bytes, at: number, length: number): boolean {
    const own = this.bytes;
    const { position } = this;
    const needle = this.#needle;
    for (let index = 0; index < head; index += 1) {
      if (own[position + index] !== needle[index]) return false;
    }
    const first = needle[0]!;
    const isText = (first & 0xc0) === 0x80 || (first >= 0xe0 && first <= 0xf0);
    if (!isText) return true;
    for (let index = 0; index < length; index += 1) {
      if (own[position + head + index] !== bytes[at + index]) return false;
    }
    return true;
  }

  #settle(position: number): boolean {
    if (this.bytes[position] === END) {
      this.position = -1;
      return false;
    }
    this.position = position;
    return true;
  }

  #walked(): number {
    const { position } = this;
    let count = 0;
    for (let more = this.first(); more; more = this.next()) count += 1;
    this.position = position;
    return count;
  }

  #textIs(bytes: Bytes, at: number, length: number): void {
    this.text = bytes;
    this.textAt = at;
    this.textLength = length;
  }

  #writeDigits(): number {
    const { integer } = this;
    if (Number.isSafeInteger(integer)) return writeInteger(integer, this.#digits, 0);
    return asBuffer(this.#digits).write(this.integer64.toString(), 'latin1');
  }
}

/** Bytes of encoding and data of the entry at `at`. */
function bodyBytes(bytes: Bytes, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc0) return 1 + (first & 0x3f);
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 2 + (((first & 0x0f) << 8) | bytes[at + 1]!);
  if (first === 0xf0) return 5 + readWord(bytes, at + 1);
  return first === 0xf4 ? 9 : first - 0xee;
}

function readWord(bytes: Bytes, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}
