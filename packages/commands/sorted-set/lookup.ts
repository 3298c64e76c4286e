/**
 * Finding the sorted set of a key, and storing one.
 *
 * Commands of one sorted set share one `SortedSetValue`, since a thread runs one command at a time.
 */

import { reused } from '#base';
import {
  type PackedLimits,
  type Piece,
  type RankedTable,
  type Ref,
  SortedSetValue,
  storeSortedSet,
  ValueType,
} from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import {
  changedAt,
  createdAt,
  findToRead,
  findToWrite,
  holds,
  overwrittenAt,
} from '../elements/lookup.ts';

const sortedSetScratch = reused(new SortedSetValue());
const currentLimits = kept((settings): PackedLimits => ({
  entries: settings.number('encoding.zset-max-listpack-entries'),
  valueBytes: settings.number('encoding.zset-max-listpack-value'),
}));

/** The sorted set of argument `index`'s key to read; undefined when there is none. */
export function sortedSetToRead(
  context: ShardContext,
  args: Arguments,
  index = 1,
): SortedSetValue | undefined {
  return opened(context, findToRead(context, args, index));
}

/** Looks up the sorted set of an argument for writing; undefined if the key does not exist. */
export function sortedSetToWrite(
  context: ShardContext,
  args: Arguments,
  index = 1,
): SortedSetValue | undefined {
  return opened(context, findToWrite(context, args, index));
}

/**
 * Creates an empty sorted set for the key of argument 1, in the encoding that suits the number of members, of which one
 * is `first`.
 */
export function newSortedSet(
  context: ShardContext,
  args: Arguments,
  first: Piece,
  count: number,
): SortedSetValue {
  const limits = currentLimits(context);
  const { entries, valueBytes } = limits;
  const isLarge = count > entries || first.length > valueBytes;
  sortedSetScratch.create(context.keyspace, args.piece(1), limits, isLarge);
  createdAt(context, args, 1);
  return sortedSetScratch;
}

/** A view of a record that holds a sorted set. */
export function openSortedSet(
  context: ShardContext,
  ref: Ref,
  into: SortedSetValue,
): SortedSetValue {
  return into.open(context.keyspace, ref, currentLimits(context));
}

/**
 * Stores members under argument `index`'s key, or removes the key when there are none; the reply is how
 * many they are.
 */
export function storeMembers(
  context: ShardContext,
  args: Arguments,
  index: number,
  members: RankedTable | undefined,
  event: KeyEvent,
  changes = 1,
): void {
  const { keyspace, reply } = context;
  const old = findToWrite(context, args, index);
  const existed = old !== 0;
  const before = existed ? keyspace.type(old) : 0;
  if (members !== undefined && members.count > 0) {
    storeSortedSet(keyspace, args.piece(index), members, currentLimits(context));
    if (existed) overwrittenAt(context, args, index, { before, after: ValueType.zset });
    else createdAt(context, args, index);
    changedAt(context, args, index, event, changes);
  } else if (existed) {
    keyspace.removeRef(old);
    changedAt(context, args, index, events.del);
  }
  reply.integer(members?.count ?? 0);
}

function opened(context: ShardContext, ref: Ref): SortedSetValue | undefined {
  return holds(context, ref, ValueType.zset)
    ? openSortedSet(context, ref, sortedSetScratch)
    : undefined;
}
