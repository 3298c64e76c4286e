/** Storing an argument as the string value of a key. */

import type { Ref } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { events } from '../keyspace/events.ts';
import { changedAt, createdAt, overwrittenAt } from '../keyspace/lookup.ts';

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
  const ref = keyspace.set(
    args.source,
    args.at(keyIndex),
    args.length(keyIndex),
    args.source,
    args.at(valueIndex),
    args.length(valueIndex),
  );
  if (keyspace.size + stats.expired !== keysSeen) createdAt(context, args, keyIndex);
  else overwrittenAt(context, args, keyIndex);
  changedAt(context, args, keyIndex, events.set);
  return ref;
}
