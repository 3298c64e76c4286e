/**
 * Finding the key that an argument names, with what Redis counts and announces about it.
 *
 * A ref is good only until the next call that may write to the store.
 */

import { errors, KeyFate } from '#base';
import { type Keyspace, type Ref, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { events, type KeyEvent } from '../contexts/events.ts';

/** The key of a command that reads values: counts hits and misses and marks it as accessed. */
export function findToRead(context: ShardContext, args: Arguments, index: number): Ref {
  const ref = context.keyspace.find(args.source, args.at(index), args.length(index));
  return counted(context, args, index, ref);
}

/** Looks up a key for a command that reads only its metadata: the access time stays unchanged. */
export function peekToRead(context: ShardContext, args: Arguments, index: number): Ref {
  const ref = context.keyspace.peek(args.source, args.at(index), args.length(index));
  return counted(context, args, index, ref);
}

function counted(context: ShardContext, args: Arguments, index: number, ref: Ref): Ref {
  if (ref === 0) {
    context.miss();
    notifyAt(context, args, index, events.keymiss);
  } else {
    context.hit();
  }
  if (context.reportsLookUps) {
    context.lookedUp(args.source, args.at(index), args.length(index), ref !== 0);
  }
  return ref;
}

/** The key of a command that will write to it. */
export function findToWrite(context: ShardContext, args: Arguments, index: number): Ref {
  return context.keyspace.find(args.source, args.at(index), args.length(index));
}

/** True when the key is there, with a value of the type; throws when it is of another. */
export function holds({ keyspace }: ShardContext, ref: Ref, type: number): boolean {
  if (ref === 0) return false;
  if (keyspace.type(ref) !== type) throw errors.wrongType;
  return true;
}

/** Removes the key when its value has become empty; returns whether it has. */
export function removeIfEmpty(
  { keyspace }: ShardContext,
  value: { readonly count: number; readonly ref: Ref },
): boolean {
  if (value.count > 0) return false;
  keyspace.removeRef(value.ref);
  return true;
}

/** A string to read; 0 when there is no such key. */
export function findString(context: ShardContext, args: Arguments, index: number): Ref {
  const ref = findToRead(context, args, index);
  holds(context, ref, ValueType.string);
  return ref;
}

/** A string to write to; 0 when there is no such key. */
export function findStringToWrite(context: ShardContext, args: Arguments, index: number): Ref {
  const ref = findToWrite(context, args, index);
  holds(context, ref, ValueType.string);
  return ref;
}

/** Announces what has happened to the key that argument `index` names. */
export function changedAt(
  context: ShardContext,
  args: Arguments,
  index: number,
  { type, name }: KeyEvent,
  changes = 1,
): void {
  context.changed(type, name, args.source, args.at(index), args.length(index), changes);
}

/** Announces that so much was taken from the key, and whether the key went with it, which is no further change. */
export function takenAt(
  context: ShardContext,
  args: Arguments,
  index: number,
  event: KeyEvent,
  taken: number,
  isGone: boolean,
): void {
  changedAt(context, args, index, event, taken);
  if (isGone) changedAt(context, args, index, events.del, 0);
}

/** Announces a change that does not invalidate WATCH or tracking: the state of a stream's consumer groups. */
export function advancedAt(
  context: ShardContext,
  args: Arguments,
  index: number,
  event: KeyEvent,
): void {
  context.countChanges(1);
  notifyAt(context, args, index, event);
}

/** Announces something about that key which is no change, or goes with one. */
export function notifyAt(
  context: ShardContext,
  args: Arguments,
  index: number,
  { type, name }: KeyEvent,
): void {
  context.notify(type, name, args.source, args.at(index), args.length(index));
}

/** Announces that the key argument `index` names did not exist before. */
export function createdAt(context: ShardContext, args: Arguments, index: number): void {
  notifyAt(context, args, index, events.new);
}

/** Says that the key argument `index` names has another value in the place of the one it had, of these types. */
export function overwrittenAt(
  context: ShardContext,
  args: Arguments,
  index: number,
  types: ReplacedTypes,
): void {
  const { overwritten } = KeyFate;
  const { database, store } = context;
  store.fates.gone(database, overwritten, args.source, args.at(index), args.length(index));
  notifyReplaced(context, args, index, types);
}

/** Types of a value that was replaced, and of the new one: numbers of ValueType. */
interface ReplacedTypes {
  readonly before: number;
  readonly after: number;
}

/** Notifies that a value was replaced: before the event of a command that stores, after that of one that moves. */
export function notifyReplaced(
  context: ShardContext,
  args: Arguments,
  index: number,
  { before, after }: ReplacedTypes,
): void {
  notifyAt(context, args, index, events.overwritten);
  if (before !== after) notifyAt(context, args, index, events.typeChanged);
}

/** True when the record has ended and only waits to be removed. */
export function hasEnded(keyspace: Keyspace, ref: Ref, nowMs: number): boolean {
  const expireAt = keyspace.expireAt(ref);
  return expireAt !== -1 && expireAt < nowMs;
}
