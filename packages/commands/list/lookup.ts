/**
 * Finding the list of a key.
 *
 * Commands of one list share one `ListValue`, since a thread runs one command at a time; LMOVE has
 * another for its target.
 */

import { type Bytes, reused } from '#base';
import { type Keyspace, type ListLimits, ListValue, type Ref, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import { createdAt, findToRead, findToWrite, holds, takenAt } from '../elements/lookup.ts';

const listScratch = reused(new ListValue());
const targetListScratch = reused(new ListValue());
const limitsOf = kept((settings): ListLimits => ({
  size: settings.number('encoding.list-max-listpack-size'),
  compressDepth: settings.number('encoding.list-compress-depth'),
  plainBytes: 0,
}));

/** The list of the first argument's key to read; undefined when there is none. */
export function listToRead(context: ShardContext, args: Arguments): ListValue | undefined {
  return opened(context, findToRead(context, args, 1));
}

/** The list of argument `index`'s key to write to; undefined when there is none. */
export function listToWrite(
  context: ShardContext,
  args: Arguments,
  index = 1,
): ListValue | undefined {
  return opened(context, findToWrite(context, args, index));
}

/** The target of a move to write to; undefined when there is none. */
export function targetToWrite(
  context: ShardContext,
  args: Arguments,
  index: number,
): ListValue | undefined {
  return opened(context, findToWrite(context, args, index), targetListScratch);
}

/** Makes an empty list of argument `index`'s key, which the command fills. */
export function newList(context: ShardContext, args: Arguments, index = 1): ListValue {
  return made(context, args, index, listScratch);
}

/** Looks up the list that is the target of a move, and creates it if the key does not exist. */
export function newTarget(context: ShardContext, args: Arguments, index: number): ListValue {
  return made(context, args, index, targetListScratch);
}

/** Adds an element to a list that another shard's command has pushed it onto. */
export function pushOnto(
  context: Pick<ShardContext, 'settings' | 'store'>,
  keyspace: Keyspace,
  key: Bytes,
  { isHead, element }: { readonly isHead: boolean; readonly element: Bytes },
): void {
  const ref = keyspace.lookUp(key, key.length);
  // It has expired or was evicted meanwhile, with what was added.
  if (ref === 0) return;
  const pieces = { source: element, at: () => 0, length: () => element.length };
  targetListScratch.open(keyspace, ref, currentLimits(context)).push(pieces, 0, 1, isHead);
}

/**
 * Announces that `count` elements were removed from the list, which is deleted when empty and may become a listpack
 * when small.
 */
export function announceRemoved(
  context: ShardContext,
  args: Arguments,
  event: KeyEvent,
  removed: number,
  index = 1,
): void {
  const isGone = listScratch.count === 0;
  if (isGone) context.keyspace.removeRef(listScratch.ref);
  else listScratch.shrink();
  takenAt(context, args, index, event, removed, isGone);
}

/** Returns the event of a push at an end; `popEvent` that of a pop. */
export function pushEvent(isHead: boolean): KeyEvent {
  return isHead ? events.lpush : events.rpush;
}

export function popEvent(isHead: boolean): KeyEvent {
  return isHead ? events.lpop : events.rpop;
}

function opened(context: ShardContext, ref: Ref, into = listScratch): ListValue | undefined {
  if (!holds(context, ref, ValueType.list)) return undefined;
  return into.open(context.keyspace, ref, currentLimits(context));
}

function made(context: ShardContext, args: Arguments, index: number, into: ListValue): ListValue {
  const key = { bytes: args.source, at: args.at(index), length: args.length(index) };
  into.create(context.keyspace, key, currentLimits(context));
  createdAt(context, args, index);
  return into;
}

function currentLimits(context: Pick<ShardContext, 'settings' | 'store'>): ListLimits {
  const limits = limitsOf(context);
  limits.plainBytes = context.store.listPlainBytes;
  return limits;
}
