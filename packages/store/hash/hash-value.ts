/**
 * One hash of a keyspace, whichever way it is kept: in a listpack, or in a table.
 *
 * One object serves a whole thread; it is pointed at the next hash by `open`. What it says of a field is
 * good until the next call that writes.
 *
 * Large because each operation on a hash works on both of its forms, which no caller is to know apart.
 */
import type { Bytes } from '#base';
import type { Listpack } from '../listpack/listpack.ts';
import { Encoding } from '../values/encodings.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import type { PackedTable } from '../table/packed-table.ts';
import { tableCodec } from '../table/table-codec.ts';
import { registerCodec } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { Span } from '../values/span.ts';
import { ValueType } from '../values/value-type.ts';
import type { PackedLimits } from '../values/packed-limits.ts';
import type { Piece } from '../values/piece.ts';
import { EMPTY_LISTPACK, PackedHash } from './packed-hash.ts';

registerCodec(ValueType.hash, Encoding.hashtable, tableCodec);
registerCodec(ValueType.hash, Encoding.hashtableEx, tableCodec);

const EMPTY = new Span(EMPTY_LISTPACK);
const { hash: type } = ValueType;
const PACKED = setOptions({ type, encoding: Encoding.listpack });
const TABLE = setOptions({ type, encoding: Encoding.hashtable, keepTtl: true });
const TABLE_WITH_ENDS = setOptions({ type, encoding: Encoding.hashtableEx, keepTtl: true });

export class HashValue {
  /** The field or value last read. */
  bytes: Bytes = EMPTY_LISTPACK;
  at = 0;
  length = 0;
  /** View of the same bytes, if there is one already. */
  view: DataView | undefined;
  #keyspace!: Keyspace;
  #limits: PackedLimits = { entries: 0, valueBytes: 0 };
  #tableRef: Ref = 0;
  #table: PackedTable | undefined;
  #tableBytes = 0;
  /** Room was made for fields that have still to come. */
  #hasSpare = false;
  /** The current field's entry in the table. */
  #found = 0;
  readonly #packed = new PackedHash();

  /** Points at the hash of a record. */
  open(keyspace: Keyspace, ref: Ref, limits: PackedLimits): this {
    this.#keyspace = keyspace;
    this.#limits = limits;
    const encoding = keyspace.encoding(ref);
    if (encoding === Encoding.hashtable || encoding === Encoding.hashtableEx) {
      this.#openTable(ref, keyspace.object(ref) as PackedTable);
    } else {
      this.#table = undefined;
      this.#packed.open(keyspace, ref, encoding !== Encoding.listpack);
    }
    return this;
  }

  letGo(): void {
    this.#table = undefined;
    this.#packed.letGo();
    this.bytes = EMPTY_LISTPACK;
    this.view = undefined;
    this.length = 0;
  }

  /** Makes an empty hash of a key and points at it; the caller fills it. */
  create(keyspace: Keyspace, key: Piece, limits: PackedLimits): this {
    return this.open(keyspace, keyspace.set(key, EMPTY, PACKED), limits);
  }

  /** Current reference of the record. */
  get ref(): Ref {
    return this.#table === undefined ? this.#packed.ref : this.#tableRef;
  }

  /** Number of fields, including expired ones that were not removed yet. */
  get count(): number {
    return this.#table === undefined ? this.#packed.count : this.#table.count;
  }

  get isTable(): boolean {
    return this.#table !== undefined;
  }

  /** Fields and values by turns, at the first field; undefined where there is none, or they do not lie so. */
  get pairs(): Listpack | undefined {
    if (this.#table !== undefined || this.#packed.hasEnds || !this.#packed.first())
      return undefined;
    return this.#packed.cursor;
  }

  /** True when fields can have an expiry, in this encoding. */
  get mayExpire(): boolean {
    return this.#table === undefined ? this.#packed.hasEnds : this.#table.expiringCount > 0;
  }

  /** Expiry of the first field to expire, or -1. */
  get soonest(): number {
    if (this.#table === undefined) return this.#packed.first() ? this.#packed.expiry : -1;
    const { soonest } = this.#table;
    return soonest === 0 ? -1 : this.#table.expiry(soonest);
  }

  /** Fields that have not ended by then. */
  liveCount(nowMs: number): number {
    if (this.#table !== undefined) return this.#table.count - this.#table.endedCount(nowMs);
    let ended = 0;
    for (let more = this.mayExpire && this.first(); more; more = this.next()) {
      if (!this.hasEnded(nowMs)) break;
      ended += 1;
    }
    return this.count - ended;
  }

  /** Steps to the field with this name; returns true if there is one. */
  find(field: Bytes, at: number, length: number): boolean {
    if (this.#table === undefined) return this.#packed.find(field, at, length);
    this.#found = this.#table.find(field, at, length);
    return this.#found !== 0;
  }

  /** Number that identifies the current field. */
  get current(): number {
    return this.#table !== undefined ? this.#found : this.#packed.cursor.offset;
  }

  /** Steps to the first field. */
  first(): boolean {
    if (this.#table === undefined) return this.#packed.first();
    this.#found = this.#table.first();
    return this.#found !== 0;
  }

  /** Steps to the following field. */
  next(): boolean {
    if (this.#table === undefined) return this.#packed.next();
    this.#found = this.#table.next(this.#found);
    return this.#found !== 0;
  }

  /** Steps to a field by chance, each as likely as the other; there is one. */
  draw(random: () => number): void {
    if (this.#table === undefined) this.#packed.seek(Math.floor(random() * this.count));
    else this.#found = this.#table.random(random);
  }

  /** Calls back at each of about `count` fields from the cursor on; returns the next cursor. */
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

  /** Points `bytes`, `at` and `length` at the current field's name. */
  readField(): void {
    if (this.#table === undefined) {
      this.#packed.readField();
      this.#takeText();
    } else {
      const { bytes, fieldAt, fieldLength, view } = this.#table.read(this.#found);
      this.#point(bytes, fieldAt, fieldLength, view);
    }
  }

  /** Reads the value of the current field. */
  readValue(): void {
    if (this.#table === undefined) {
      this.#packed.readValue();
      this.#takeText();
    } else {
      const { bytes, valueAt, valueLength, view } = this.#table.read(this.#found);
      this.#point(bytes, valueAt, valueLength, view);
    }
  }

  /** Expiry of the current field, or -1. */
  get expiry(): number {
    return this.#table === undefined ? this.#packed.expiry : this.#table.expiry(this.#found);
  }

  hasEnded(nowMs: number): boolean {
    const { expiry } = this;
    return expiry >= 0 && expiry < nowMs;
  }

  /**
   * Sets the value of a field; returns true if the field is new. An existing field loses its expiry
   * unless it is kept.
   */
  put(field: Piece, value: Piece, keepsExpiry = false): boolean {
    if (this.#table === undefined) {
      const { valueBytes } = this.#limits;
      if (field.length <= valueBytes && value.length <= valueBytes) {
        return this.#putPacked(field, value, keepsExpiry);
      }
      this.#convert();
    }
    return this.#putInTable(field, value, keepsExpiry);
  }

  /** Prepares for `newFields` new fields: converts to a table if they alone exceed a listpack; makes room in a table. */
  expect(newFields: number): void {
    if (this.#table === undefined && newFields > this.#limits.entries) this.#convert();
    if (this.#table === undefined || newFields <= this.#table.count) return;
    this.#table.expect(newFields);
    this.#hasSpare = true;
    this.#post();
  }

  /** Gives back the room of fields that were expected and have not come. */
  fit(): void {
    if (!this.#hasSpare) return;
    this.#hasSpare = false;
    if (this.#table === undefined) return;
    this.#table.fit();
    this.#post();
  }

  /** Sets when the current field ends, or with -1 that it does not. */
  setExpiry(unixMs: number): void {
    if (this.#table !== undefined) {
      this.#found = this.#table.setExpiry(this.#found, unixMs);
      this.#post();
    } else {
      if (unixMs < 0 && !this.#packed.hasEnds) return;
      this.allowExpiry();
      this.#packed.setExpiry(unixMs);
    }
    this.#classify();
  }

  /** Has the encoding Redis uses for fields with an end, though none has one yet. */
  allowExpiry(): void {
    if (this.#table === undefined && !this.#packed.hasEnds) this.#packed.widen();
  }

  /** Takes the current field out. An empty hash is the caller's to remove. */
  remove(): void {
    if (this.#table === undefined) {
      this.#packed.remove();
    } else {
      this.#table.remove(this.#found);
      this.#post();
    }
    this.#classify();
  }

  /** Takes out fields that have ended, at most `max`; returns how many. */
  removeEnded(nowMs: number, max: number, names?: Bytes[]): number {
    let removed = 0;
    while (removed < max && this.#findSoonest() && this.hasEnded(nowMs)) {
      if (names !== undefined) {
        this.readField();
        names.push(this.bytes.slice(this.at, this.at + this.length));
      }
      this.remove();
      removed += 1;
    }
    return removed;
  }

  #findSoonest(): boolean {
    if (this.#table === undefined) return this.#packed.first();
    this.#found = this.#table.soonest;
    return this.#found !== 0;
  }

  #openTable(ref: Ref, table: PackedTable): void {
    this.#tableRef = ref;
    this.#table = table;
    this.#tableBytes = table.bytes;
  }

  #takeText(): void {
    const { text, textAt, textLength } = this.#packed.cursor;
    this.#point(text, textAt, textLength);
  }

  #point(bytes: Bytes, at: number, length: number, view?: DataView): void {
    this.view = view;
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  #putPacked(field: Piece, value: Piece, keepsExpiry: boolean): boolean {
    const isNew = this.#packed.put(field, value, keepsExpiry);
    if (isNew && this.count > this.#limits.entries) {
      this.#convert();
      this.find(field.bytes, field.at, field.length);
    } else if (!isNew && !keepsExpiry) {
      this.#classify();
    }
    return isNew;
  }

  #putInTable(field: Piece, value: Piece, keepsExpiry: boolean): boolean {
    const table = this.#table!;
    let found = table.find(field.bytes, field.at, field.length);
    const isNew = found === 0;
    if (isNew) found = table.addMissed(field.bytes, field.at, field.length, value.length);
    else found = table.resizeValue(found, value.length, keepsExpiry);
    table.writeValue(found, value.bytes, value.at, value.length);
    this.#found = found;
    this.#post();
    if (!isNew) this.#classify();
    return isNew;
  }

  #convert(): void {
    const keyspace = this.#keyspace;
    const table = keyspace.createTable(true);
    for (let more = this.first(); more; more = this.next()) {
      const { expiry } = this;
      this.readField();
      const field = this.bytes.slice(this.at, this.at + this.length);
      this.readValue();
      const entry = table.add(field, 0, field.length, this.length);
      table.writeValue(entry, this.bytes, this.at, this.length);
      if (expiry >= 0) table.setExpiry(entry, expiry);
    }
    const options = table.expiringCount > 0 ? TABLE_WITH_ENDS : TABLE;
    const ref = keyspace.setObject(keyspace.key(this.ref), table, table.bytes, options);
    this.#openTable(ref, table);
  }

  /** Lets the encoding say whether any field has an end: the store keeps track of those hashes. */
  #classify(): void {
    const keyspace = this.#keyspace;
    let encoding: number = Encoding.listpack;
    if (this.#table !== undefined) {
      encoding = this.#table.expiringCount > 0 ? Encoding.hashtableEx : Encoding.hashtable;
    } else if (this.#packed.hasEnds) {
      encoding = this.#packed.hasExpiring ? Encoding.listpackEx : Encoding.listpackExIdle;
    }
    if (keyspace.encoding(this.ref) !== encoding) keyspace.setEncoding(this.ref, encoding);
  }

  /** Reports the memory of the table to the store. */
  #post(): void {
    const { bytes } = this.#table!;
    if (bytes === this.#tableBytes) return;
    this.#keyspace.addObjectBytes(this.ref, bytes - this.#tableBytes);
    this.#tableBytes = bytes;
  }
}
