/**
 * A hash in a listpack: pairs of field and value, or triples with the end of each field (0: none),
 * soonest first and those without an end last.
 */
import { type Bytes, copyBytes, reused } from '#base';
import { Encoding } from '../values/encodings.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListpackEntries, spliceRecord } from '../listpack/listpack-entries.ts';
import { Listpack } from '../listpack/listpack.ts';
import type { Ref } from '../memory/segment.ts';
import type { Piece } from '../values/piece.ts';

/** In the place of the end of a field that has none. */
const NO_END = 0;
const entriesScratch = reused(new ListpackEntries());
export const EMPTY_LISTPACK = entriesScratch.clear().toListpack();

export class PackedHash {
  ref: Ref = 0;
  readonly cursor = new Listpack();
  #keyspace!: Keyspace;
  /** Entries for each field. */
  #stride = 2;

  open(keyspace: Keyspace, ref: Ref, hasEnds: boolean): void {
    this.#keyspace = keyspace;
    this.ref = ref;
    this.#stride = hasEnds ? 3 : 2;
    this.cursor.pointAt(keyspace.value(ref));
  }

  letGo(): void {
    this.cursor.letGo();
  }

  get count(): number {
    return this.cursor.count / this.#stride;
  }

  /** True when fields have room for an expiry. */
  get hasEnds(): boolean {
    return this.#stride === 3;
  }

  find(field: Bytes, at: number, length: number): boolean {
    return this.cursor.first() && this.cursor.find(field, at, length, this.#stride);
  }

  first(): boolean {
    return this.cursor.first();
  }

  next(): boolean {
    let more = this.cursor.next();
    for (let step = 1; step < this.#stride; step += 1) more = this.cursor.next();
    return more;
  }

  seek(index: number): void {
    this.cursor.seek(index * this.#stride);
  }

  /** Points the cursor's text at the current field's name. */
  readField(): void {
    this.cursor.read();
  }

  /** Reads the value of the current field. */
  readValue(): void {
    const { cursor } = this;
    const { position } = cursor;
    cursor.next();
    cursor.read();
    cursor.position = position;
  }

  /** Expiry of the current field, or -1. */
  get expiry(): number {
    if (!this.hasEnds) return -1;
    const { cursor } = this;
    const { position } = cursor;
    cursor.next();
    cursor.next();
    const end = cursor.integer;
    cursor.position = position;
    return end === NO_END ? -1 : end;
  }

  /** True when any field has an expiry. The current field stays the same. */
  get hasExpiring(): boolean {
    const { cursor } = this;
    const { position } = cursor;
    const expires = cursor.first() && this.expiry >= 0;
    cursor.position = position;
    return expires;
  }

  /** Sets the value of a field; returns true if it is new. An existing one loses its expiry unless that is kept. */
  put(field: Piece, value: Piece, keepsExpiry: boolean): boolean {
    const { cursor } = this;
    if (this.find(field.bytes, field.at, field.length)) {
      const expires = this.expiry >= 0;
      const fieldOffset = cursor.offset;
      cursor.next();
      entriesScratch.clear().add(value.bytes, value.at, value.length);
      this.#splice(cursor.offset, 1);
      cursor.moveTo(fieldOffset);
      if (expires && !keepsExpiry) this.#putAway(NO_END);
      return false;
    }
    entriesScratch.clear().add(field.bytes, field.at, field.length);
    entriesScratch.add(value.bytes, value.at, value.length);
    if (this.hasEnds) entriesScratch.addInteger(NO_END);
    const end = cursor.endOffset;
    this.#splice(end, 0);
    cursor.moveTo(end);
    return true;
  }

  /** Sets when the current field ends, or with -1 that it does not; fields have room for an end. */
  setExpiry(unixMs: number): void {
    this.#putAway(unixMs < 0 ? NO_END : unixMs);
  }

  /** Takes the current field out. */
  remove(): void {
    entriesScratch.clear();
    this.#splice(this.cursor.offset, this.#stride);
  }

  /** Gives fields room for an end; the current field stays. */
  widen(): void {
    const { cursor } = this;
    const current = cursor.position;
    let index = 0;
    let currentIndex = -1;
    entriesScratch.clear();
    for (let more = cursor.first(); more; more = cursor.next()) {
      if (cursor.position === current) currentIndex = index;
      entriesScratch.addEncoded(cursor.bytes, cursor.position, cursor.entryBytes, 1);
      index += 1;
      if (index % 2 === 0) entriesScratch.addInteger(NO_END);
    }
    const keyspace = this.#keyspace;
    keyspace.setEncoding(this.ref, Encoding.listpackExIdle);
    this.ref = keyspace.resize(this.ref, EMPTY_LISTPACK.length);
    const empty = keyspace.value(this.ref);
    copyBytes(EMPTY_LISTPACK, 0, empty.bytes, empty.at, EMPTY_LISTPACK.length);
    this.#stride = 3;
    cursor.pointAt(empty);
    this.#splice(cursor.endOffset, 0);
    if (currentIndex >= 0) this.seek(currentIndex / 2);
  }

  /** Moves the current field to where its new end belongs. */
  #putAway(end: number): void {
    const { cursor } = this;
    const from = cursor.offset;
    cursor.next();
    cursor.next();
    const endOffset = cursor.offset;
    const { bytes, start } = cursor;
    entriesScratch
      .clear()
      .addEncoded(bytes, start + from, endOffset - from, 2)
      .addInteger(end);
    // Taking out uses the entries, too.
    const kept = entriesScratch.bytes.slice(0, entriesScratch.length);
    entriesScratch.clear();
    this.#splice(from, this.#stride);
    const target = this.#placeFor(end);
    entriesScratch.clear().addEncoded(kept, 0, kept.length, 3);
    this.#splice(target, 0);
    cursor.moveTo(target);
  }

  /** Offset of the first field that ends later. */
  #placeFor(end: number): number {
    if (end !== NO_END) {
      for (let more = this.first(); more; more = this.next()) {
        const { expiry } = this;
        if (expiry < 0 || expiry > end) return this.cursor.offset;
      }
    }
    return this.cursor.endOffset;
  }

  /** Puts the entries in the place of `count` others from `offset` on. */
  #splice(offset: number, count: number): void {
    const { cursor } = this;
    let bytes = 0;
    if (count > 0) {
      cursor.moveTo(offset);
      let more = true;
      for (let step = 0; step < count; step += 1) more = cursor.next();
      bytes = (more ? cursor.offset : cursor.endOffset) - offset;
    }
    this.ref = spliceRecord(this.#keyspace, this.ref, { offset, bytes, count }, entriesScratch);
    cursor.pointAt(this.#keyspace.value(this.ref));
  }
}
