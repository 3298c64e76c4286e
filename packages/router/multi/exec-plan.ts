/**
 * EXEC as one frame: the shard that has most of the keys runs all commands, the others lend it theirs.
 *
 * Watched keys are among them, so that what WATCH has seen is judged at EXEC's place in the order.
 */

import { Arguments, type Command, findKeys, type KeySpec, mayWrite } from '#commands';
import { type Bytes, keyName, keyOfName } from '#base';
import { PREFIX_BYTES } from '../shards/shard-link.ts';
import { lentPrefix, type Ownership } from '../shards/split.ts';
import type { CommandQueue, QueuedCommand } from './command-queue.ts';

/** A key of a transaction, wherever it is named. */
interface PlannedKey {
  readonly shard: number;
  readonly database: number;
  readonly key: Bytes;
  isWritable: boolean;
}

export interface LendPlan {
  readonly host: number;
  readonly lenders: ReadonlyMap<number, Lender>;
}

export interface InquiredPlan extends LendPlan {
  /** Keys that values name and that the host itself has. */
  readonly kept: readonly Bytes[];
}

/** The payload of a lender's `lend` frame, and how many keys it names. */
interface Lender {
  readonly payload: Bytes;
  readonly keyCount: number;
}

const NO_LENDERS: LendPlan['lenders'] = new Map();
const FIRST_ARGUMENT = [{ index: 1 }];

/** Watched keys by `keyName`, and the shard of each. */
export type WatchedKeys = ReadonlyMap<string, number>;

export function planExec(
  queue: CommandQueue,
  database: number,
  watched: WatchedKeys,
  ownership: Ownership,
): LendPlan {
  const owner = commonOwner(queue, watched, ownership);
  if (owner >= 0) return { host: owner, lenders: NO_LENDERS };
  const keys = new Map<string, PlannedKey>();
  const args = new Arguments();
  for (const entry of queue.pointAtEach(args)) {
    addKeys(keys, entry.command, args, database, ownership);
  }
  for (const [name, shard] of watched) {
    if (!keys.has(name)) keys.set(name, { shard, ...keyOfName(name), isWritable: false });
  }
  return lendToOne([...keys.values()]);
}

/** The shard that owns all keys, or -1. Where there is one, nothing is lent, and no key need be named. */
function commonOwner(queue: CommandQueue, watched: WatchedKeys, ownership: Ownership): number {
  let common = -1;
  const differs = (owner: number): boolean => {
    if (common < 0) common = owner;
    return owner !== common;
  };
  const args = new Arguments();
  for (const entry of queue.pointAtEach(args)) {
    const found = entry.firstArgumentIsKey ? FIRST_ARGUMENT : findKeys(entry.command.keys, args);
    for (const { index } of found ?? []) {
      if (differs(ownership.ownerOf(args.source, args.at(index), args.length(index)))) return -1;
    }
  }
  for (const shard of watched.values()) if (differs(shard)) return -1;
  return common;
}

/**
 * Plans the lending for a command whose keys partly depend on values: it needs those, which are only read, and its own.
 * The host is informed which are its own, since its frame does not contain it.
 */
export function planInquired(
  { entry, command }: QueuedCommand,
  database: number,
  read: readonly Bytes[],
  ownership: Ownership,
): InquiredPlan {
  const keys = new Map<string, PlannedKey>();
  const args = new Arguments();
  args.point(command.source, command.at, command.spans, 0, command.count);
  addKeys(keys, entry.command, args, database, ownership);
  const named: PlannedKey[] = [];
  for (const key of read) {
    const name = keyName(database, key);
    if (keys.has(name)) continue;
    const shard = ownership.ownerOf(key, 0, key.length);
    named.push({ shard, database, key, isWritable: false });
  }
  const plan = lendToOne([...keys.values(), ...named]);
  const kept = named.filter(({ shard }) => shard === plan.host).map(({ key }) => key);
  return { ...plan, kept };
}

/** Adds the keys that a command's arguments name. */
function addKeys(
  keys: Map<string, PlannedKey>,
  command: Command,
  args: Arguments,
  selected: number,
  ownership: Ownership,
): void {
  for (const { index, spec } of findKeys(command.keys, args) ?? []) {
    const shard = ownership.ownerOf(args.source, args.at(index), args.length(index));
    for (const database of databasesOf(command, spec, args, selected)) {
      const name = keyName(database, args.source, args.at(index), args.length(index));
      const key = keys.get(name) ?? { shard, database, key: args.view(index), isWritable: false };
      key.isWritable ||= mayWrite(spec);
      keys.set(name, key);
    }
  }
}

/** Returns the databases where a command looks for a spec's keys. What is no database is the handler's to refuse. */
function databasesOf(
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
function lendToOne(keys: readonly PlannedKey[]): LendPlan {
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
  return { host, lenders: new Map([...byShard].map(([shard, own]) => lentBy(shard, own))) };
}

function lentBy(shard: number, keys: readonly PlannedKey[]): [number, Lender] {
  return [shard, { payload: lendPayload(keys), keyCount: keys.length }];
}

/** Spans and body of a `lend` frame. */
function lendPayload(keys: readonly PlannedKey[]): Bytes {
  let bodyBytes = 0;
  for (const { key } of keys) bodyBytes += PREFIX_BYTES + key.length;
  const payload = Buffer.alloc(8 * keys.length + bodyBytes);
  let offset = 0;
  for (const [nth, { key, database, isWritable }] of keys.entries()) {
    const prefix = lentPrefix({ database, writable: isWritable });
    payload.writeUInt32LE(prefix, 8 * keys.length + offset);
    offset += PREFIX_BYTES;
    payload.writeInt32LE(offset, 8 * nth);
    payload.writeInt32LE(key.length, 8 * nth + 4);
    payload.set(key, 8 * keys.length + offset);
    offset += key.length;
  }
  return payload;
}
