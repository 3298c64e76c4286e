/**
 * Finding the set of a key.
 *
 * Commands of one set share one `SetValue`, since a thread runs one command at a time.
 */

import { type Bytes, reused } from '#base';
import { type Keyspace, type Piece, type Ref, type SetLimits, SetValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { createdAt, findToRead, findToWrite, holds } from '../elements/lookup.ts';

const setScratch = reused(new SetValue());
const currentLimits = kept((settings): SetLimits => ({
  entries: settings.number('encoding.set-max-listpack-entries'),
  valueBytes: settings.number('encoding.set-max-listpack-value'),
  intsetEntries: Math.min(settings.number('encoding.set-max-intset-entries'), INTSET_ENTRIES_MAX),
}));

/** Redis limits the entries of an intset to this number, regardless of the setting. */
const INTSET_ENTRIES_MAX = 2 ** 30;

/** The set of argument `index`'s key to read; undefined when there is none. */
export function setToRead(context: ShardContext, args: Arguments, index = 1): SetValue | undefined {
  return opened(context, findToRead(context, args, index));
}

/** The set of argument `index`'s key to write to; undefined when there is none. */
export function setToWrite(
  context: ShardContext,
  args: Arguments,
  index = 1,
): SetValue | undefined {
  return opened(context, findToWrite(context, args, index));
}

/**
 * Creates an empty set for the key of argument `index`, replacing any value, in the encoding that suits the members to
 * come.
 */
export function newSet(
  context: ShardContext,
  args: Arguments,
  index: number,
  first: Piece,
  count: number,
): SetValue {
  const key = args.piece(index);
  return setScratch.create(context.keyspace, key, currentLimits(context), first, count);
}

/** Creates an empty set as an intset or a listpack, replacing any value. */
export function newSetAs(
  context: ShardContext,
  args: Arguments,
  index: number,
  asIntset: boolean,
): SetValue {
  const key = args.piece(index);
  return setScratch.createAs(asIntset, context.keyspace, key, currentLimits(context));
}

/** The set of argument `index`'s key; a new one when there is none. */
export function setToFill(
  context: ShardContext,
  args: Arguments,
  index: number,
  first: Piece,
  count: number,
): SetValue {
  const existing = setToWrite(context, args, index);
  if (existing !== undefined) return existing;
  const made = newSet(context, args, index, first, count);
  createdAt(context, args, index);
  return made;
}

/** Adds a member to a set that another shard's command has added it to. */
export function addInto(
  context: Pick<ShardContext, 'settings'>,
  keyspace: Keyspace,
  key: Bytes,
  { element }: { readonly element: Bytes },
): void {
  const ref = keyspace.lookUp(key, key.length);
  // It has expired or was evicted meanwhile, with what was added.
  if (ref === 0) return;
  setScratch.open(keyspace, ref, currentLimits(context)).add(element, 0, element.length);
}

/** A view of a record that holds a set. */
export function openSet(context: ShardContext, ref: Ref, into: SetValue): SetValue {
  return into.open(context.keyspace, ref, currentLimits(context));
}

function opened(context: ShardContext, ref: Ref): SetValue | undefined {
  return holds(context, ref, ValueType.set) ? openSet(context, ref, setScratch) : undefined;
}
