/** Storing an argument as the string value of a key. */

import { ValueType, type Keyspace, type Ref } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { events } from '../keyspace/events.ts';
import { changedAt, createdAt, overwrittenAt } from '../keyspace/lookup.ts';
import { StringForm } from './encoding.ts';

/**
 * Sets the key of argument `keyIndex` to argument `valueIndex`, whatever it held before, and
 * announces it.
 */
export function storeString(
  context: ShardContext,
  args: Arguments,
  keyIndex: number,
  valueIndex: number,
): Ref {
  const { keyspace } = context;
  const { stats } = context.store;
  // An ended record in the way goes first, so that the number of keys alone would not tell.
  const keysSeen = keyspace.size + stats.expired;
  const ref = store(keyspace, args, keyIndex, valueIndex);
  if (keyspace.size + stats.expired !== keysSeen) createdAt(context, args, keyIndex);
  else overwrittenAt(context, args, keyIndex);
  changedAt(context, args, keyIndex, events.set);
  return ref;
}

/** A long value that came by itself is kept where it is. */
function store(keyspace: Keyspace, args: Arguments, keyIndex: number, valueIndex: number): Ref {
  const given = args.given(valueIndex);
  const { source } = args;
  const keyAt = args.at(keyIndex);
  const keyLength = args.length(keyIndex);
  if (given === undefined) {
    const length = args.length(valueIndex);
    return keyspace.set(source, keyAt, keyLength, source, args.at(valueIndex), length);
  }
  const { string } = ValueType;
  // prettier-ignore
  return keyspace.set(
    source, keyAt, keyLength, given, 0, given.length, false, string, 0, -1, true);
}

/** Creates the key of argument 1, which must not exist, as a string of so many zero bytes, and announces it. */
export function createZeros(context: ShardContext, args: Arguments, length: number): Ref {
  const zeros = new Uint8Array(length);
  const key = [args.source, args.at(1), args.length(1)] as const;
  // They are taken as they are.
  const [type, form] = [ValueType.string, StringForm.raw];
  const ref = context.keyspace.set(...key, zeros, 0, length, false, type, form, -1, true);
  createdAt(context, args, 1);
  return ref;
}
