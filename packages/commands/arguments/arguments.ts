/**
 * The arguments of one command, read in place: offsets into the bytes of a frame.
 *
 * One `Arguments` serves a whole thread: it is pointed at the next command by `point`, and nothing of
 * it may be kept after the command.
 *
 * Large because it has a way to read an argument for each kind of value, so that handlers make no strings they do not
 * need.
 */

import {
  type Bytes,
  type CommandError,
  errors,
  keySlot,
  latin1,
  parseDoubleInRange,
  parseInteger,
  parseInteger64,
  sameBytes,
  spells,
} from '#base';
import { keyScratch, type Span, valueScratch } from '#store';

/** Part of the arguments that `keys.ts` needs. */
export interface ArgumentSource {
  readonly count: number;
  length(index: number): number;
  integerAt(index: number): number;
  spellsAt(index: number, upper: string): boolean;
}

/** Indexes of all arguments from `first` on. */
export function indexesFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: Math.max(0, count - first) }, (_, nth) => first + nth);
}

/** An argument may be kept as it came when the rest of its memory is less than one part in this many. */
const GIVEN_PARTS = 64;

export class Arguments implements ArgumentSource {
  /** The memory that offsets refer to. */
  source: Bytes = Buffer.alloc(0);
  /** True if the memory belongs to the command, which may keep it: see `given`. */
  isGiven = false;
  /** Number of arguments, the command's name included. */
  count = 0;
  /** Index of the argument that the reading methods take next; the name is not read. */
  position = 1;
  #spans: Int32Array = new Int32Array(2);
  #spansAt = 0;
  #bodyAt = 0;
  /** Slot of the first argument as a key; -1 until it is first read. */
  #firstKeySlot = -1;

  /** Points at a command: `spans` holds offset and length pairs from `spansAt`, relative to `bodyAt`. */
  point(
    source: Bytes,
    bodyAt: number,
    spans: Int32Array,
    spansAt: number,
    count: number,
    first = 1,
  ): void {
    this.source = source;
    this.#bodyAt = bodyAt;
    this.#spans = spans;
    this.#spansAt = spansAt;
    this.count = count;
    this.position = first;
    this.#firstKeySlot = -1;
  }

  /** Slot of the first argument as a key: computed once, for the check of a command and for its routing. */
  get firstKeySlot(): number {
    if (this.#firstKeySlot < 0) {
      this.#firstKeySlot = keySlot(this.source, this.at(1), this.length(1));
    }
    return this.#firstKeySlot;
  }

  /** Arguments from `index` on, as a command of their own; good as long as these are. */
  tail(index: number): Arguments {
    const tail = new Arguments();
    const { source } = this;
    tail.point(source, this.#bodyAt, this.#spans, this.#spansAt + 2 * index, this.count - index);
    return tail;
  }

  /** Points at no command. */
  letGo(): void {
    this.point(Buffer.alloc(0), 0, new Int32Array(2), 0, 0);
  }

  /** Index of the first word of the spans; in a frame the bytes of all arguments follow them. */
  get spansAt(): number {
    return this.#spansAt;
  }

  /** Returns where argument `index` begins in `source`. Index 0 is the command's name. */
  at(index: number): number {
    return this.#bodyAt + this.#spans[this.#spansAt + 2 * index]!;
  }

  /** Bytes of argument `index`. */
  length(index: number): number {
    return this.#spans[this.#spansAt + 2 * index + 1]!;
  }

  /** A view of argument `index`, valid during the command only. */
  view(index: number): Bytes {
    const at = this.at(index);
    return this.source.subarray(at, at + this.length(index));
  }

  /** A view of argument `index` that may be kept, with all of its memory; undefined where there is much besides it. */
  given(index: number): Bytes | undefined {
    if (!this.isGiven) return undefined;
    const isNearlyAll = this.length(index) * GIVEN_PARTS > this.source.length * (GIVEN_PARTS - 1);
    return isNearlyAll ? this.view(index) : undefined;
  }

  /** Argument `index` as a place in memory, valid during the command only. */
  piece(index: number): { bytes: Bytes; at: number; length: number } {
    return { bytes: this.source, at: this.at(index), length: this.length(index) };
  }

  /** Argument `index` as the key that is handed to the very next call of the store. */
  keySpan(index: number): Span {
    return keyScratch.point(this.source, this.at(index), this.length(index));
  }

  /** Argument `index` as the value that is handed to the very next call of the store. */
  valueSpan(index: number): Span {
    return valueScratch.point(this.source, this.at(index), this.length(index));
  }

  /** A private copy of argument `index`. */
  copy(index: number): Bytes {
    return this.source.slice(this.at(index), this.at(index) + this.length(index));
  }

  /** Argument `index` with one character per byte. */
  latin1(index: number): string {
    return latin1(this.source, this.at(index), this.length(index));
  }

  /** Argument `index` as an integer of 53 bits; NaN when it is none. */
  integerAt(index: number): number {
    return parseInteger(this.source, this.at(index), this.length(index));
  }

  /**
   * Argument `index` as a 64-bit integer, rounded where 53 bits do not hold it, else throws `error`:
   * for offsets and counts, of which such large ones are all alike.
   */
  roundedAt(index: number, error: CommandError = errors.notInteger): number {
    const value = this.integerAt(index);
    if (!Number.isNaN(value)) return value;
    return Number(this.integer64At(index, error));
  }

  /**
   * True when arguments `start` and `end`, both integers, count from the end and `start` is behind `end`. They are
   * compared whole: rounded, neighbours beyond 53 bits are alike.
   */
  isTurnedRange(start: number, end: number): boolean {
    const first = this.roundedAt(start);
    const final = this.roundedAt(end);
    if (first >= 0 || final >= 0 || first < final) return false;
    return first > final || this.integer64At(start) > this.integer64At(end);
  }

  /** Argument `index` as a 64-bit integer, else throws `error`. */
  integer64At(index: number, error: CommandError = errors.notInteger): bigint {
    const value = parseInteger64(this.source, this.at(index), this.length(index));
    if (value === undefined) throw error;
    return value;
  }

  /** True when argument `index` spells `upper`, in any case. */
  spellsAt(index: number, upper: string): boolean {
    return spells(this.source, this.at(index), this.length(index), upper);
  }

  /** True when two arguments have the same bytes. */
  areSame(one: number, other: number): boolean {
    const length = this.length(one);
    if (length !== this.length(other)) return false;
    return sameBytes(this.source, this.at(one), this.source, this.at(other), length);
  }

  // Reading left to right.

  get more(): boolean {
    return this.position < this.count;
  }

  get left(): number {
    return this.count - this.position;
  }

  /** Steps over the next argument and returns its index. */
  next(): number {
    if (this.position >= this.count) throw errors.syntax;
    const index = this.position;
    this.position = index + 1;
    return index;
  }

  /** A view of the next argument, valid during the command only. */
  bytes(): Bytes {
    return this.view(this.next());
  }

  /** The next argument with one character per byte. */
  text(): string {
    return this.latin1(this.next());
  }

  /** Steps over all arguments that are left. */
  texts(): string[] {
    const texts: string[] = [];
    while (this.more) texts.push(this.text());
    return texts;
  }

  /** Steps over the next argument when it spells `upper`, in any case. */
  takes(upper: string): boolean {
    if (this.position >= this.count || !this.spellsAt(this.position, upper)) return false;
    this.position += 1;
    return true;
  }

  /** The next argument as an integer within 53 bits, else throws `error`. */
  integer(error: CommandError = errors.notInteger): number {
    const value = this.integerAt(this.next());
    if (Number.isNaN(value)) throw error;
    return value;
  }

  /** The next argument as a 64-bit integer, else throws `error`. */
  integer64(error: CommandError = errors.notInteger): bigint {
    return this.integer64At(this.next(), error);
  }

  /** The next argument as a double (no NaN), else throws `error`. */
  double(error: CommandError = errors.notFloat): number {
    return this.doubleAt(this.next(), error);
  }

  /** Argument `index` as a double that is neither too large nor too small for one. */
  doubleAt(index: number, error: CommandError = errors.notFloat): number {
    const integer = this.integerAt(index);
    if (!Number.isNaN(integer)) return integer;
    const value = parseDoubleInRange(this.latin1(index));
    if (Number.isNaN(value)) throw error;
    return value;
  }
}
