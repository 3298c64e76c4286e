/**
 * Finding the hash of a key and the fields of a hash.
 *
 * All commands share one `HashValue`, since a thread runs one command at a time.
 */

import { type Bytes, KeyFate, reused } from '#base';
import { HashValue, type PackedLimits, type Piece, type Ref, Span, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { createdAt, findToRead, findToWrite, holds, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';

const hashScratch = reused(new HashValue());
const currentLimits = kept((settings): PackedLimits => ({
  entries: settings.number('encoding.hash-max-listpack-entries'),
  valueBytes: settings.number('encoding.hash-max-listpack-value'),
}));
const fieldScratch = reused(new Span());
const valueScratch = reused(new Span());

/** Argument that names the key, in every command of hashes. */
const KEY_INDEX = 1;

/** The hash of the key to read; undefined when there is none. */
export function hashToRead(context: ShardContext, args: Arguments): HashValue | undefined {
  return opened(context, findToRead(context, args, KEY_INDEX));
}

/** The hash of the key to write to; undefined when there is none. */
export function hashToWrite(context: ShardContext, args: Arguments): HashValue | undefined {
  return opened(context, findToWrite(context, args, KEY_INDEX));
}

/** Looks up the hash of argument 1 for writing, and creates it if the key does not exist. */
export function hashToFill(context: ShardContext, args: Arguments): HashValue {
  return hashToWrite(context, args) ?? newHash(context, args);
}

/** Makes an empty hash, which the command fills. */
export function newHash(context: ShardContext, args: Arguments): HashValue {
  const key = pieceOf(args, KEY_INDEX, fieldScratch);
  hashScratch.create(context.keyspace, key, currentLimits(context));
  createdAt(context, args, KEY_INDEX);
  return hashScratch;
}

function opened(context: ShardContext, ref: Ref): HashValue | undefined {
  if (!holds(context, ref, ValueType.hash)) return undefined;
  return hashScratch.open(context.keyspace, ref, currentLimits(context));
}

/** Argument `index` as a field; the next call overwrites it. */
export function fieldAt(args: Arguments, index: number): Piece {
  return pieceOf(args, index, fieldScratch);
}

/** Argument `index` as a value; the next call overwrites it. */
export function valueAt(args: Arguments, index: number): Piece {
  return pieceOf(args, index, valueScratch);
}

function pieceOf(args: Arguments, index: number, piece: Piece): Piece {
  piece.bytes = args.source;
  piece.at = args.at(index);
  piece.length = args.length(index);
  return piece;
}

/** State of a field that a command looked for. */
export type FieldState = 'there' | 'missing' | 'ended' | 'gone';

/**
 * Steps to the field that argument `index` names. One that has ended is removed; `gone` says that the
 * hash went with it.
 */
export function findField(
  context: ShardContext,
  args: Arguments,
  index: number,
  announces = true,
): FieldState {
  if (!hashScratch.find(args.source, args.at(index), args.length(index))) return 'missing';
  if (!hashScratch.mayExpire || !hashScratch.hasEnded(context.nowMs)) return 'there';
  if (context.store.seesExpired) return 'there';
  if (context.store.lazyExpireDisabled) return 'ended';
  if (context.store.namesFields) reportDropped(context, args, [args.copy(index)]);
  hashScratch.remove();
  context.store.stats.add('expiredFields', 1);
  const isGone = hashScratch.count === 0;
  if (isGone) context.keyspace.removeRef(hashScratch.ref, KeyFate.expiredFields);
  if (announces) announceEnded(context, args, isGone);
  return isGone ? 'gone' : 'ended';
}

/** Replicates the removal of expired fields, which replicas leave to their primary, before the command itself. */
function reportDropped(context: ShardContext, args: Arguments, fields: readonly Bytes[]): void {
  const { database, store } = context;
  const { bytes, at, length } = args.piece(KEY_INDEX);
  store.events.fieldsDropped(database, bytes, at, length, fields);
}

/** Says that fields of the key have ended, and whether the hash went with them. */
export function announceEnded(context: ShardContext, args: Arguments, isGone: boolean): void {
  takenAt(context, args, KEY_INDEX, events.hexpired, 1, isGone);
}

/** Removes all fields that have ended; returns whether the hash is still there. */
export function dropEnded(context: ShardContext, args: Arguments): boolean {
  const { store, keyspace, nowMs } = context;
  if (!hashScratch.mayExpire || store.lazyExpireDisabled) return true;
  const fields: Bytes[] = [];
  const removed = hashScratch.removeEnded(nowMs, Infinity, store.namesFields ? fields : undefined);
  if (removed === 0) return true;
  if (fields.length > 0) reportDropped(context, args, fields);
  store.stats.add('expiredFields', removed);
  const isGone = hashScratch.count === 0;
  if (isGone) keyspace.removeRef(hashScratch.ref, KeyFate.expiredFields);
  announceEnded(context, args, isGone);
  return !isGone;
}
