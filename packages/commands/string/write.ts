/** Storing an argument as the string value of a key. */

import { type Keyspace, type Ref, setOptions, valueScratch, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, overwrittenAt } from '../elements/lookup.ts';
import { StringForm } from './encoding.ts';

const GIVEN = setOptions({ isGiven: true });
/** Bytes that are taken as they are, and written to. */
export const GIVEN_RAW = setOptions({ isGiven: true, encoding: StringForm.raw });

/**
 * Sets the key of argument `keyIndex` to argument `valueIndex`, replacing any value, and announces the change.
 */
export function storeString(
  context: ShardContext,
  args: Arguments,
  keyIndex: number,
  valueIndex: number,
): Ref {
  const { keyspace } = context;
  const { stats } = context.store;
  const before = context.reportsTypes ? typeOf(keyspace, args, keyIndex) : ValueType.string;
  // An expired record of the key is removed first, so the number of keys alone is not sufficient.
  const keysSeen = keyspace.size + stats.expired;
  const ref = store(keyspace, args, keyIndex, valueIndex);
  if (keyspace.size + stats.expired !== keysSeen) createdAt(context, args, keyIndex);
  else overwrittenAt(context, args, keyIndex, { before, after: ValueType.string });
  changedAt(context, args, keyIndex, events.set);
  return ref;
}

/** Type of the key's value; that of strings if there is none. */
function typeOf(keyspace: Keyspace, args: Arguments, index: number): number {
  const ref = keyspace.peek(args.source, args.at(index), args.length(index));
  return ref === 0 ? ValueType.string : keyspace.type(ref);
}

/** Stores a string; a long value in its own memory is not copied. */
function store(keyspace: Keyspace, args: Arguments, keyIndex: number, valueIndex: number): Ref {
  const given = args.given(valueIndex);
  const key = args.keySpan(keyIndex);
  if (given === undefined) return keyspace.set(key, args.valueSpan(valueIndex));
  return keyspace.set(key, valueScratch.all(given), GIVEN);
}

/** Creates the key of argument 1, which must not exist, as a string of `length` zero bytes, and announces it. */
export function createZeros(context: ShardContext, args: Arguments, length: number): Ref {
  const zeros = new Uint8Array(length);
  const ref = context.keyspace.set(args.keySpan(1), valueScratch.all(zeros), GIVEN_RAW);
  createdAt(context, args, 1);
  return ref;
}
