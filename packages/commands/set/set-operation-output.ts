/** Answering and storing of members that came out of several sets. */

import { type Bytes, KeyFate } from '#base';
import { Encoding, PackedTable, setOptions, type SetValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { gatheredScratch, type GatheredStrings } from '../elements/element-scan.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import { changedAt, createdAt, findToWrite, notifyReplaced } from '../elements/lookup.ts';
import type { SetOperationResult, Members } from './set-operation-result.ts';
import { newSetAs } from './lookup.ts';

const TARGET_INDEX = 1;

export function answerMembers({ reply }: ShardContext, members: Members): void {
  reply.setHeader(members.count);
  each(members, (bytes, at, length) => reply.bulk(bytes, at, length));
}

/** Stores the members under the first key, or removes it when there are none; the reply is how many. */
export function storeMembers(
  context: ShardContext,
  args: Arguments,
  { members, startsAsIntset, passed }: SetOperationResult,
  event: KeyEvent,
): void {
  const { keyspace, reply } = context;
  const countMax = passed?.count ?? members.count;
  const passing = passed === undefined || isLarge(context, countMax) ? undefined : gather(passed);
  const old = findToWrite(context, args, TARGET_INDEX);
  const existed = old !== 0;
  const before = existed ? keyspace.type(old) : 0;
  const { count } = members;
  if (existed) keyspace.removeRef(old, count > 0 ? KeyFate.overwritten : KeyFate.deleted);
  if (count > 0) {
    if (members instanceof PackedTable && isLarge(context, countMax)) adopt(context, args, members);
    else fill(context, args, members, startsAsIntset, passing);
    if (existed) notifyReplaced(context, args, TARGET_INDEX, { before, after: ValueType.set });
    else createdAt(context, args, TARGET_INDEX);
    changedAt(context, args, TARGET_INDEX, event);
  } else if (existed) {
    changedAt(context, args, TARGET_INDEX, events.del);
  }
  reply.integer(count);
}

/** True when a set of `count` members is a table, regardless of their lengths. */
function isLarge({ settings }: ShardContext, count: number): boolean {
  const packed = settings.number('encoding.set-max-listpack-entries');
  return count > packed && count > settings.number('encoding.set-max-intset-entries');
}

const AS_TABLE = setOptions({ type: ValueType.set, encoding: Encoding.hashtable });

/** Makes the table itself the value. */
function adopt({ keyspace }: ShardContext, args: Arguments, table: PackedTable): void {
  keyspace.setObject(args.keySpan(TARGET_INDEX), table, table.bytes, AS_TABLE);
}

/** The way to a result decides how it is kept, as in Redis. */
function fill(
  context: ShardContext,
  args: Arguments,
  members: Members,
  asIntset: boolean,
  passing: GatheredStrings | undefined,
): void {
  const set = newSetAs(context, args, TARGET_INDEX, asIntset);
  each(passing ?? members, (bytes, at, length) => set.add(bytes, at, length));
  if (passing !== undefined) {
    passing.each((bytes, at, length) => {
      if (!isAmong(members, bytes, at, length)) set.delete(bytes, at, length);
    });
  }
  if (!asIntset) set.preferIntset();
}

function isAmong(members: Members, bytes: Bytes, at: number, length: number): boolean {
  return members instanceof PackedTable && members.find(bytes, at, length) !== 0;
}

/** The set's members, in its order. */
function gather(set: SetValue): GatheredStrings {
  gatheredScratch.clear();
  for (let more = set.first(); more; more = set.next()) {
    set.read();
    gatheredScratch.add(set.bytes, set.at, set.length);
  }
  return gatheredScratch;
}

function each(members: Members, visit: (bytes: Bytes, at: number, length: number) => void): void {
  if (!(members instanceof PackedTable)) {
    members.each(visit);
    return;
  }
  for (let entry = members.first(); entry !== 0; entry = members.next(entry)) {
    const { bytes, fieldAt, fieldLength } = members.read(entry);
    visit(bytes, fieldAt, fieldLength);
  }
}
