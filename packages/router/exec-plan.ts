/**
 * EXEC as one frame: the shard that has most of the keys runs all commands, the others lend it theirs.
 *
 * Watched keys are among them, so that what WATCH has seen is judged at EXEC's place in the order.
 */

import {
  frameBytes,
  FrameKind,
  HOST_WORDS,
  Request,
  REQUEST_HEADER_BYTES,
  DATABASE_SHIFT,
} from '#link';
import { Arguments, findKeys, mayWrite, type Command, type KeySpec } from '#commands';
import { latin1, fromLatin1, type Bytes } from '#base';
import { PREFIX_BYTES } from './shard-link.ts';
import type { Ownership } from './split.ts';
import type { QueuedCommand } from './transaction.ts';

/** A key of a transaction, wherever it is named. */
export interface PlannedKey {
  readonly shard: number;
  readonly database: number;
  readonly key: Bytes;
  isWritable: boolean;
}

export interface LendPlan {
  readonly host: number;
  /** By lender: the payload of its `lend` frame, and how many keys it names. */
  readonly lenders: ReadonlyMap<number, { readonly payload: Bytes; readonly keyCount: number }>;
}

/** Watched keys: their database and bytes as `database:key`, and the shard of each. */
export type WatchedKeys = ReadonlyMap<string, number>;

/** Whether every command can run inside a shard with copies of its keys; else main must conduct. */
export function isForOneShard(queue: readonly QueuedCommand[]): boolean {
  return queue.every(({ entry }) => {
    const { command } = entry;
    if (!entry.hasKeys) return false;
    return (
      command.route === 'byKey' || (command.route === 'oneShard' && command.otherKeys === undefined)
    );
  });
}

export function planExec(
  queue: readonly QueuedCommand[],
  database: number,
  watched: WatchedKeys,
  ownership: Ownership,
): LendPlan {
  const keys = new Map<string, PlannedKey>();
  const args = new Arguments();
  for (const { entry, command } of queue) {
    args.point(command.source, command.at, command.spans, 0, command.count);
    for (const { index, spec } of findKeys(entry.command.keys, args) ?? []) {
      const shard = ownership.ownerOf(args.source, args.at(index), args.length(index));
      for (const of of databasesOf(entry.command, spec, args, database)) {
        const name = watchedName(of, args, index);
        const known = keys.get(name);
        const key = known ?? { shard, database: of, key: args.view(index), isWritable: false };
        key.isWritable ||= mayWrite(spec);
        keys.set(name, key);
      }
    }
  }
  for (const [name, shard] of watched) {
    if (keys.has(name)) continue;
    const colon = name.indexOf(':');
    const key = fromLatin1(name.slice(colon + 1));
    keys.set(name, { shard, database: Number(name.slice(0, colon)), key, isWritable: false });
  }
  return lendToOne([...keys.values()]);
}

/** Where a command looks for the keys of a spec. What is no database is the handler's to refuse. */
export function databasesOf(
  { databaseOf, alsoIn, keys }: Command,
  spec: KeySpec,
  args: Arguments,
  selected: number,
): readonly number[] {
  const first = databaseOf?.(keys.specs.indexOf(spec), args, selected) ?? selected;
  const other = alsoIn?.(args) ?? first;
  return other >= 0 && other !== first ? [first, other] : [first];
}

/** Chooses the shard that has most of the keys; the others lend it theirs. */
export function lendToOne(keys: readonly PlannedKey[]): LendPlan {
  const byShard = new Map<number, PlannedKey[]>();
  for (const key of keys) {
    const own = byShard.get(key.shard);
    if (own === undefined) byShard.set(key.shard, [key]);
    else own.push(key);
  }
  let host = keys[0]?.shard ?? 0;
  for (const [shard, own] of byShard) {
    if (own.length > (byShard.get(host)?.length ?? 0)) host = shard;
  }
  byShard.delete(host);
  const lenders = new Map(
    [...byShard].map(([shard, own]) => [
      shard,
      { payload: lendPayload(own), keyCount: own.length },
    ]),
  );
  return { host, lenders };
}

/** Spans and body of a `lend` frame. */
function lendPayload(keys: readonly PlannedKey[]): Bytes {
  let bodyBytes = 0;
  for (const { key } of keys) bodyBytes += PREFIX_BYTES + key.length;
  const payload = Buffer.alloc(8 * keys.length + bodyBytes);
  let offset = 0;
  for (const [nth, { key, database, isWritable }] of keys.entries()) {
    payload.writeUInt32LE(database | (isWritable ? 1 << 24 : 0), 8 * keys.length + offset);
    offset += PREFIX_BYTES;
    payload.writeInt32LE(offset, 8 * nth);
    payload.writeInt32LE(key.length, 8 * nth + 4);
    payload.set(key, 8 * keys.length + offset);
    offset += key.length;
  }
  return payload;
}

/** Payload of an `exec` frame: its own words, then a `command` frame for each command. */
export function execPayload(
  queue: readonly QueuedCommand[],
  { flags, database, connection, transaction, lenders }: ExecHead,
): Bytes {
  let bytes = 4 * HOST_WORDS;
  for (const { command } of queue) bytes += innerBytes(command);
  const payload = new Uint8Array(bytes);
  const words = new Int32Array(payload.buffer);
  words[0] = transaction;
  words[1] = lenders;
  let at = 4 * HOST_WORDS;
  for (const { entry, command } of queue) {
    const word = at >> 2;
    const size = innerBytes(command);
    words[word + Request.bytes] = size;
    words[word + Request.kind] = FrameKind.command | flags | (database << DATABASE_SHIFT);
    words[word + Request.command] = entry.id;
    words[word + Request.connection] = connection;
    words[word + Request.argumentCount] = command.count;
    words[word + Request.bodyBytes] = command.length;
    words.set(command.spans, word + Request.spans);
    payload.set(
      command.source.subarray(command.at, command.at + command.length),
      at + REQUEST_HEADER_BYTES + 8 * command.count,
    );
    at += size;
  }
  return payload;
}

export interface ExecHead {
  readonly flags: number;
  readonly database: number;
  readonly connection: number;
  readonly transaction: number;
  readonly lenders: number;
}

function innerBytes({ count, length }: QueuedCommand['command']): number {
  return frameBytes(REQUEST_HEADER_BYTES + 8 * count + length);
}

/** The name of a key of a database, as plans spell it. */
export function watchedName(database: number, args: Arguments, index: number): string {
  return `${String(database)}:${latin1(args.source, args.at(index), args.length(index))}`;
}
