/** Several sorted sets, or plain sets whose members all have score 1, made one. */

import { errors } from '#base';
import { type Keyspace, RankedTable, type Ref, SetValue, SortedSetValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { findToRead } from '../elements/lookup.ts';
import { openSet } from '../set/lookup.ts';
import { openSortedSet } from './lookup.ts';

/** One of the sets of a set operation. */
export interface Source {
  readonly ref: Ref;
  readonly count: number;
  weight: number;
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
  /** Score of the member read, or found. */
  readonly score: number;
  /** Steps through all members, reading each. */
  first(): boolean;
  next(): boolean;
  has(bytes: Uint8Array, at: number, length: number): boolean;
}

export type Aggregate = (total: number, score: number) => number;

export const aggregates: Readonly<Record<'SUM' | 'MIN' | 'MAX', Aggregate>> = {
  SUM: (total, score) => notNan(total + score),
  MIN: (total, score) => (score < total ? score : total),
  MAX: (total, score) => (score > total ? score : total),
};

/** Infinity less infinity counts as nothing. */
function notNan(score: number): number {
  return Number.isNaN(score) ? 0 : score;
}

/** Keys found, before any of them is opened: looking for one may remove an ended one. */
export function demandSources(
  context: ShardContext,
  args: Arguments,
  first: number,
  end: number,
): void {
  const { keyspace } = context;
  for (let index = first; index < end; index += 1) {
    const ref = findToRead(context, args, index);
    if (ref === 0) continue;
    const type = keyspace.type(ref);
    if (type !== ValueType.zset && type !== ValueType.set) throw errors.wrongType;
  }
}

/** The sets of the keys that the arguments from `first` up to `end` name; undefined for missing ones. */
export function openSources(
  context: ShardContext,
  args: Arguments,
  first: number,
  end: number,
): (Source | undefined)[] {
  const { keyspace } = context;
  const sources: (Source | undefined)[] = [];
  for (let index = first; index < end; index += 1) {
    const ref = keyspace.peek(args.source, args.at(index), args.length(index));
    if (ref === 0) sources.push(undefined);
    else if (keyspace.type(ref) === ValueType.set) sources.push(new PlainSource(context, ref));
    else sources.push(new ScoredSource(context, ref));
  }
  return sources;
}

class ScoredSource implements Source {
  readonly ref: Ref;
  weight = 1;
  readonly #set: SortedSetValue;

  constructor(context: ShardContext, ref: Ref) {
    this.ref = ref;
    this.#set = openSortedSet(context, ref, new SortedSetValue());
  }

  get count(): number {
    return this.#set.count;
  }
  get bytes(): Uint8Array {
    return this.#set.bytes;
  }
  get at(): number {
    return this.#set.at;
  }
  get length(): number {
    return this.#set.length;
  }
  get score(): number {
    return this.#set.score;
  }

  first(): boolean {
    return this.#read(this.#set.seek(0));
  }

  next(): boolean {
    return this.#read(this.#set.next());
  }

  has(bytes: Uint8Array, at: number, length: number): boolean {
    return this.#set.find(bytes, at, length);
  }

  #read(isThere: boolean): boolean {
    if (isThere) this.#set.read();
    return isThere;
  }
}

class PlainSource implements Source {
  readonly ref: Ref;
  readonly score = 1;
  weight = 1;
  readonly #set: SetValue;

  constructor(context: ShardContext, ref: Ref) {
    this.ref = ref;
    this.#set = openSet(context, ref, new SetValue());
  }

  get count(): number {
    return this.#set.count;
  }
  get bytes(): Uint8Array {
    return this.#set.bytes;
  }
  get at(): number {
    return this.#set.at;
  }
  get length(): number {
    return this.#set.length;
  }

  first(): boolean {
    return this.#read(this.#set.first());
  }

  next(): boolean {
    return this.#read(this.#set.next());
  }

  has(bytes: Uint8Array, at: number, length: number): boolean {
    return this.#set.has(bytes, at, length);
  }

  #read(isThere: boolean): boolean {
    if (isThere) this.#set.read();
    return isThere;
  }
}

/** Calls back at each member that all sources have, until it returns false. */
export function eachCommon(
  sources: readonly (Source | undefined)[],
  aggregate: Aggregate,
  visit: (source: Source, score: number) => boolean,
): void {
  const existing = sources.filter((source) => source !== undefined);
  if (existing.length < sources.length) return;
  const [smallest, ...others] = bySize(existing);
  if (smallest === undefined) return;
  for (let more = smallest.first(); more; more = smallest.next()) {
    const score = commonScore(smallest, others, aggregate);
    if (!Number.isNaN(score) && !visit(smallest, score)) return;
  }
}

/** The score of the current member over all sources; NaN when one of them does not have it. */
function commonScore(smallest: Source, others: readonly Source[], aggregate: Aggregate): number {
  const { bytes, at, length, score } = smallest;
  let total = notNan(score * smallest.weight);
  for (const other of others) {
    // The same set named twice has the member, and must not be moved by looking.
    if (other.ref === smallest.ref) total = aggregate(total, score * other.weight);
    else if (other.has(bytes, at, length)) total = aggregate(total, other.score * other.weight);
    else return NaN;
  }
  return total;
}

/** The smallest first, so that most work is saved; of equal ones the order stays. */
function bySize(sources: readonly Source[]): Source[] {
  return sources.toSorted((one, other) => one.count - other.count);
}

export function intersection(
  keyspace: Keyspace,
  sources: readonly (Source | undefined)[],
  aggregate: Aggregate,
): RankedTable {
  const result = new RankedTable(keyspace.createTable(true));
  eachCommon(sources, aggregate, ({ bytes, at, length }, score) => {
    result.add(bytes, at, length, score);
    return true;
  });
  return result;
}

export function union(
  keyspace: Keyspace,
  sources: readonly (Source | undefined)[],
  aggregate: Aggregate,
): RankedTable {
  const result = new RankedTable(keyspace.createTable(true));
  for (const source of bySize(sources.filter((each) => each !== undefined))) {
    for (let more = source.first(); more; more = source.next()) join(result, source, aggregate);
  }
  return result;
}

/** Adds the current member of a source, or its score to that which the member has. */
function join(result: RankedTable, source: Source, aggregate: Aggregate): void {
  const { bytes, at, length } = source;
  const score = notNan(source.weight * source.score);
  const entry = result.find(bytes, at, length);
  if (entry === 0) {
    result.addMissed(bytes, at, length, score);
    return;
  }
  const before = result.scoreOf(entry);
  const total = aggregate(before, score);
  // A zero may change its sign.
  if (!Object.is(total, before)) result.update(entry, total);
}

export function difference(
  keyspace: Keyspace,
  sources: readonly (Source | undefined)[],
): RankedTable {
  const result = new RankedTable(keyspace.createTable(true));
  const [first, ...rest] = sources;
  const others = rest.filter((source) => source !== undefined);
  if (first === undefined || others.some(({ ref }) => ref === first.ref)) return result;
  let total = first.count;
  for (const { count } of others) total += count;
  // Asking each set about each member is quicker per step, and stops early; hence the half.
  const isByAsking = (first.count * sources.length) / 2 <= total;
  const largestFirst = others.toSorted((one, other) => other.count - one.count);
  for (let more = first.first(); more; more = first.next()) {
    const { bytes, at, length } = first;
    if (isByAsking && largestFirst.some((other) => other.has(bytes, at, length))) continue;
    result.add(bytes, at, length, first.score);
  }
  if (!isByAsking) for (const other of others) subtract(result, other);
  return result;
}

function subtract(result: RankedTable, source: Source): void {
  for (let more = source.first(); more && result.count > 0; more = source.next()) {
    const entry = result.find(source.bytes, source.at, source.length);
    if (entry !== 0) result.remove(entry);
  }
}
