/**
 * A large sorted set: a table from members to scores, and a tree that has them in order.
 *
 * An entry of the table is named by its reference in both. No operation does more than a bucket's
 * splitting, a node's splitting on each level, or the emptying of one page of the table.
 *
 * Large because its codec and the walks of others read the table and the tree, besides the members of a sorted set.
 */
import { type Bytes, Spans, type SpanTaker, type Steps } from '#base';
import type { PackedTable } from '../table/packed-table.ts';
import { compareParts } from './compare-parts.ts';
import { SLOTS } from './node-pages.ts';
import { ScoreTree, TreePlace, type SlotOrder } from './score-tree.ts';

const SCORE_BYTES = 8;
/** This object and what belongs to it, without what the parts count themselves (measured). */
const RANKED_OVERHEAD_BYTES = 800;

const scoreWordsScratch = new Int32Array(2);
const scoreDoubleScratch = new Float64Array(scoreWordsScratch.buffer);

/** Stands before or behind all members of a score. */
class EqualScores implements SlotOrder {
  sign = 1;

  compareSlot(): number {
    return this.sign;
  }
}

const equalScoresScratch = new EqualScores();
/** The members of a leaf. */
const spansScratch = new Spans(SLOTS);

const NO_BYTES: Bytes = new Uint8Array(0);

export class RankedTable implements SlotOrder {
  readonly table: PackedTable;
  readonly tree: ScoreTree;
  /** The member that `seek`, `next` and `prev` stepped to, after `read`. */
  bytes: Bytes = NO_BYTES;
  at = 0;
  length = 0;
  readonly #place = new TreePlace();
  // The member that the tree looks for.
  #wanted: Bytes = this.bytes;
  #wantedAt = 0;
  #wantedLength = 0;

  constructor(table: PackedTable, tree = new ScoreTree()) {
    this.table = table;
    this.tree = tree;
    table.onMove = (_ref, next) => {
      this.#wantEntry(next);
      this.tree.rename(this.scoreOf(next), next, this);
    };
  }

  get count(): number {
    return this.table.count;
  }

  /** All memory that the set takes. */
  get totalBytes(): number {
    return RANKED_OVERHEAD_BYTES + this.table.bytes + this.tree.bytes;
  }

  /** The entry of a member, or 0. */
  find(bytes: Bytes, at: number, length: number): number {
    return this.table.find(bytes, at, length);
  }

  scoreOf(entry: number): number {
    const { bytes, valueAt } = this.table.read(entry);
    scoreWordsScratch[0] = readWord(bytes, valueAt);
    scoreWordsScratch[1] = readWord(bytes, valueAt + 4);
    return scoreDoubleScratch[0]!;
  }

  /** Adds a member that is not there. */
  add(bytes: Bytes, at: number, length: number, score: number): void {
    this.#enter(this.table.add(bytes, at, length, SCORE_BYTES), score);
  }

  /** Adds a member that the last `find` did not find. */
  addMissed(bytes: Bytes, at: number, length: number, score: number): void {
    this.#enter(this.table.addMissed(bytes, at, length, SCORE_BYTES), score);
  }

  /** Gives the member of an entry another score. */
  update(entry: number, score: number): void {
    const before = this.scoreOf(entry);
    this.tree.reserveLeaf();
    this.#wantEntry(entry);
    this.tree.remove(before, this);
    this.#writeScore(entry, score);
    this.tree.insert(score, entry, this);
  }

  remove(entry: number): void {
    const score = this.scoreOf(entry);
    this.#wantEntry(entry);
    this.tree.remove(score, this);
    this.table.remove(entry);
    // A long member has its own memory, which nothing leads to any more.
    this.#want(NO_BYTES, 0, 0);
    this.bytes = NO_BYTES;
  }

  /** Returns how many members come before that of the entry. */
  rankOf(entry: number): number {
    const score = this.scoreOf(entry);
    this.#wantEntry(entry);
    return this.tree.rank(score, this);
  }

  /** Counts members with a lower score; `withEqual` counts those with that score too. */
  countBelow(score: number, withEqual: boolean): number {
    equalScoresScratch.sign = withEqual ? -1 : 1;
    return this.tree.rank(score, equalScoresScratch);
  }

  /** Counts members that come before these bytes; `withEqual` counts these bytes too. Members must be in order. */
  countBefore(bytes: Bytes, withEqual: boolean): number {
    this.#want(bytes, 0, bytes.length);
    const before = this.tree.rankByMember(this);
    this.#want(NO_BYTES, 0, 0);
    if (!withEqual || before === this.count) return before;
    this.seek(before);
    this.read();
    const isEqual = compareParts(this.bytes, this.at, this.length, bytes, 0, bytes.length) === 0;
    return isEqual ? before + 1 : before;
  }

  /** Moves to the member of this rank; returns false if there is none. */
  seek(rank: number): boolean {
    if (rank < 0 || rank >= this.count) return false;
    this.tree.seek(rank, this.#place);
    return true;
  }

  next(): boolean {
    return this.tree.next(this.#place);
  }

  prev(): boolean {
    return this.tree.prev(this.#place);
  }

  /**
   * Passes `members` members to the taker, from the current one on, or backwards with `isDown`; all of them must exist.
   */
  each(members: number, isDown: boolean, taker: SpanTaker): void {
    const { table, tree } = this;
    const place = this.#place;
    const step = isDown ? -1 : 1;
    for (let left = members; left > 0;) {
      const count = Math.min(left, tree.runLength(place, isDown));
      const first = tree.refIndex(place);
      table.locateFields({ words: tree.leafWords(place), first, step, count }, spansScratch);
      taker.bulks(spansScratch);
      left -= count;
      tree.skip(place, step * count);
    }
    spansScratch.clear();
  }

  /** The score of the member stepped to. */
  get score(): number {
    return this.tree.score(this.#place);
  }

  /** The entry of the member stepped to. */
  get entry(): number {
    return this.tree.ref(this.#place);
  }

  /** Points `bytes`, `at` and `length` at the member stepped to. */
  read(): void {
    this.readEntry(this.entry);
  }

  readEntry(entry: number): void {
    const { bytes, fieldAt, fieldLength } = this.table.read(entry);
    this.bytes = bytes;
    this.at = fieldAt;
    this.length = fieldLength;
  }

  *copy(): Steps<RankedTable> {
    return new RankedTable(yield* this.table.copy(), yield* this.tree.copy());
  }

  /** For the tree: compares the member of a slot with the one that it looks for. */
  compareSlot(ref: number): number {
    const { bytes, fieldAt, fieldLength } = this.table.read(ref);
    return compareParts(
      bytes,
      fieldAt,
      fieldLength,
      this.#wanted,
      this.#wantedAt,
      this.#wantedLength,
    );
  }

  #enter(entry: number, score: number): void {
    this.#writeScore(entry, score);
    this.#wantEntry(entry);
    try {
      this.tree.insert(score, entry, this);
    } catch (error) {
      // There is no memory for its place: the member is not added.
      this.table.remove(entry);
      throw error;
    }
  }

  #want(bytes: Bytes, at: number, length: number): void {
    this.#wanted = bytes;
    this.#wantedAt = at;
    this.#wantedLength = length;
  }

  #wantEntry(entry: number): void {
    const { bytes, fieldAt, fieldLength } = this.table.read(entry);
    this.#want(bytes, fieldAt, fieldLength);
  }

  #writeScore(entry: number, score: number): void {
    const { bytes, valueAt } = this.table.read(entry);
    scoreDoubleScratch[0] = score;
    writeWord(bytes, valueAt, scoreWordsScratch[0]!);
    writeWord(bytes, valueAt + 4, scoreWordsScratch[1]!);
  }
}

function readWord(bytes: Bytes, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

function writeWord(bytes: Bytes, at: number, word: number): void {
  bytes[at] = word;
  bytes[at + 1] = word >>> 8;
  bytes[at + 2] = word >>> 16;
  bytes[at + 3] = word >>> 24;
}
