/**
 * Fields with values, or members alone, in typed memory: what a large hash or set is kept in.
 *
 * Entries stand in the pages of an arena and lead to one another in chains; linear hashing names the
 * first of each chain. No operation does more than one bucket's splitting, or moves more than some
 * entries of one page. A reference to an entry is good until the next call that writes.
 *
 * Large because hashes, sets and sorted sets use it, each another part, and the hot ones read its fields.
 */
import {
  ByteViews,
  copyBytes,
  halfSipHash,
  isResourceError,
  reused,
  sameBytes,
  type Spans,
  type Steps,
} from '#base';
import { copyInto } from '../memory/byte-views.ts';
import { Arena, pageOf, refOf, wordAt } from './arena.ts';
import type { Buckets } from './buckets.ts';
import { Chains, type HashedEntries } from './chains.ts';
import {
  Entry,
  entryBytes,
  EXPIRY_BYTES,
  GONE,
  varintBytes,
  writeEntryHead,
  writeExpiry,
  writeHeapIndex,
} from './entry.ts';
import { ExpiryHeap, type ExpiringEntries } from './expiry-heap.ts';
import { fieldHintScratch, type HashSecrets } from './field-hint.ts';
import { locateFields, type RefRow } from './field-row.ts';

/** The objects that every table has, without what the parts count themselves (measured). */
const TABLE_OVERHEAD_BYTES = 280;
/** Longest field whose length, doubled, takes one byte. */
const SHORT_FIELD_BYTES_MAX = 63;
const WORD_BYTES = 4;
/** Entries of a sparse page that one call moves: more than one call can leave gaps. */
const TIDY_ENTRIES_MAX = 128;

const sourcesScratch = new ByteViews();
const entryScratch = reused(new Entry());
const NO_REFS = new Int32Array(0);

export class PackedTable implements ExpiringEntries, HashedEntries {
  readonly hasValues: boolean;
  /** Called for each entry that is moved to empty its page, while its bytes are at both places. */
  onMove: ((ref: number, next: number) => void) | undefined;
  readonly secrets: HashSecrets;
  readonly #secret0: number;
  readonly #secret1: number;
  #arena = new Arena();
  #chains = new Chains(this.#arena, this);
  #heap: ExpiryHeap | undefined;
  #count = 0;
  /** Last field that was not found: its hash, and the length of the chain. */
  #missedHash = 0;
  #missedChain = 0;
  /** The page that is being emptied, or -1, and the word where what is left of it begins. */
  #emptying = -1;
  #emptyingAt = 0;

  constructor(secrets: HashSecrets, hasValues: boolean) {
    this.secrets = secrets;
    this.#secret0 = secrets.secret0;
    this.#secret1 = secrets.secret1;
    this.hasValues = hasValues;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    const heap = this.#heap === undefined ? 0 : this.#heap.bytes;
    return TABLE_OVERHEAD_BYTES + this.#arena.bytes + this.#chains.buckets.bytes + heap;
  }

  /** Number of entries with an expiry. */
  get expiringCount(): number {
    return this.#heap === undefined ? 0 : this.#heap.count;
  }

  /** The entry that expires first, or 0. */
  get soonest(): number {
    return this.#heap === undefined || this.#heap.count === 0 ? 0 : this.#heap.first;
  }

  /** Counts the entries that expire before a moment. It looks at those alone, and at their neighbours. */
  endedCount(unixMs: number): number {
    return this.#heap === undefined ? 0 : this.#heap.countBefore(unixMs);
  }

  /** The entry of a field, or 0. */
  find(field: Uint8Array, at: number, length: number): number {
    const { pages } = this.#arena;
    const hash = this.#hash(field, at, length);
    let ref = this.#chains.first(hash);
    let chain = 0;
    while (ref !== 0) {
      const page = pages[pageOf(ref)]!;
      if (this.#isField(page.bytes, wordAt(ref) * WORD_BYTES, field, at, length)) return ref;
      ref = page.words[wordAt(ref)]!;
      chain += 1;
    }
    this.#missedHash = hash;
    this.#missedChain = chain;
    return 0;
  }

  /** First entry of the bucket of a hash, of any field, or 0: the one at which `find` starts. */
  leadOf(hash: number): number {
    return this.#chains.first(hash);
  }

  /** The entry after one of these, or 0. */
  behind(ref: number): number {
    return this.#chains.next(ref);
  }

  /** The entry's parts, in an object that the next call overwrites. */
  read(ref: number): Entry {
    const page = this.#arena.pages[pageOf(ref)]!;
    entryScratch.view = page.view;
    entryScratch.parse(page.bytes, wordAt(ref) * WORD_BYTES, this.hasValues);
    return entryScratch;
  }

  /** Says where the fields of entries in a row of references are; good until the next call that writes. */
  locateFields(row: RefRow, spans: Spans): void {
    locateFields(this.#arena.pages, this.hasValues, row, spans);
  }

  /** Writes an entry's value, which has room for as much. */
  writeValue(ref: number, bytes: Uint8Array, at: number, length: number): void {
    const found = this.read(ref);
    copyInto(found, found.valueAt, bytes, at, length, sourcesScratch);
  }

  /** Makes buckets for entries that are to come: while chains are short, splitting them costs next to nothing. */
  expect(entries: number): void {
    const wanted = this.#count + entries;
    try {
      while (this.#chains.buckets.count < wanted) this.#chains.grow();
    } catch (error) {
      // What there is no memory for now may never be needed: entries that are there may come again.
      if (!isResourceError(error)) throw error;
    }
  }

  /** Gives back the buckets of entries that were expected and have not come. */
  fit(): void {
    const { buckets } = this.#chains;
    let before: number;
    do {
      before = buckets.count;
      this.#chains.shrink(this.#count);
    } while (buckets.count < before);
  }

  /** Adds a field that is not there; its value is for the caller to write. */
  add(field: Uint8Array, at: number, length: number, valueLength = 0): number {
    this.find(field, at, length);
    return this.addMissed(field, at, length, valueLength);
  }

  /** Adds a field that the last `find` did not find. */
  addMissed(field: Uint8Array, at: number, length: number, valueLength = 0): number {
    const chains = this.#chains;
    // Splitting its bucket can only make the chain shorter.
    if (this.#missedChain >= chains.lengthMax) chains.lengthMax = this.#missedChain + 1;
    if (this.#count >= chains.buckets.count) chains.grow();
    const ref = this.#arena.take(entryBytes(length, valueLength, this.hasValues, false));
    const page = this.#arena.pages[pageOf(ref)]!;
    const start = wordAt(ref) * WORD_BYTES;
    const fieldAt = writeEntryHead(page.bytes, start, length, valueLength, this.hasValues, false);
    copyInto(page, fieldAt, field, at, length, sourcesScratch);
    chains.push(this.#missedHash, ref);
    this.#count += 1;
    return ref;
  }

  /** Gives the entry room for another value, for the caller to write; expiry stays unless it shall go. */
  resizeValue(ref: number, valueLength: number, keepsExpiry: boolean): number {
    const found = this.read(ref);
    const expires = keepsExpiry && found.expiryAt !== 0;
    const isSame = expires === (found.expiryAt !== 0) && found.valueLength === valueLength;
    if (isSame) return ref;
    return this.#tidy(this.#rebuild(ref, valueLength, expires));
  }

  /** Returns the expiry of the entry, or -1. */
  expiry(ref: number): number {
    return this.read(ref).expiry;
  }

  /** Sets when the entry expires, or with -1 that it does not. The entry may move. */
  setExpiry(ref: number, unixMs: number): number {
    const { expiryAt, valueLength } = this.read(ref);
    if (unixMs < 0) {
      return expiryAt === 0 ? ref : this.#tidy(this.#rebuild(ref, valueLength, false));
    }
    if (expiryAt !== 0) {
      writeExpiry(entryScratch.bytes, expiryAt, unixMs);
      this.#heap!.changed(entryScratch.heapIndex);
      return ref;
    }
    this.#heap ??= new ExpiryHeap(this);
    this.#heap.reserve();
    const next = this.#rebuild(ref, valueLength, true);
    const found = this.read(next);
    writeExpiry(found.bytes, found.expiryAt, unixMs);
    this.#heap.add(next);
    return this.#tidy(next);
  }

  /** For the heap: an entry's place in it. */
  setHeapIndex(ref: number, index: number): void {
    const found = this.read(ref);
    writeHeapIndex(found.bytes, found.expiryAt, index);
  }

  remove(ref: number): void {
    const found = this.read(ref);
    const { size } = found;
    if (found.expiryAt !== 0) this.#heap!.remove(found.heapIndex);
    this.#chains.lead(ref, this.#chains.next(ref));
    this.#chains.setNext(ref, GONE);
    this.#arena.release(ref, size);
    this.#count -= 1;
    this.#chains.shrink(this.#count);
    this.#tidy(0);
  }

  /** The first entry in memory, or 0. Walking so is far faster than by chains. */
  first(): number {
    return this.#liveFrom(0, 1);
  }

  /** The entry behind `ref` in memory, or 0. */
  next(ref: number): number {
    const { size } = this.read(ref);
    return this.#liveFrom(pageOf(ref), wordAt(ref) + size / WORD_BYTES);
  }

  /** An entry by chance, each as likely as the other; there is one. */
  random(random: () => number): number {
    return this.#chains.random(random);
  }

  /**
   * Visits entries from `cursor` on and returns the next cursor, 0 at the end. It stops after about `count` entries.
   * Entries that exist throughout are visited, even if the table changes meanwhile.
   */
  scan(cursor: number, count: number, visit: (ref: number) => void): number {
    return this.#chains.scan(cursor, count, visit);
  }

  /** A table that shares nothing with this one. */
  *copy(): Steps<PackedTable> {
    const copy = new PackedTable(this.secrets, this.hasValues);
    const { buckets, lengthMax } = this.#chains;
    const heapRefs = this.#heap === undefined ? NO_REFS : this.#heap.refs;
    const arena = yield* this.#arena.copy();
    copy.adopt(this.#count, arena, yield* buckets.copy(), heapRefs, lengthMax);
    return copy;
  }

  /** For this folder only: what a table is made of. */
  get parts(): { arena: Arena; buckets: Buckets; heapRefs: Int32Array; chainMax: number } {
    const { buckets, lengthMax } = this.#chains;
    const heapRefs = this.#heap === undefined ? NO_REFS : this.#heap.refs;
    return { arena: this.#arena, buckets, heapRefs, chainMax: lengthMax };
  }

  /** For this folder only: takes over such parts. */
  adopt(
    count: number,
    arena: Arena,
    buckets: Buckets,
    heapRefs: Int32Array,
    chainMax: number,
  ): void {
    this.#arena = arena;
    this.#chains = new Chains(arena, this, buckets, chainMax);
    this.#count = count;
    if (heapRefs.length === 0) return;
    this.#heap = new ExpiryHeap(this);
    this.#heap.assign(heapRefs);
  }

  /** For the chains: the hash of an entry's field. */
  hashOf(ref: number): number {
    const { bytes, fieldAt, fieldLength } = this.read(ref);
    return this.#hash(bytes, fieldAt, fieldLength);
  }

  #hash(bytes: Uint8Array, at: number, length: number): number {
    if (fieldHintScratch.isOf(this.secrets, bytes, at, length)) return fieldHintScratch.hash;
    return halfSipHash(this.#secret0, this.#secret1, bytes, at, length);
  }

  // Written out, since it runs for each step of a chain.
  #isField(own: Uint8Array, start: number, field: Uint8Array, at: number, length: number): boolean {
    let position = start + WORD_BYTES;
    const first = own[position]!;
    if (length > SHORT_FIELD_BYTES_MAX) {
      if (first < 0x80) return false;
      entryScratch.parse(own, start, this.hasValues);
      return (
        entryScratch.fieldLength === length &&
        sameBytes(own, entryScratch.fieldAt, field, at, length)
      );
    }
    if (first >>> 1 !== length) return false;
    position += 1;
    if (this.hasValues) {
      while (own[position]! >= 0x80) position += 1;
      position += 1;
    }
    if ((first & 1) === 1) position += EXPIRY_BYTES;
    for (let index = 0; index < length; index += 1) {
      if (own[position + index] !== field[at + index]) return false;
    }
    return true;
  }

  /** Recreates an entry with another value length, or with room for an expiry added or removed. */
  #rebuild(ref: number, valueLength: number, expires: boolean): number {
    const { bytes: from, fieldAt, fieldLength, valueAt, expiryAt, size } = this.read(ref);
    const oldLength = entryScratch.valueLength;
    const heapIndex = expiryAt === 0 ? -1 : entryScratch.heapIndex;
    const { hasValues } = this;
    const room = entryBytes(fieldLength, valueLength, hasValues, expires);
    const isAlike =
      expires === (expiryAt !== 0) && varintBytes(oldLength) === varintBytes(valueLength);
    const isInPlace = room === size && isAlike;
    const next = isInPlace ? ref : this.#arena.take(room);
    if (heapIndex >= 0 && !expires) this.#heap!.remove(heapIndex);
    if (isInPlace) {
      const start = wordAt(ref) * WORD_BYTES;
      writeEntryHead(from, start, fieldLength, valueLength, hasValues, expires);
      return ref;
    }
    // Taking room may have made the page larger, which leaves the old bytes as they were.
    const { bytes, words } = this.#arena.pages[pageOf(next)]!;
    const nextStart = wordAt(next) * WORD_BYTES;
    const target = writeEntryHead(bytes, nextStart, fieldLength, valueLength, hasValues, expires);
    copyBytes(from, fieldAt, bytes, target, fieldLength);
    copyBytes(from, valueAt, bytes, target + fieldLength, Math.min(oldLength, valueLength));
    words[wordAt(next)] = this.#chains.next(ref);
    this.#chains.lead(ref, next);
    if (expires && heapIndex >= 0) this.#moveExpiry(from, expiryAt, next, heapIndex);
    this.#chains.setNext(ref, GONE);
    this.#arena.release(ref, size);
    return next;
  }

  #moveExpiry(from: Uint8Array, expiryAt: number, next: number, heapIndex: number): void {
    const moved = this.read(next);
    for (let index = 0; index < moved.fieldAt - moved.expiryAt; index += 1) {
      moved.bytes[moved.expiryAt + index] = from[expiryAt + index]!;
    }
    this.#heap!.renamed(heapIndex, next);
  }

  /**
   * Moves what is left of a sparse page elsewhere, some entries with each call, when gaps are many and memory is there.
   * Returns where `kept` is now. The page goes with its last entry.
   */
  #tidy(kept: number): number {
    if (this.#emptying >= 0 && this.#arena.usedIn(this.#emptying) === 0) this.#emptying = -1;
    if (this.#emptying < 0) {
      if (!this.#arena.isSparse || this.#count === 0) return kept;
      this.#emptying = this.#arena.sparsePage();
      this.#emptyingAt = 1;
      if (this.#emptying < 0) return kept;
    }
    let keptNow = kept;
    let ref = this.#liveIn(this.#emptying, this.#emptyingAt);
    for (let moved = 0; ref !== 0 && moved < TIDY_ENTRIES_MAX; moved += 1) {
      const { size } = this.read(ref);
      const next = this.#moveEntry(ref);
      if (next === 0) return keptNow;
      if (ref === kept) keptNow = next;
      this.#chains.setNext(ref, GONE);
      this.#arena.release(ref, size);
      this.#emptyingAt = wordAt(ref) + size / WORD_BYTES;
      ref = this.#liveIn(this.#emptying, this.#emptyingAt);
    }
    if (ref === 0) this.#emptying = -1;
    return keptNow;
  }

  /** Moves an entry; returns 0 if there is no memory. */
  #moveEntry(ref: number): number {
    const { bytes: from, size, expiryAt } = this.read(ref);
    const heapIndex = expiryAt === 0 ? -1 : entryScratch.heapIndex;
    const next = this.#arena.takeIfAny(size);
    if (next === 0) return 0;
    const { bytes } = this.#arena.pages[pageOf(next)]!;
    copyBytes(from, wordAt(ref) * WORD_BYTES, bytes, wordAt(next) * WORD_BYTES, size);
    this.#chains.lead(ref, next);
    if (heapIndex >= 0) this.#heap!.renamed(heapIndex, next);
    this.onMove?.(ref, next);
    return next;
  }

  #liveFrom(page: number, word: number): number {
    let ref = this.#liveIn(page, word);
    for (let index = page + 1; ref === 0 && index < this.#arena.pages.length; index += 1) {
      ref = this.#liveIn(index, 1);
    }
    return ref;
  }

  /** The first entry of the page at or behind `word`, or 0. */
  #liveIn(index: number, word: number): number {
    const page = this.#arena.pages[index];
    if (page === undefined) return 0;
    const { bytes, words } = page;
    const end = page.used / WORD_BYTES;
    for (let at = word; at < end;) {
      if (words[at] !== GONE) return refOf(index, at);
      entryScratch.parse(bytes, at * WORD_BYTES, this.hasValues);
      at += entryScratch.size / WORD_BYTES;
    }
    return 0;
  }
}
