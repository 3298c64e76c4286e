/**
 * Percentiles of the last seconds, minutes and hour, from histograms that count since the start.
 *
 * Some thread that has time takes what was added every ten seconds, and keeps it as slices: ten seconds each
 * for five minutes, five minutes each for the rest of an hour. What the windows hold is then one table of
 * numbers, small enough to be shared with all.
 */

import type { WindowLatency, WindowName, WindowReport } from '#api-types';
import {
  addCounts,
  greatestUs,
  HISTOGRAM_BUCKETS,
  percentileUs,
  totalCount,
  type Counts,
} from '../page/histogram.ts';
import type { Page } from '../page/page.ts';
import { growth } from '../page/rate.ts';

/** Interval of slices, which is the maximum age of a window's end. */
export const SLICE_MS = 10_000;
/** Fine slices: five minutes. As many of them, when they are older, become one coarse slice. */
const FINE_SLICES = 30;
/** Coarse slices: fifty-five minutes. */
const COARSE_SLICES = 11;
/** Most bytes of all slices; beyond it the oldest goes, and the longest window becomes shorter. */
const SLICE_BYTES_MAX = 16 * 1024 * 1024;
/** A count is a double, and its place a short. */
const ENTRY_BYTES = 10;

/** The windows, shortest first, by how many fine slices they hold; the last holds all there is. */
export const WINDOWS = [
  { name: 'now', slices: 1 },
  { name: '1m', slices: 6 },
  { name: '5m', slices: FINE_SLICES },
  { name: '1h', slices: Infinity },
] as const satisfies readonly { readonly name: WindowName; readonly slices: number }[];

const FIELDS = 5;
const ROW = WINDOWS.length * FIELDS;

/** Doubles of the table: the seconds of each window, a row for all commands, a row for each. */
export function windowTableLength(commands: number): number {
  return WINDOWS.length + ROW * (1 + commands);
}

/** Reads a row of the table: of a command by its id, or of all without one. */
export function windowsIn(table: Float64Array | undefined, command = -1): WindowReport {
  const of = (index: number): WindowLatency | null => {
    if (table === undefined) return null;
    const at = WINDOWS.length + ROW * (1 + command) + FIELDS * index;
    const [calls = 0, p50 = 0, p99 = 0, p999 = 0, max = 0] = table.subarray(at, at + FIELDS);
    if (calls === 0) return null;
    const seconds = Math.round(table[index]!);
    return { seconds, calls, p50_us: p50, p99_us: p99, p999_us: p999, max_us: max };
  };
  return Object.fromEntries(
    WINDOWS.map(({ name }, index) => [name, of(index)]),
  ) as unknown as WindowReport;
}

/** Executions within some time: of each command that was called, the buckets that are not empty. */
interface Slice {
  readonly seconds: number;
  readonly rows: ReadonlyMap<number, Row>;
}

interface Row {
  readonly places: Uint16Array;
  readonly counts: Float64Array;
}

const NO_CALLS: Row = { places: new Uint16Array(0), counts: new Float64Array(0) };

export class LatencyWindows {
  readonly #pages: readonly Page[];
  readonly #commands: number;
  /** Merged over the pages, as of the last slice; only of commands that were called. */
  readonly #before = new Map<number, Counts>();
  readonly #now = new Float64Array(HISTOGRAM_BUCKETS);
  /** All commands together, in each window. */
  readonly #all = WINDOWS.map(() => new Float64Array(HISTOGRAM_BUCKETS));
  readonly #table: Float64Array;
  #takenUs: number;
  /** Oldest first. */
  #fine: Slice[] = [];
  #older: Slice[] = [];
  #coarse: Slice[] = [];

  /** `pages` are those of all threads that run commands. */
  constructor(pages: readonly Page[], commands: number, nowUs: number) {
    this.#pages = pages;
    this.#commands = commands;
    this.#takenUs = nowUs;
    this.#table = new Float64Array(windowTableLength(commands));
    this.#grown();
  }

  /** Takes what came since the last time. */
  take(nowUs: number): void {
    const seconds = (nowUs - this.#takenUs) / 1_000_000;
    this.#takenUs = nowUs;
    this.#fine.push({ seconds, rows: this.#grown() });
    while (this.#fine.length > FINE_SLICES) this.#older.push(this.#fine.shift()!);
    if (this.#older.length === FINE_SLICES) {
      this.#coarse.push(merged(this.#older));
      this.#older = [];
    }
    while (this.#coarse.length > COARSE_SLICES) this.#coarse.shift();
    this.#keepWithinBytes();
  }

  /** Bytes that the slices take. */
  get bytes(): number {
    return this.#slices.reduce((sum, slice) => sum + bytesOf(slice), 0);
  }

  /** Oldest first; a list of its own. */
  get #slices(): Slice[] {
    return [...this.#coarse, ...this.#older, ...this.#fine];
  }

  /**
   * All windows of all commands, as of the last slice; good until the next call. Every window ends with the latest
   * slice, so each is the one before it and what is older: sums are made once, in memory that is used again.
   */
  table(): Float64Array {
    const table = this.#table.fill(0);
    const slices = this.#slices.reverse();
    for (const sums of this.#all) sums.fill(0);
    for (const command of new Set(slices.flatMap(({ rows }) => [...rows.keys()]))) {
      const sums = this.#now.fill(0);
      let taken = 0;
      for (const [index, { slices: count }] of WINDOWS.entries()) {
        const end = Math.min(count, slices.length);
        for (const { rows } of slices.slice(taken, end))
          spread(rows.get(command) ?? NO_CALLS, sums);
        taken = end;
        write(table, command, index, sums);
        addCounts(this.#all[index]!, sums);
      }
    }
    for (const [index, { slices: count }] of WINDOWS.entries()) {
      write(table, -1, index, this.#all[index]!);
      table[index] = slices.slice(0, count).reduce((sum, { seconds }) => sum + seconds, 0);
    }
    return table;
  }

  /** Returns the growth of each command's histogram since the last call. */
  #grown(): Map<number, Row> {
    const rows = new Map<number, Row>();
    for (let id = 0; id < this.#commands; id += 1) {
      const called = this.#pages.filter((page) => page.command(id, 'calls') > 0);
      let before = this.#before.get(id);
      if (called.length === 0 && before === undefined) continue;
      if (before === undefined) {
        before = new Float64Array(HISTOGRAM_BUCKETS);
        this.#before.set(id, before);
      }
      const now = this.#now.fill(0);
      for (const page of called) addCounts(now, page.histogram(id));
      const row = difference(now, before);
      before.set(now);
      if (row.places.length > 0) rows.set(id, row);
    }
    return rows;
  }

  #keepWithinBytes(): void {
    let bytes = this.bytes;
    for (const slices of [this.#coarse, this.#older, this.#fine]) {
      while (bytes > SLICE_BYTES_MAX && slices.length > 0) bytes -= bytesOf(slices.shift()!);
    }
  }
}

/** Returns the growth of counts since `before`. */
function difference(now: Counts, before: Counts): Row {
  let length = 0;
  for (let index = 0; index < HISTOGRAM_BUCKETS; index += 1) {
    if (growth(before[index]!, now[index]!) !== 0) length += 1;
  }
  const row = { places: new Uint16Array(length), counts: new Float64Array(length) };
  for (let index = 0, at = 0; at < length; index += 1) {
    const more = growth(before[index]!, now[index]!);
    if (more === 0) continue;
    row.places[at] = index;
    row.counts[at] = more;
    at += 1;
  }
  return row;
}

function spread({ places, counts }: Row, target: Counts): void {
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index]!;
    target[place] = target[place]! + counts[index]!;
  }
}

function merged(slices: readonly Slice[]): Slice {
  const sums = new Map<number, Counts>();
  for (const { rows } of slices) {
    for (const [command, row] of rows) {
      const sum = sums.get(command) ?? new Float64Array(HISTOGRAM_BUCKETS);
      sums.set(command, sum);
      spread(row, sum);
    }
  }
  const zero = new Float64Array(HISTOGRAM_BUCKETS);
  return {
    seconds: slices.reduce((sum, { seconds }) => sum + seconds, 0),
    rows: new Map([...sums].map(([command, sum]) => [command, difference(sum, zero)])),
  };
}

function bytesOf({ rows }: Slice): number {
  return [...rows.values()].reduce((sum, { places }) => sum + ENTRY_BYTES * places.length, 0);
}

function write(table: Float64Array, command: number, window: number, counts: Counts): void {
  const at = WINDOWS.length + ROW * (1 + command) + FIELDS * window;
  table[at] = totalCount(counts);
  table[at + 1] = percentileUs(counts, 0.5);
  table[at + 2] = percentileUs(counts, 0.99);
  table[at + 3] = percentileUs(counts, 0.999);
  table[at + 4] = greatestUs(counts);
}
