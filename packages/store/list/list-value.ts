/**
 * One list of a keyspace, whichever way it is kept: a listpack or a quicklist.
 *
 * One object serves a whole thread; it is pointed at the next list by `open`. Where it stands, and what
 * it says of an element, is good until the next call that writes.
 */
import { type Bytes, type EntryTaker, reused } from '#base';
import { Encoding } from '../values/encodings.ts';
import type { Piece } from '../values/piece.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListpackEntries, spliceRecord } from '../listpack/listpack-entries.ts';
import { HEADER_BYTES } from '../listpack/listpack-layout.ts';
import { Listpack } from '../listpack/listpack.ts';
import type { Ref } from '../memory/segment.ts';
import { registerCodec } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { Span, valueScratch } from '../values/span.ts';
import { ValueType } from '../values/value-type.ts';
import { ListNode } from './list-node.ts';
import {
  exceedsLimit,
  isWellBelowLimit,
  keptDepth,
  keptSize,
  type ListLimits,
} from './node-limits.ts';
import { quicklistCodec } from './quicklist-codec.ts';
import { Quicklist } from './quicklist.ts';

registerCodec(ValueType.list, Encoding.quicklist, quicklistCodec);

/** Numbered pieces of memory, as the arguments of a command are. */
export interface Pieces {
  readonly source: Bytes;
  at(index: number): number;
  length(index: number): number;
}

const entriesScratch = reused(new ListpackEntries());
const EMPTY_LISTPACK = entriesScratch.clear().toListpack();
const EMPTY = new Span(EMPTY_LISTPACK);
const { list: type } = ValueType;
const PACKED = setOptions({ type, encoding: Encoding.listpack });
const REPACKED = setOptions({ type, encoding: Encoding.listpack, keepTtl: true });
const AS_QUICKLIST = setOptions({ type, encoding: Encoding.quicklist, keepTtl: true });

export class ListValue {
  ref: Ref = 0;
  /** The element last read. */
  bytes: Bytes = EMPTY_LISTPACK;
  at = 0;
  length = 0;
  #keyspace!: Keyspace;
  #limits: ListLimits = { size: 0, compressDepth: 0, plainBytes: 0 };
  #quicklist: Quicklist | undefined;
  #quicklistBytes = 0;
  readonly #cursor = new Listpack();

  /** Points at the list of a record. */
  open(keyspace: Keyspace, ref: Ref, limits: ListLimits): this {
    this.#keyspace = keyspace;
    this.#limits = limits;
    this.ref = ref;
    if (keyspace.encoding(ref) === Encoding.quicklist) {
      this.#adopt(keyspace.object(ref) as Quicklist);
    } else {
      this.#quicklist = undefined;
      this.#cursor.pointAt(keyspace.value(ref));
    }
    return this;
  }

  letGo(): void {
    this.#quicklist = undefined;
    this.#cursor.letGo();
    this.#point(EMPTY_LISTPACK, 0, 0);
  }

  /** Makes an empty list of a key; the caller fills it. */
  create(keyspace: Keyspace, key: Piece, limits: ListLimits): this {
    return this.open(keyspace, keyspace.set(key, EMPTY, PACKED), limits);
  }

  get count(): number {
    return this.#quicklist === undefined ? this.#cursor.count : this.#quicklist.count;
  }

  /** Converts to a quicklist if the listpack cannot take `bytes` more bytes in `count` elements. */
  expect(bytes: number, count: number): void {
    if (this.#quicklist !== undefined) return;
    const { totalBytes, count: before } = this.#cursor;
    if (exceedsLimit(this.#limits.size, totalBytes + bytes, before + count)) this.#toQuicklist();
  }

  /** Adds the pieces from `first` up to `end`, one by one, at an end. */
  push(pieces: Pieces, first: number, end: number, isHead: boolean): void {
    let bytes = 0;
    for (let index = first; index < end; index += 1) bytes += pieces.length(index);
    this.expect(bytes, end - first);
    const { source } = pieces;
    if (this.#quicklist !== undefined) {
      for (let index = first; index < end; index += 1) {
        this.#quicklist.push(source, pieces.at(index), pieces.length(index), isHead);
      }
      this.#post();
      return;
    }
    entriesScratch.clear();
    // What comes last at the head comes first in the list.
    for (let nth = 0; nth < end - first; nth += 1) {
      const index = isHead ? end - 1 - nth : first + nth;
      entriesScratch.add(source, pieces.at(index), pieces.length(index));
    }
    this.#splice(isHead ? HEADER_BYTES : this.#cursor.endOffset, 0, 0);
  }

  /** Steps to the element at an index, counted from the end when negative. */
  seek(index: number): boolean {
    return this.#quicklist === undefined ? this.#cursor.seek(index) : this.#quicklist.seek(index);
  }

  next(): boolean {
    return this.#quicklist === undefined ? this.#cursor.next() : this.#quicklist.next();
  }

  prev(): boolean {
    return this.#quicklist === undefined ? this.#cursor.prev() : this.#quicklist.prev();
  }

  /** Points `bytes`, `at` and `length` at the current element. */
  read(): void {
    if (this.#quicklist === undefined) {
      const cursor = this.#cursor;
      cursor.read();
      this.#point(cursor.text, cursor.textAt, cursor.textLength);
    } else {
      const list = this.#quicklist;
      list.read();
      this.#point(list.bytes, list.at, list.length);
    }
  }

  /**
   * Visits `count` elements from the current one on, except those that `taker` takes; all of them must exist. The list
   * has no position afterwards.
   */
  each(
    count: number,
    visit: (bytes: Bytes, at: number, length: number) => void,
    taker?: EntryTaker,
  ): void {
    if (this.#quicklist === undefined) this.#cursor.each(count, visit, taker);
    else this.#quicklist.each(count, visit, taker);
  }

  /** True when the current element is these bytes. */
  equals(bytes: Bytes, at: number, length: number): boolean {
    const holder = this.#quicklist ?? this.#cursor;
    return holder.equals(bytes, at, length);
  }

  /** Puts an element beside the current one. */
  insert(bytes: Bytes, at: number, length: number, isAfter: boolean): void {
    if (this.#quicklist !== undefined) {
      this.#quicklist.insert(bytes, at, length, isAfter);
      this.#post();
      return;
    }
    const { offset, entryBytes } = this.#cursor;
    entriesScratch.clear().add(bytes, at, length);
    this.#splice(isAfter ? offset + entryBytes : offset, 0, 0);
  }

  /** Puts another element in the place of the current one. */
  replace(bytes: Bytes, at: number, length: number): void {
    if (this.#quicklist !== undefined) {
      this.#quicklist.replace(bytes, at, length);
      this.#post();
      return;
    }
    const { offset, entryBytes } = this.#cursor;
    entriesScratch.clear().add(bytes, at, length);
    this.#splice(offset, entryBytes, 1);
  }

  /**
   * Takes the current element out and steps to the one that comes next in the direction; returns
   * whether there is one. An empty list is the caller's to remove.
   */
  remove(isForward: boolean): boolean {
    if (this.#quicklist !== undefined) {
      const more = this.#quicklist.remove(isForward);
      this.#post();
      return more;
    }
    const cursor = this.#cursor;
    const { offset, entryBytes } = cursor;
    const before = !isForward && cursor.prev() ? cursor.offset : -1;
    entriesScratch.clear();
    this.#splice(offset, entryBytes, 1);
    if (isForward) return cursor.moveTo(offset);
    return before >= 0 && cursor.moveTo(before);
  }

  /** Takes out `count` elements from an index on; all of them are there. */
  removeRange(first: number, count: number): void {
    if (count === 0) return;
    if (this.#quicklist !== undefined) {
      this.#quicklist.removeRange(first, count);
      this.#post();
      return;
    }
    const cursor = this.#cursor;
    cursor.seek(first);
    const { offset } = cursor;
    const end = cursor.seek(first + count) ? cursor.offset : cursor.endOffset;
    entriesScratch.clear();
    this.#splice(offset, end - offset, count);
  }

  /** Becomes a listpack again when it is far below what one may hold. */
  shrink(): void {
    const list = this.#quicklist;
    if (list?.nodes.nodeCount !== 1) return;
    const node = list.nodes.head!;
    if (node.isPlain || !isWellBelowLimit(this.#limits.size, node.size, node.count)) return;
    node.decompress();
    const keyspace = this.#keyspace;
    const value = valueScratch.point(node.bytes, node.start, node.size);
    this.ref = keyspace.set(keyspace.key(this.ref), value, REPACKED);
    this.#quicklist = undefined;
    this.#cursor.pointAt(keyspace.value(this.ref));
  }

  #adopt(list: Quicklist): void {
    list.plainBytes = this.#limits.plainBytes;
    this.#quicklist = list;
    this.#quicklistBytes = list.totalBytes;
  }

  #point(bytes: Bytes, at: number, length: number): void {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  /** Replaces entries; the cursor has no position afterwards. */
  #splice(offset: number, bytes: number, count: number): void {
    this.ref = spliceRecord(this.#keyspace, this.ref, { offset, bytes, count }, entriesScratch);
    this.#cursor.pointAt(this.#keyspace.value(this.ref));
  }

  #toQuicklist(): void {
    const keyspace = this.#keyspace;
    const { size, compressDepth } = this.#limits;
    const list = new Quicklist(keptSize(size), keptDepth(compressDepth));
    const { count } = this.#cursor;
    if (count > 0) {
      const { bytes, at, length } = keyspace.value(this.ref);
      list.nodes.adopt(ListNode.ofListpack(bytes.slice(at, at + length), count));
    }
    this.ref = keyspace.setObject(keyspace.key(this.ref), list, list.totalBytes, AS_QUICKLIST);
    this.#adopt(list);
  }

  /** Reports the memory of the quicklist to the store. */
  #post(): void {
    const { totalBytes } = this.#quicklist!;
    if (totalBytes === this.#quicklistBytes) return;
    this.#keyspace.addObjectBytes(this.ref, totalBytes - this.#quicklistBytes);
    this.#quicklistBytes = totalBytes;
  }
}

/** The listpack of a few elements. */
export function stubList(...elements: readonly Bytes[]): {
  readonly encoding: number;
  readonly value: Bytes;
  readonly count: number;
} {
  entriesScratch.clear();
  for (const element of elements) entriesScratch.add(element, 0, element.length);
  return {
    encoding: Encoding.listpack,
    value: entriesScratch.toListpack(),
    count: elements.length,
  };
}
