/**
 * One sorted set of a keyspace, whichever way it is kept: a listpack or a ranked table.
 *
 * One object serves a whole thread; it is pointed at the next sorted set by `open`. What it says of a
 * member is good until the next call that writes.
 *
 * Large because each operation on a sorted set works on both of its forms, which no caller is to know apart.
 */
import { type Bytes, reused, type SpanTaker } from '#base';
import { Encoding } from '../values/encodings.ts';
import type { PackedLimits } from '../values/packed-limits.ts';
import type { Piece } from '../values/piece.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListpackEntries } from '../listpack/listpack-entries.ts';
import type { Ref } from '../memory/segment.ts';
import { registerCodec } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { Span, valueScratch } from '../values/span.ts';
import { ValueType } from '../values/value-type.ts';
import { addScore, EMPTY_LISTPACK, PackedSortedSet } from './packed-sorted-set.ts';
import { rankedTableCodec } from './ranked-table-codec.ts';
import { RankedTable } from './ranked-table.ts';

registerCodec(ValueType.zset, Encoding.skiplist, rankedTableCodec);

const EMPTY = new Span(EMPTY_LISTPACK);
const { zset: type } = ValueType;
const PACKED = setOptions({ type, encoding: Encoding.listpack });
const RANKED = setOptions({ type, encoding: Encoding.skiplist });
const CONVERTED = setOptions({ type, encoding: Encoding.skiplist, keepTtl: true });
const entriesScratch = reused(new ListpackEntries());

export class SortedSetValue {
  ref: Ref = 0;
  /** The current member, after `read`. */
  bytes: Bytes = EMPTY_LISTPACK;
  at = 0;
  length = 0;
  #keyspace!: Keyspace;
  #limits: PackedLimits = { entries: 0, valueBytes: 0 };
  readonly #packed = new PackedSortedSet();
  #ranked: RankedTable | undefined;
  #rankedBytes = 0;
  /** Room was made for members that have still to come. */
  #hasSpare = false;
  /** The current member's entry, when `find` stepped to it; else the ranked table's own place counts. */
  #entry = 0;

  /** Points at the sorted set of a record. */
  open(keyspace: Keyspace, ref: Ref, limits: PackedLimits): this {
    this.#keyspace = keyspace;
    this.#limits = limits;
    this.ref = ref;
    if (keyspace.encoding(ref) === Encoding.skiplist) {
      this.#adopt(keyspace.object(ref) as RankedTable);
    } else {
      this.#ranked = undefined;
      this.#packed.open(keyspace, ref);
    }
    return this;
  }

  letGo(): void {
    this.#ranked = undefined;
    this.#packed.letGo();
    this.bytes = EMPTY_LISTPACK;
    this.length = 0;
  }

  /** Makes an empty sorted set of a key; it is a table at once when it is going to be one. */
  create(keyspace: Keyspace, key: Piece, limits: PackedLimits, isLarge: boolean): this {
    this.open(keyspace, keyspace.set(key, EMPTY, PACKED), limits);
    if (isLarge) this.#convert();
    return this;
  }

  get count(): number {
    return this.#ranked === undefined ? this.#packed.count : this.#ranked.count;
  }

  get isPacked(): boolean {
    return this.#ranked === undefined;
  }

  /** Moves to a member; returns true if it exists. */
  find(bytes: Bytes, at: number, length: number): boolean {
    if (this.#ranked === undefined) return this.#packed.find(bytes, at, length);
    this.#entry = this.#ranked.find(bytes, at, length);
    return this.#entry !== 0;
  }

  /** Moves to the member of this rank; returns false if there is none. */
  seek(rank: number): boolean {
    this.#entry = 0;
    return this.#ranked === undefined ? this.#packed.seek(rank) : this.#ranked.seek(rank);
  }

  /** Steps on from where `seek` stepped to. */
  next(): boolean {
    return this.#ranked === undefined ? this.#packed.next() : this.#ranked.next();
  }

  prev(): boolean {
    return this.#ranked === undefined ? this.#packed.prev() : this.#ranked.prev();
  }

  /**
   * Passes `count` members to the taker, from the one of this rank on, or backwards with `isDown`; all of them must
   * exist. There is no current member afterwards.
   */
  each(rank: number, count: number, isDown: boolean, taker: SpanTaker): void {
    if (count === 0) return;
    this.seek(rank);
    if (this.#ranked !== undefined) {
      this.#ranked.each(count, isDown, taker);
      return;
    }
    const packed = this.#packed;
    for (let left = count; left > 0; left -= 1) {
      packed.read();
      taker.bulk(packed.bytes, packed.at, packed.length);
      if (isDown) packed.prev();
      else packed.next();
    }
  }

  /** The score of the current member. */
  get score(): number {
    if (this.#ranked === undefined) return this.#packed.score;
    return this.#entry === 0 ? this.#ranked.score : this.#ranked.scoreOf(this.#entry);
  }

  /** Number of members before the current one. */
  get rank(): number {
    if (this.#ranked === undefined) return this.#packed.rank;
    return this.#ranked.rankOf(this.#current(this.#ranked));
  }

  /** Points `bytes`, `at` and `length` at the current member. */
  read(): void {
    if (this.#ranked === undefined) {
      const packed = this.#packed;
      packed.read();
      this.#point(packed.bytes, packed.at, packed.length);
    } else {
      const ranked = this.#ranked;
      ranked.readEntry(this.#current(ranked));
      this.#point(ranked.bytes, ranked.at, ranked.length);
    }
  }

  /** Counts members with a lower score; `withEqual` counts those with that score too. */
  countBelow(score: number, withEqual: boolean): number {
    const holder = this.#ranked ?? this.#packed;
    return holder.countBelow(score, withEqual);
  }

  /** Counts members that come before these bytes; `withEqual` counts these bytes too. Members must be in order. */
  countBefore(bytes: Bytes, withEqual: boolean): number {
    const holder = this.#ranked ?? this.#packed;
    return holder.countBefore(bytes, withEqual);
  }

  /** Prepares for `newMembers` members: converts to a table if they alone exceed a listpack; makes room in a table. */
  expect(newMembers: number): void {
    if (this.#ranked === undefined && newMembers > this.#limits.entries) this.#convert();
    if (this.#ranked === undefined || newMembers <= this.#ranked.table.count) return;
    this.#ranked.table.expect(newMembers);
    this.#hasSpare = true;
    this.#post();
  }

  /** Gives back the room of members that were expected and have not come. */
  fit(): void {
    if (!this.#hasSpare) return;
    this.#hasSpare = false;
    if (this.#ranked === undefined) return;
    this.#ranked.table.fit();
    this.#post();
  }

  /** Adds a member that the last `find` looked for in vain. */
  add(bytes: Bytes, at: number, length: number, score: number): void {
    if (this.#ranked !== undefined) {
      this.#ranked.addMissed(bytes, at, length, score);
    } else {
      const { entries: most, valueBytes } = this.#limits;
      if (this.#packed.count < most && length <= valueBytes) {
        this.#packed.add(bytes, at, length, score);
        this.ref = this.#packed.ref;
        return;
      }
      this.#convert();
      this.#ranked!.add(bytes, at, length, score);
    }
    this.#post();
  }

  /** Gives the current member, which has these bytes, another score. */
  update(bytes: Bytes, at: number, length: number, score: number): void {
    if (this.#ranked === undefined) {
      this.#packed.remove(1);
      this.#packed.add(bytes, at, length, score);
      this.ref = this.#packed.ref;
    } else {
      this.#ranked.update(this.#entry, score);
      this.#post();
    }
  }

  /** Takes the current member out. An empty sorted set is the caller's to remove. */
  remove(): void {
    if (this.#ranked === undefined) {
      this.#packed.remove(1);
      this.ref = this.#packed.ref;
    } else {
      this.#ranked.remove(this.#current(this.#ranked));
      this.#post();
    }
  }

  /** Takes out `count` members from `rank` on. */
  removeRange(rank: number, count: number): void {
    if (count === 0) return;
    this.seek(rank);
    if (this.#ranked === undefined) {
      this.#packed.remove(count);
      this.ref = this.#packed.ref;
      return;
    }
    for (let left = count; left > 0; left -= 1) {
      this.#ranked.seek(rank);
      this.#ranked.remove(this.#ranked.entry);
    }
    this.#post();
  }

  /** Calls back at each of about `count` members from the cursor on; returns the next cursor. */
  scan(cursor: number, count: number, visit: () => void): number {
    if (this.#ranked === undefined) {
      for (let more = this.#packed.seek(0); more; more = this.#packed.next()) visit();
      return 0;
    }
    return this.#ranked.table.scan(cursor, count, (entry) => {
      this.#entry = entry;
      visit();
    });
  }

  #current(ranked: RankedTable): number {
    return this.#entry === 0 ? ranked.entry : this.#entry;
  }

  #adopt(ranked: RankedTable): void {
    this.#ranked = ranked;
    this.#rankedBytes = ranked.totalBytes;
    this.#entry = 0;
  }

  #point(bytes: Bytes, at: number, length: number): void {
    this.bytes = bytes;
    this.at = at;
    this.length = length;
  }

  #convert(): void {
    const keyspace = this.#keyspace;
    const packed = this.#packed;
    const ranked = new RankedTable(keyspace.createTable(true));
    for (let more = packed.seek(0); more; more = packed.next()) {
      const { score } = packed;
      packed.read();
      ranked.add(packed.bytes, packed.at, packed.length, score);
    }
    this.ref = keyspace.setObject(keyspace.key(packed.ref), ranked, ranked.totalBytes, CONVERTED);
    this.#adopt(ranked);
  }

  /** Reports the memory of the ranked table to the store. */
  #post(): void {
    const { totalBytes } = this.#ranked!;
    if (totalBytes === this.#rankedBytes) return;
    this.#keyspace.addObjectBytes(this.ref, totalBytes - this.#rankedBytes);
    this.#rankedBytes = totalBytes;
  }
}

/** Stores a finished sorted set under a key, whose value and expiry go: as a listpack if it fits. */
export function storeSortedSet(
  keyspace: Keyspace,
  key: Piece,
  ranked: RankedTable,
  limits: PackedLimits,
): void {
  const packed = packedOrNone(ranked, limits);
  if (packed === undefined) keyspace.setObject(key, ranked, ranked.totalBytes, RANKED);
  else keyspace.set(key, valueScratch.all(packed), PACKED);
}

function packedOrNone(ranked: RankedTable, limits: PackedLimits): Bytes | undefined {
  if (ranked.count > limits.entries) return undefined;
  entriesScratch.clear();
  for (let more = ranked.seek(0); more; more = ranked.next()) {
    ranked.read();
    if (ranked.length > limits.valueBytes) return undefined;
    entriesScratch.add(ranked.bytes, ranked.at, ranked.length);
    addScore(entriesScratch, ranked.score);
  }
  return entriesScratch.toListpack();
}
