/**
 * A small sorted set: members and scores by turns in a listpack, in order.
 *
 * Scores are integers where Redis keeps them so, and text else. One object serves a whole thread.
 */
import { type Bytes, formatDouble, reused } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListpackEntries, spliceRecord } from '../listpack/listpack-entries.ts';
import { Listpack } from '../listpack/listpack.ts';
import type { Ref } from '../memory/segment.ts';
import { compareParts } from './compare-parts.ts';

const entriesScratch = reused(new ListpackEntries());
export const EMPTY_LISTPACK = entriesScratch.clear().toListpack();

/** Integers up to here are kept as integers. */
const INTEGER_MAX = 2 ** 62;

export class PackedSortedSet {
  ref: Ref = 0;
  /** The current member, after `read`. */
  bytes: Bytes = EMPTY_LISTPACK;
  at = 0;
  length = 0;
  #keyspace!: Keyspace;
  /** Stands at the current member. */
  readonly #cursor = new Listpack();

  open(keyspace: Keyspace, ref: Ref): void {
    this.#keyspace = keyspace;
    this.ref = ref;
    this.#cursor.pointAt(keyspace.value(ref));
  }

  letGo(): void {
    this.#cursor.letGo();
    this.bytes = EMPTY_LISTPACK;
    this.length = 0;
  }

  get count(): number {
    return this.#cursor.count / 2;
  }

  /** Moves to a member; returns true if it exists. */
  find(bytes: Bytes, at: number, length: number): boolean {
    return this.#cursor.first() && this.#cursor.find(bytes, at, length, 2);
  }

  /** The score of the current member. */
  get score(): number {
    const cursor = this.#cursor;
    const { position } = cursor;
    cursor.next();
    const score = cursor.isInteger ? cursor.integer : Number(scoreText(cursor));
    cursor.position = position;
    return score;
  }

  /** Points `bytes`, `at` and `length` at the current member. */
  read(): void {
    this.#cursor.read();
    this.bytes = this.#cursor.text;
    this.at = this.#cursor.textAt;
    this.length = this.#cursor.textLength;
  }

  seek(rank: number): boolean {
    return rank >= 0 && this.#cursor.seek(rank * 2);
  }

  next(): boolean {
    return this.#cursor.next() && this.#cursor.next();
  }

  prev(): boolean {
    return this.#cursor.prev() && this.#cursor.prev();
  }

  /** Number of members before the current one. */
  get rank(): number {
    const { position } = this.#cursor;
    let rank = 0;
    for (let more = this.#cursor.first(); more; more = this.next()) {
      if (this.#cursor.position === position) break;
      rank += 1;
    }
    return rank;
  }

  /** Counts members with a lower score; `withEqual` counts those with that score too. */
  countBelow(score: number, withEqual: boolean): number {
    let count = 0;
    for (let more = this.#cursor.first(); more; more = this.next()) {
      const found = this.score;
      if (withEqual ? found > score : found >= score) break;
      count += 1;
    }
    return count;
  }

  /** Counts members at the beginning that come before these bytes; `withEqual` counts these bytes too. */
  countBefore(bytes: Bytes, withEqual: boolean): number {
    let count = 0;
    for (let more = this.#cursor.first(); more; more = this.next()) {
      const order = this.#compare(bytes, 0, bytes.length);
      if (withEqual ? order > 0 : order >= 0) break;
      count += 1;
    }
    return count;
  }

  /** Adds a member that is not there. */
  add(bytes: Bytes, at: number, length: number, score: number): void {
    const cursor = this.#cursor;
    let offset = -1;
    for (let more = cursor.first(); more; more = this.next()) {
      const found = this.score;
      if (found > score || (found === score && this.#compare(bytes, at, length) > 0)) {
        offset = cursor.offset;
        break;
      }
    }
    entriesScratch.clear().add(bytes, at, length);
    addScore(entriesScratch, score);
    this.#splice(offset < 0 ? cursor.endOffset : offset, 0, 0);
  }

  /** Takes out `count` members from the current one on. */
  remove(count: number): void {
    const cursor = this.#cursor;
    const from = cursor.offset;
    let end = cursor.endOffset;
    for (let left = count, more = true; more && left > 0; left -= 1) {
      more = this.next();
      if (more) end = cursor.offset;
      else end = cursor.endOffset;
    }
    entriesScratch.clear();
    this.#splice(from, end - from, count * 2);
  }

  #compare(bytes: Bytes, at: number, length: number): number {
    const cursor = this.#cursor;
    cursor.read();
    return compareParts(cursor.text, cursor.textAt, cursor.textLength, bytes, at, length);
  }

  #splice(offset: number, bytes: number, count: number): void {
    this.ref = spliceRecord(this.#keyspace, this.ref, { offset, bytes, count }, entriesScratch);
    this.#cursor.pointAt(this.#keyspace.value(this.ref));
  }
}

/** Adds a score as a listpack of a sorted set holds it. */
export function addScore(target: ListpackEntries, score: number): void {
  if (Number.isSafeInteger(score)) {
    target.addInteger(score === 0 ? 0 : score);
  } else if (Number.isInteger(score) && Math.abs(score) <= INTEGER_MAX) {
    target.addInteger64(BigInt(score));
  } else {
    target.add(Buffer.from(formatDouble(score), 'latin1'));
  }
}

function scoreText(cursor: Listpack): string {
  const text = cursor.latin1();
  if (text === 'inf') return 'Infinity';
  return text === '-inf' ? '-Infinity' : text;
}
