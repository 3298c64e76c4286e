/**
 * Sizes of keys, and their memory: counts by type and power of two, for each database.
 *
 * Counted by walking all keys in slices, again and again while keys change. Counting at each write would cost every
 * LPUSH and HSET a second look at the key, for a figure that is seldom read; what a walk finds is exact for keys that
 * have not changed meanwhile.
 */
import { KEY_PREFIXES_MAX, type PrefixMatcher } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { sizeOf } from './value-count.ts';
import type { Ref } from '../memory/segment.ts';
import type { Databases } from '../keyspace/databases.ts';

/** Rows of one database: of the sizes by number of type less one, and after those of the bytes in memory likewise. */
const TYPES = 6;
const KEY_SIZES_TYPES = 2 * TYPES;
/** Sizes of 0, 1, 2 to 3, 4 to 7 and so on: the last row has sizes from 2^38 on. */
export const KEY_SIZES_ROWS = 40;
export const KEY_SIZES_CELLS = KEY_SIZES_TYPES * KEY_SIZES_ROWS;

const NOTHING = new Float64Array(0);

/** Keys visited between two looks at the clock. */
const STEP_KEYS = 64;

/** The row of a size: 0 for none, else one more than the power of two that it reaches. */
function rowOf(size: number): number {
  return size < 1 ? 0 : Math.min(KEY_SIZES_ROWS - 1, Math.floor(Math.log2(size)) + 1);
}

export class KeySizes {
  readonly #store: Databases;
  readonly #counts: Float64Array;
  #database = 0;
  #cursor = 0;
  #prefixes: PrefixMatcher | undefined;
  #prefixKeys = NOTHING;
  #prefixBytes = NOTHING;

  constructor(store: Databases) {
    this.#store = store;
    this.#counts = new Float64Array(KEY_SIZES_CELLS * store.databases.length);
  }

  /** Counted so far; complete when `slice` says so. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** Counts keys and their memory by prefix, too, or no longer; what was counted so far is void. */
  set prefixes(prefixes: PrefixMatcher | undefined) {
    this.#prefixes = prefixes;
    this.#prefixKeys = prefixes === undefined ? NOTHING : new Float64Array(KEY_PREFIXES_MAX + 1);
    this.#prefixBytes = prefixes === undefined ? NOTHING : new Float64Array(KEY_PREFIXES_MAX + 1);
    this.restart();
  }

  /** Keys with each prefix, and after those the keys with none. */
  get prefixKeys(): Float64Array {
    return this.#prefixKeys;
  }

  /** Bytes that they cost, with their share of the indexes. */
  get prefixBytes(): Float64Array {
    return this.#prefixBytes;
  }

  /** Restarts the scan. */
  restart(): void {
    this.#counts.fill(0);
    this.#prefixKeys.fill(0);
    this.#prefixBytes.fill(0);
    this.#database = 0;
    this.#cursor = 0;
  }

  /** Counts on until the time is over; returns whether everything was visited. */
  slice(nowUs: () => number, budgetUs: number): boolean {
    const { databases } = this.#store;
    const endUs = nowUs() + budgetUs;
    while (this.#database < databases.length) {
      const keyspace = databases[this.#database]!;
      const base = KEY_SIZES_CELLS * this.#database;
      this.#cursor = keyspace.scan(this.#cursor, STEP_KEYS, (ref) => {
        const type = keyspace.type(ref) - 1;
        this.#count(base + KEY_SIZES_ROWS * type + rowOf(sizeOf(keyspace, ref)));
        const memoryRow = rowOf(keyspace.recordBytes(ref));
        this.#count(base + KEY_SIZES_ROWS * (TYPES + type) + memoryRow);
        if (this.#prefixes !== undefined) this.#countPrefix(this.#prefixes, keyspace, ref);
      });
      if (this.#cursor === 0) this.#database += 1;
      if (nowUs() >= endUs) break;
    }
    return this.#database >= databases.length;
  }

  #count(cell: number): void {
    this.#counts[cell] = this.#counts[cell]! + 1;
  }

  #countPrefix(prefixes: PrefixMatcher, keyspace: Keyspace, ref: Ref): void {
    const { bytes, at, length } = keyspace.key(ref);
    const row = prefixes.match(bytes, at, length);
    this.#prefixKeys[row] = this.#prefixKeys[row]! + 1;
    this.#prefixBytes[row] = this.#prefixBytes[row]! + keyspace.recordBytes(ref);
  }
}
