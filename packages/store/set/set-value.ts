/**
 * One set of a keyspace, whichever way it is kept: integers in an intset, short members in a listpack,
 * or a table.
 *
 * One object serves a whole thread; it is pointed at the next set by `open`. What it says of a member is
 * good until the next call that writes.
 */
import type { Bytes } from '#base';
import { Encoding } from '../values/encodings.ts';
import type { PackedLimits } from '../values/packed-limits.ts';
import type { Piece } from '../values/piece.ts';
import {
  emptyIntset,
  insertIntoIntset,
  Intset,
  removeFromIntset,
  Word64,
} from '../listpack/intset.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListpackEntries, spliceRecord } from '../listpack/listpack-entries.ts';
import { Listpack } from '../listpack/listpack.ts';
import type { Ref } from '../memory/segment.ts';
import type { PackedTable } from '../table/packed-table.ts';
import { tableCodec } from '../table/table-codec.ts';
import { registerCodec } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { Span } from '../values/span.ts';
import { ValueType } from '../values/value-type.ts';

registerCodec(ValueType.set, Encoding.hashtable, tableCodec);

/** Limits of a set, beyond which it gets another encoding. */
export interface SetLimits extends PackedLimits {
  /** Integers of an intset. */
  intsetEntries: number;
}

const entriesScratch = new ListpackEntries();
const EMPTY_LISTPACK = entriesScratch.clear().toListpack();
const NO_MEMBERS = new Span(EMPTY_LISTPACK);
const NO_INTEGERS = new Span(emptyIntset());
const { set: type } = ValueType;
const AS_LISTPACK = setOptions({ type, encoding: Encoding.listpack });
const AS_INTSET = setOptions({ type, encoding: Encoding.intset });
const AS_TABLE = setOptions({ type, encoding: Encoding.hashtable, keepTtl: true });
const wordScratch = new Word64();

export class SetValue {
  ref: Ref = 0;
  /** The member last read. */
  bytes: Bytes = EMPTY_LISTPACK;
  at = 0;
  length = 0;
  #keyspace!: Keyspace;
  #limits: SetLimits = { entries: 0, valueBytes: 0, intsetEntries: 0 };
  #encoding = 0;
  #table: PackedTable | undefined;
  #tableBytes = 0;
  /** Room was made for members that have still to come. */
  #hasSpare = false;
  readonly #cursor = new Listpack();
  readonly #integers = new Intset();
  /** The current member: an entry of the table or a place in the intset; the cursor has its own. */
  #found = 0;

  /** Points at the set of a record. */
  open(keyspace: Keyspace, ref: Ref, limits: SetLimits): this {
    this.#keyspace = keyspace;
    this.#limits = limits;
    this.#follow(ref, keyspace.encoding(ref));
    return this;
  }

  letGo(): void {
    this.#table = undefined;
    this.#cursor.letGo();
    this.#integers.letGo();
    this.bytes = EMPTY_LISTPACK;
    this.length = 0;
  }

  /** Makes an empty set of a key, as suits its first member and how many are to come. */
  create(keyspace: Keyspace, key: Piece, limits: SetLimits, first: Piece, count: number): this {
    const isInteger = wordScratch.parse(first.bytes, first.at, first.length);
    const asIntset = isInteger && count <= limits.intsetEntries;
    this.createAs(asIntset, keyspace, key, limits);
    if (!asIntset && count > limits.entries) this.#toTable();
    return this;
  }

  /** Makes an empty set of a key: an intset or a listpack. */
  createAs(asIntset: boolean, keyspace: Keyspace, key: Piece, limits: SetLimits): this {
    const ref = asIntset
      ? keyspace.set(key, NO_INTEGERS, AS_INTSET)
      : keyspace.set(key, NO_MEMBERS, AS_LISTPACK);
    return this.open(keyspace, ref, limits);
  }

  /** Becomes an intset if its members are few enough integers. */
  preferIntset(): void {
    if (this.#isIntset || this.count > this.#limits.intsetEntries) return;
    for (let more = this.first(); more; more = this.next()) {
      this.read();
      if (!wordScratch.parse(this.bytes, this.at, this.length)) return;
    }
    const members: Bytes[] = [];
    for (let more = this.first(); more; more = this.next()) {
      this.read();
      members.push(this.bytes.slice(this.at, this.at + this.length));
    }
    const key = this.#keyspace.key(this.ref);
    const name = key.bytes.slice(key.at, key.at + key.length);
    const place = { bytes: name, at: 0, length: name.length };
    this.createAs(true, this.#keyspace, place, this.#limits);
    for (const member of members) this.add(member, 0, member.length);
  }

  get count(): number {
    if (this.#table !== undefined) return this.#table.count;
    return this.#isIntset ? this.#integers.count : this.#cursor.count;
  }

  get isIntset(): boolean {
    return this.#isIntset;
  }

  get isTable(): boolean {
    return this.#table !== undefined;
  }

  has(bytes: Bytes, at: number, length: number): boolean {
    if (this.#table !== undefined) {
      this.#found = this.#table.find(bytes, at, length);
      return this.#found !== 0;
    }
    if (!this.#isIntset) return this.#cursor.first() && this.#cursor.find(bytes, at, length);
    if (!wordScratch.parse(bytes, at, length)) return false;
    const found = this.#integers.find(wordScratch);
    this.#found = this.#integers.index;
    return found;
  }

  /** Adds a member; returns true if it is new. */
  add(bytes: Bytes, at: number, length: number): boolean {
    if (this.#table !== undefined) return this.#addToTable(bytes, at, length);
    return this.#isIntset
      ? this.#addToIntset(bytes, at, length)
      : this.#addToListpack(bytes, at, length);
  }

  /** Prepares for `newMembers` members: converts to a table if they alone exceed a packed form; makes room in a table. */
  expect(newMembers: number): void {
    const most = this.#isIntset ? this.#limits.intsetEntries : this.#limits.entries;
    if (this.#table === undefined && newMembers > most) this.#toTable();
    if (this.#table === undefined || newMembers <= this.#table.count) return;
    this.#table.expect(newMembers);
    this.#hasSpare = true;
    this.#post();
  }

  /** Gives back the room of members that were expected and have not come. */
  fit(): void {
    if (!this.#hasSpare) return;
    this.#hasSpare = false;
    if (this.#table === undefined) return;
    this.#table.fit();
    this.#post();
  }

  /** Takes a member out; returns whether it was there. An empty set is the caller's to remove. */
  delete(bytes: Bytes, at: number, length: number): boolean {
    const found = this.has(bytes, at, length);
    if (found) this.remove();
    return found;
  }

  /** Takes the current member out. */
  remove(): void {
    const keyspace = this.#keyspace;
    if (this.#table !== undefined) {
      this.#table.remove(this.#found);
      this.#post();
    } else if (this.#isIntset) {
      this.#follow(removeFromIntset(keyspace, this.ref, this.#found), Encoding.intset);
    } else {
      const { offset, entryBytes } = this.#cursor;
      entriesScratch.clear();
      const stretch = { offset, bytes: entryBytes, count: 1 };
      this.#follow(spliceRecord(keyspace, this.ref, stretch, entriesScratch), Encoding.listpack);
    }
  }

  /** The listpack, at its first member; undefined for other encodings. */
  get listpack(): Listpack | undefined {
    const isPacked = this.#table === undefined && !this.#isIntset;
    return isPacked && this.#cursor.first() ? this.#cursor : undefined;
  }

  /** Number that identifies the current member. */
  get current(): number {
    return this.#table !== undefined || this.#isIntset ? this.#found : this.#cursor.offset;
  }

  /** Steps to the first member. */
  first(): boolean {
    if (this.#table !== undefined) {
      this.#found = this.#table.first();
      return this.#found !== 0;
    }
    if (!this.#isIntset) return this.#cursor.first();
    this.#found = 0;
    return this.#integers.count > 0;
  }

  next(): boolean {
    if (this.#table !== undefined) {
      this.#found = this.#table.next(this.#found);
      return this.#found !== 0;
    }
    if (!this.#isIntset) return this.#cursor.next();
    this.#found += 1;
    return this.#found < this.#integers.count;
  }

  /** Steps to a member by chance, each as likely as the other; there is one. */
  draw(random: () => number): void {
    if (this.#table !== undefined) this.#found = this.#table.random(random);
    else if (this.#isIntset) this.#found = Math.floor(random() * this.count);
    else this.#cursor.seek(Math.floor(random() * this.count));
  }

  /** Calls back at each of about `count` members from the cursor on; returns the next cursor. */
  scan(cursor: number, count: number, visit: () => void): number {
    if (this.#table === undefined) {
      for (let more = this.first(); more; more = this.next()) visit();
      return 0;
    }
    return this.#table.scan(cursor, count, (entry) => {
      this.#found = entry;
      visit();
    });
  }

  /** Points `bytes`, `at` and `length` at the current member. */
  read(): void {
    if (this.#table !== undefined) {
      const { bytes, fieldAt, fieldLength } = this.#table.read(this.#found);
      this.#point(bytes, fieldAt, fieldLength);
    } else if (this.#isIntset) {
      this.#point(this.#integers.text, 0, this.#integers.writeText(this.#found));
    } else {
      this.#cursor.read();
      this.#point(this.#cursor.text, this.#cursor.textAt, this.#cursor.textLength);
    }
  }

  get #isIntset(): boolean {
    return this.#encoding === Encoding.intset;
  }

  #follow(ref: Ref, encoding: number): void {
    this.ref = ref;
    this.#encoding = encoding;
    this.#table = undefined;
    if (encoding === Encoding.hashtable) {
      this.#table = this.#keyspace.object(ref) as PackedTable;
      this.#tableBytes = this.#table.bytes;
    } else if (encoding === Encoding.intset) {
      this.#integers.pointAt(this.#keyspace.value(ref));
    } else {
      this.#cursor.pointAt(this.#keyspace.value(ref));
    }
  }

  #point(bytes: Bytes, at: number, length: number): void {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  #addToTable(bytes: Bytes, at: number, length: number): boolean {
    const table = this.#table!;
    if (table.find(bytes, at, length) !== 0) return false;
    this.#found = table.addMissed(bytes, at, length);
    this.#post();
    return true;
  }

  #addToIntset(bytes: Bytes, at: number, length: number): boolean {
    if (!wordScratch.parse(bytes, at, length)) {
      if (this.#fitsListpack(length)) this.#toListpack();
      else this.#toTable();
      return this.add(bytes, at, length);
    }
    if (this.#integers.find(wordScratch)) return false;
    this.#follow(insertIntoIntset(this.#keyspace, this.ref, wordScratch), Encoding.intset);
    if (this.count > this.#limits.intsetEntries) this.#toTable();
    return true;
  }

  #addToListpack(bytes: Bytes, at: number, length: number): boolean {
    if (this.has(bytes, at, length)) return false;
    const { entries: most, valueBytes } = this.#limits;
    if (this.#cursor.count >= most || length > valueBytes) {
      this.#toTable();
      return this.#addToTable(bytes, at, length);
    }
    entriesScratch.clear().add(bytes, at, length);
    const stretch = { offset: this.#cursor.endOffset, bytes: 0, count: 0 };
    const ref = spliceRecord(this.#keyspace, this.ref, stretch, entriesScratch);
    this.#follow(ref, Encoding.listpack);
    return true;
  }

  /** True when the integers and one more member of this length make a listpack. */
  #fitsListpack(length: number): boolean {
    const integers = this.#integers;
    const { entries: most, valueBytes } = this.#limits;
    if (integers.count >= most || length > valueBytes) return false;
    if (integers.count === 0) return true;
    // The longest is one of both ends.
    const longest = Math.max(integers.writeText(0), integers.writeText(integers.count - 1));
    return longest <= valueBytes;
  }

  #toListpack(): void {
    entriesScratch.clear();
    const integers = this.#integers;
    for (let index = 0; index < integers.count; index += 1) {
      entriesScratch.add(integers.text, 0, integers.writeText(index));
    }
    const keyspace = this.#keyspace;
    const ref = keyspace.resize(this.ref, EMPTY_LISTPACK.length);
    const { bytes, at } = keyspace.value(ref);
    bytes.set(EMPTY_LISTPACK, at);
    keyspace.setEncoding(ref, Encoding.listpack);
    const stretch = { offset: EMPTY_LISTPACK.length - 1, bytes: 0, count: 0 };
    this.#follow(spliceRecord(keyspace, ref, stretch, entriesScratch), Encoding.listpack);
  }

  #toTable(): void {
    const keyspace = this.#keyspace;
    const table = keyspace.createTable(false);
    for (let more = this.first(); more; more = this.next()) {
      this.read();
      table.add(this.bytes, this.at, this.length);
    }
    this.ref = storeTable(keyspace, this.ref, table);
    this.#follow(this.ref, Encoding.hashtable);
  }

  /** Reports the memory of the table to the store. */
  #post(): void {
    const { bytes } = this.#table!;
    if (bytes === this.#tableBytes) return;
    this.#keyspace.addObjectBytes(this.ref, bytes - this.#tableBytes);
    this.#tableBytes = bytes;
  }
}

/** Puts a table of members in the place of a record's value. */
function storeTable(keyspace: Keyspace, ref: Ref, table: PackedTable): Ref {
  return keyspace.setObject(keyspace.key(ref), table, table.bytes, AS_TABLE);
}
