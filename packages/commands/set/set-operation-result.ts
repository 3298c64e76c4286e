/** Several sets made one. What comes out is a table, or members that are known to differ. */

import { errors } from '#base';
import { type Keyspace, type PackedTable, SetValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { gatheredScratch, type GatheredStrings } from '../elements/element-scan.ts';
import { findToRead } from '../elements/lookup.ts';
import { openSet } from './lookup.ts';

/** Undefined stands for a key that does not exist. */
type Sources = readonly (SetValue | undefined)[];
/** The members: in a table of their own, or gathered. */
export type Members = PackedTable | GatheredStrings;

/** Result of a set operation, and whether a set of it begins as an intset, which decides how it is kept. */
export interface SetOperationResult {
  members: Members;
  startsAsIntset: boolean;
  /** All of these were in the result on the way; the set stays as it was kept then. */
  passed?: SetValue | undefined;
}

export type SetOperation = (keyspace: Keyspace, sets: Sources) => SetOperationResult;

/** The sets of the keys that the arguments from `first` up to `end` name. */
export function openAll(
  context: ShardContext,
  args: Arguments,
  first: number,
  end: number,
): Sources {
  const { keyspace } = context;
  // Looking for a key may remove an ended one, so all are found before any is opened.
  for (let index = first; index < end; index += 1) {
    const ref = findToRead(context, args, index);
    if (ref !== 0 && keyspace.type(ref) !== ValueType.set) throw errors.wrongType;
  }
  const sets: (SetValue | undefined)[] = [];
  for (let index = first; index < end; index += 1) {
    const ref = keyspace.peek(args.source, args.at(index), args.length(index));
    sets.push(ref === 0 ? undefined : openSet(context, ref, new SetValue()));
  }
  return sets;
}

/** Returns the intersection of all sets, limited to a number of members. */
export function intersect(
  _keyspace: Keyspace,
  sets: Sources,
  limit = Infinity,
): SetOperationResult {
  const existing = sets.filter((set) => set !== undefined);
  existing.sort((one, other) => one.count - other.count);
  const [smallest, ...others] = existing.length < sets.length ? [] : existing;
  const startsAsIntset = smallest?.isIntset === true;
  return { members: gatherCommon(smallest, others, limit), startsAsIntset };
}

function gatherCommon(
  smallest: SetValue | undefined,
  others: readonly SetValue[],
  limit: number,
): GatheredStrings {
  gatheredScratch.clear();
  if (smallest === undefined) return gatheredScratch;
  const rivals = others.filter((set) => set.ref !== smallest.ref);
  for (let more = smallest.first(); more && gatheredScratch.count < limit; more = smallest.next()) {
    smallest.read();
    const { bytes, at, length } = smallest;
    if (rivals.every((set) => set.has(bytes, at, length))) gatheredScratch.add(bytes, at, length);
  }
  return gatheredScratch;
}

/** The members that any of the sets has. */
export function union(keyspace: Keyspace, sets: Sources): SetOperationResult {
  return { members: joined(keyspace, sets), startsAsIntset: true };
}

function joined(keyspace: Keyspace, sets: Sources): PackedTable {
  const table = keyspace.createTable(false);
  for (const set of sets) {
    for (let more = set?.first() === true; set !== undefined && more; more = set.next()) {
      set.read();
      if (table.find(set.bytes, set.at, set.length) !== 0) continue;
      table.addMissed(set.bytes, set.at, set.length);
    }
  }
  return table;
}

/** The members that only the first of the sets has. */
export function difference(keyspace: Keyspace, sets: Sources): SetOperationResult {
  const members = subtracted(keyspace, sets);
  return {
    members,
    startsAsIntset: true,
    passed: members === gatheredScratch ? undefined : sets[0],
  };
}

function subtracted(keyspace: Keyspace, sets: Sources): Members {
  gatheredScratch.clear();
  const [first, ...rest] = sets;
  const others = rest.filter((set) => set !== undefined);
  if (first === undefined || others.some((set) => set.ref === first.ref)) return gatheredScratch;
  let total = first.count;
  for (const set of others) total += set.count;
  // Asking each set about each member is quicker per step, and stops early; hence the half.
  const asking = Math.floor((first.count * (others.length + 1)) / 2);
  return asking <= total
    ? differenceByAsking(first, others)
    : differenceByTaking(keyspace, first, others);
}

function differenceByAsking(first: SetValue, others: readonly SetValue[]): GatheredStrings {
  const largestFirst = others.toSorted((one, other) => other.count - one.count);
  for (let more = first.first(); more; more = first.next()) {
    first.read();
    const { bytes, at, length } = first;
    if (!largestFirst.some((set) => set.has(bytes, at, length)))
      gatheredScratch.add(bytes, at, length);
  }
  return gatheredScratch;
}

function differenceByTaking(
  keyspace: Keyspace,
  first: SetValue,
  others: readonly SetValue[],
): PackedTable {
  const table = joined(keyspace, [first]);
  for (const set of others) {
    for (let more = set.first(); more && table.count > 0; more = set.next()) {
      set.read();
      const entry = table.find(set.bytes, set.at, set.length);
      if (entry !== 0) table.remove(entry);
    }
  }
  return table;
}
