/**
 * The shared statistics page of one thread: written by that thread only, read by all.
 *
 * Everything is a double on an 8-byte boundary, which the machines we run on store and load whole, so
 * a reader sees a value that was true a moment ago and never half of one. A counter is exact up to 2^53.
 *
 *   area         doubles                         what
 *   counters     COUNTERS.length                 by name
 *   databases    6 x databases                   keys, keys with a TTL, hashes with fields that expire, mean of the
 *                                                expiries, bytes of the index of keys and of those of what expires
 *   commands     COMMAND_FIELDS x commands       calls, ticks, failed, rejected
 *   errors       error codes                     error replies by code
 *   made up      MADE_UP_CELLS                   error replies by codes that scripts make up (main, shards)
 *   bands        BAND_ROWS_MAX                   requests within each latency band, not cumulative
 *   key sizes    KEY_SIZES_CELLS x databases     keys by type and size, and by type and memory (shards)
 *   prefixes     PREFIX_FIELDS x PREFIX_ROWS     use and size of keys by configured prefix (shards)
 *   users        USER_FIELDS x USER_ROWS         what users have done (main, shards)
 *   queue        HISTOGRAM_BUCKETS               histogram of the queue phase (main: of the reply phase;
 *                                                front threads: of the front phase, by main)
 *   loop         HISTOGRAM_BUCKETS               how late the event loop comes round (shards: length of a round)
 *   scatter      HISTOGRAM_BUCKETS               main: from sending a gathered command to its last part
 *   histograms   HISTOGRAM_BUCKETS x commands    histogram of the execute phase
 *
 * Large because only this class knows where in the page the areas lie: each has a member or two to count and to read
 * it.
 */

import { AT, COUNTERS, RESETTABLE } from './counters.ts';
import { bucketOf, HISTOGRAM_BUCKETS, TICKS_PER_US, type Counts } from './histogram.ts';
import { MADE_UP_CELLS, MadeUpErrors } from './made-up-errors.ts';
import { PREFIX_FIELDS, PREFIX_ROWS, PrefixField } from './prefix-rows.ts';
import { DEFAULT_USER_ROW, USER_FIELDS, USER_RESETS, USER_ROWS, UserField } from './user-rows.ts';
import type { Counter } from '#quantities';

/** Phases of the server, from its start to its end, as main's `phase` says. */
export const Phase = { starting: 0, ready: 1, stopping: 2 } as const;

/** Fields of a command's row. */
export const CommandField = { calls: 0, ticks: 1, failed: 2, rejected: 3 } as const;
const COMMAND_FIELDS = 4;
const DATABASE_FIELDS = 6;

/** Types in the key sizes of one database, twice: for sizes and for bytes in memory; and rows of each. */
const TYPES = 6;
export const KEY_SIZES_TYPES = 2 * TYPES;
export const KEY_SIZES_ROWS = 40;
const KEY_SIZES_CELLS = KEY_SIZES_TYPES * KEY_SIZES_ROWS;

/** Maximum number of latency bands, plus one row for requests over the last threshold. */
export const BAND_ROWS_MAX = 33;

export interface PageShape {
  databases: number;
  commands: number;
  errorCodes: number;
}

/** Pages by the names of their threads. */
export type NamedPages = readonly (readonly [thread: string, page: Page])[];

/** Shape of the page of a thread that neither runs commands nor holds keys: a front thread, the ops thread. */
export const THREAD_SHAPE: PageShape = { databases: 0, commands: 0, errorCodes: 0 };

export class Page {
  readonly values: Float64Array;
  readonly madeUpErrors: MadeUpErrors;
  readonly #databases: number;
  readonly #commands: number;
  readonly #errors: number;
  readonly #bands: number;
  readonly #keySizes: number;
  readonly #prefixes: number;
  readonly #users: number;
  readonly #queue: number;
  readonly #loop: number;
  readonly #scatter: number;
  readonly #histograms: number;

  /** Bytes of a page: what must be allocated for it. */
  static bytes(shape: PageShape): number {
    return new Page(shape).#end * Float64Array.BYTES_PER_ELEMENT;
  }

  readonly #end: number;

  /** A page over `memory`, or only its measure. */
  constructor(shape: PageShape, memory?: ArrayBufferLike) {
    let at: number = COUNTERS.length;
    const take = (count: number): number => {
      const start = at;
      at += count;
      return start;
    };
    this.#databases = take(DATABASE_FIELDS * shape.databases);
    this.#commands = take(COMMAND_FIELDS * shape.commands);
    this.#errors = take(shape.errorCodes);
    const madeUp = take(shape.commands === 0 ? 0 : MADE_UP_CELLS);
    this.#bands = take(BAND_ROWS_MAX);
    this.#keySizes = take(KEY_SIZES_CELLS * shape.databases);
    this.#prefixes = take(PREFIX_FIELDS * PREFIX_ROWS);
    this.#users = take(shape.commands === 0 ? 0 : USER_FIELDS * USER_ROWS);
    this.#queue = take(HISTOGRAM_BUCKETS);
    this.#loop = take(HISTOGRAM_BUCKETS);
    this.#scatter = take(HISTOGRAM_BUCKETS);
    this.#histograms = take(HISTOGRAM_BUCKETS * shape.commands);
    this.#end = at;
    this.values = memory === undefined ? new Float64Array(0) : new Float64Array(memory);
    this.madeUpErrors = new MadeUpErrors(this.values, madeUp);
  }

  get(counter: Counter): number {
    return this.values[AT[counter]]!;
  }

  set(counter: Counter, value: number): void {
    this.values[AT[counter]] = value;
  }

  add(counter: Counter, amount: number): void {
    const at = AT[counter];
    this.values[at] = this.values[at]! + amount;
  }

  keys(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database]!;
  }

  expires(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database + 1]!;
  }

  /** Hashes with fields that expire. */
  fieldExpires(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database + 2]!;
  }

  /** Returns the average expiry of keys that have one, in Unix milliseconds. */
  meanExpiry(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database + 3]!;
  }

  /** Bytes of the index of keys. */
  keyIndexBytes(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database + 4]!;
  }

  /** Bytes of the indexes of keys that expire, and of hashes with fields that do. */
  expiryIndexBytes(database: number): number {
    return this.values[this.#databases + DATABASE_FIELDS * database + 5]!;
  }

  setIndexBytes(database: number, keys: number, expiries: number): void {
    const at = this.#databases + DATABASE_FIELDS * database;
    this.values[at + 4] = keys;
    this.values[at + 5] = expiries;
  }

  setDatabase(
    database: number,
    keys: number,
    expires: number,
    fieldExpires: number,
    meanExpiry = 0,
  ): void {
    const at = this.#databases + DATABASE_FIELDS * database;
    this.values[at] = keys;
    this.values[at + 1] = expires;
    this.values[at + 2] = fieldExpires;
    this.values[at + 3] = meanExpiry;
  }

  /** Shows key sizes of a walk that is complete. */
  setKeySizes(counts: Float64Array): void {
    this.values.set(counts, this.#keySizes);
  }

  /** Keys of a type (a number of ValueType) in a row of sizes. */
  keySizes(database: number, type: number, row: number): number {
    return this.values[
      this.#keySizes + KEY_SIZES_CELLS * database + KEY_SIZES_ROWS * (type - 1) + row
    ]!;
  }

  /** Keys of a type (a number of ValueType) in a row of bytes in memory. */
  keyMemorySizes(database: number, type: number, row: number): number {
    return this.keySizes(database, TYPES + type, row);
  }

  /** Returns the place in `values` where the fields of a prefix begin, the first of which counts uses. */
  prefixCell(row: number): number {
    return this.#prefixes + PREFIX_FIELDS * row;
  }

  /** Adds to a field (of UserField) of a user's row; the default user's is what is left of the totals. */
  countUser(row: number, field: number, amount: number): void {
    if (row === DEFAULT_USER_ROW) return;
    const at = this.#users + USER_FIELDS * row + field;
    this.values[at] = this.values[at]! + amount;
  }

  setUser(row: number, field: number, value: number): void {
    this.values[this.#users + USER_FIELDS * row + field] = value;
  }

  user(row: number, field: number): number {
    return this.values[this.#users + USER_FIELDS * row + field]!;
  }

  /** Row of the user of the current command, which also counts its time and errors. */
  actor = DEFAULT_USER_ROW;

  /** True while executions are counted in histograms (`latency-tracking`). */
  tracksLatency = true;

  /** Counts one execution of a command. */
  executed(command: number, ticks: number): void {
    const { values } = this;
    const row = this.#commands + COMMAND_FIELDS * command;
    values[row] = values[row]! + 1;
    values[row + CommandField.ticks] = values[row + CommandField.ticks]! + ticks;
    if (this.actor !== DEFAULT_USER_ROW) this.countUser(this.actor, UserField.timeUs, ticks);
    if (!this.tracksLatency) return;
    const bucket = this.#histograms + HISTOGRAM_BUCKETS * command + bucketOf(ticks);
    values[bucket] = values[bucket]! + 1;
  }

  /** Counts commands that were logged as slow: their sum, and the longest. */
  slow(us: number, mostUs = us, count = 1): void {
    const { values } = this;
    values[AT.slowCommands] = values[AT.slowCommands]! + count;
    values[AT.slowCommandUs] = values[AT.slowCommandUs]! + us;
    if (mostUs > values[AT.slowCommandUsMax]!) values[AT.slowCommandUsMax] = mostUs;
  }

  failed(command: number): void {
    this.#addToCommand(command, CommandField.failed);
  }

  rejected(command: number): void {
    this.#addToCommand(command, CommandField.rejected);
  }

  command(command: number, field: keyof typeof CommandField): number {
    return this.values[this.#commands + COMMAND_FIELDS * command + CommandField[field]]!;
  }

  countError(code: number): void {
    this.values[this.#errors + code] = this.values[this.#errors + code]! + 1;
  }

  errorCount(code: number): number {
    return this.values[this.#errors + code]!;
  }

  countBand(row: number): void {
    this.values[this.#bands + row] = this.values[this.#bands + row]! + 1;
  }

  band(row: number): number {
    return this.values[this.#bands + row]!;
  }

  /** Counts bands from zero, under a new number. */
  clearBands(generation: number): void {
    this.set('bandsGeneration', generation);
    this.values.fill(0, this.#bands, this.#bands + BAND_ROWS_MAX);
  }

  /** Counts the queue phase of a request (in main: the reply phase). */
  queued(ticks: number): void {
    const bucket = this.#queue + bucketOf(ticks);
    this.values[bucket] = this.values[bucket]! + 1;
  }

  /** Counts the front phase: the time that main was waited for by what a front thread had read. Only main calls it. */
  waitedForMain(us: number): void {
    this.queued(us * TICKS_PER_US);
    this.add('frontWaitUs', us);
  }

  /** The wait for a shard by two threads' clocks; 0, and counted, where they make it negative. */
  waited(us: number): number {
    if (us >= 0) return us;
    this.values[AT.clampedWaits] = this.values[AT.clampedWaits]! + 1;
    return 0;
  }

  get queueHistogram(): Counts {
    return this.values.subarray(this.#queue, this.#queue + HISTOGRAM_BUCKETS);
  }

  /** Counts how late the event loop was; in a shard, how long a round was. */
  looped(us: number): void {
    const { values } = this;
    const bucket = this.#loop + bucketOf(us * TICKS_PER_US);
    values[bucket] = values[bucket]! + 1;
    values[AT.loopUs] = values[AT.loopUs]! + us;
  }

  get loopHistogram(): Counts {
    return this.values.subarray(this.#loop, this.#loop + HISTOGRAM_BUCKETS);
  }

  /** Counts a gathered command whose parts have all arrived. */
  gathered(us: number): void {
    const { values } = this;
    const bucket = this.#scatter + bucketOf(us * TICKS_PER_US);
    values[bucket] = values[bucket]! + 1;
    values[AT.scatterUs] = values[AT.scatterUs]! + us;
  }

  get scatterHistogram(): Counts {
    return this.values.subarray(this.#scatter, this.#scatter + HISTOGRAM_BUCKETS);
  }

  histogram(command: number): Counts {
    const start = this.#histograms + HISTOGRAM_BUCKETS * command;
    return this.values.subarray(start, start + HISTOGRAM_BUCKETS);
  }

  /** Clears what CONFIG RESETSTAT clears: counts of what happened, not the state of things. */
  resetStatistics(): void {
    for (const counter of RESETTABLE) this.values[AT[counter]] = 0;
    this.madeUpErrors.clear();
    this.values.fill(0, this.#commands, this.#bands);
    for (let row = 0; row < PREFIX_ROWS; row += 1) {
      this.values.fill(0, this.prefixCell(row), this.prefixCell(row) + PrefixField.keys);
    }
    this.#resetUsers();
    this.values.fill(0, this.#queue, this.#end);
  }

  #resetUsers(): void {
    for (let at = this.#users; at < this.#queue; at += USER_FIELDS) {
      for (const field of USER_RESETS) this.values[at + field] = 0;
    }
  }

  #addToCommand(command: number, field: number): void {
    const at = this.#commands + COMMAND_FIELDS * command + field;
    this.values[at] = this.values[at]! + 1;
  }
}
