/** XREADGROUP on one stream: what is new for a group, what a consumer has pending, and idle entries of others. */

import { IdPlace, type Stream, type StreamGroup, StreamId, type StreamValue } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { hasBehind, replyEach, replyEntryAt } from '../entries/entries.ts';
import { replyId } from '../entries/ids.ts';
import { consumerAsking, groupAt, noGroup } from '../entries/lookup.ts';
import type { ReadRequest } from '../entries/read-request.ts';
import { claimIdle, oldestDelivery } from './claim-idle.ts';
import { ClaimRows, Deliveries } from './deliveries.ts';

/** A client that waits for idle entries of a group without any looks again after this time at the earliest. */
const RECHECK_MS_MIN = 50;

const firstScratch = new StreamId();
const HIGHEST = new StreamId().setMax();
const pendingIdScratch = new StreamId();
const ownPlaceScratch = new IdPlace();
const groupPlaceScratch = new IdPlace();

/** Without any pending entry, one that is delivered now may be claimed after the idle time at the earliest. */
export function beginClaims(request: ReadRequest, nowMs: number): void {
  request.dueMs = nowMs + Math.max(request.claimIdleMs, RECHECK_MS_MIN);
}

/** True when a pending entry can be claimed; else it notes when one may be. */
function hasIdle(
  { nowMs }: ShardContext,
  request: ReadRequest,
  { stream, group }: { stream: Stream; group: StreamGroup },
): boolean {
  const oldestMs = oldestDelivery(stream, group);
  if (oldestMs === undefined) return false;
  const dueMs = oldestMs + request.claimIdleMs;
  request.dueMs = Math.min(request.dueMs, dueMs);
  return dueMs <= Math.max(nowMs, oldestMs);
}

interface GroupReading {
  request: ReadRequest;
  /** The argument that names the key. */
  index: number;
  found: StreamValue;
  id: StreamId;
  begin: () => void;
}

/** True when the group has entries to read, or idle ones to claim; else it notes when one may be idle for long enough. */
export function hasForGroup(
  context: ShardContext,
  request: ReadRequest,
  { stream, group }: { stream: Stream; group: StreamGroup },
): boolean {
  if (hasBehind(stream, group.lastId)) return true;
  return request.claimIdleMs >= 0 && hasIdle(context, request, { stream, group });
}

export function readForGroup(context: ShardContext, args: Arguments, reading: GroupReading): void {
  const { request, index, found, id, begin } = reading;
  const { groupIndex } = request;
  const { stream } = found;
  const group = groupAt(stream, args, groupIndex);
  if (group === undefined) throw noGroup(args, index, groupIndex);
  const isHistory = !id.isMax;
  const isServed = isHistory || hasForGroup(context, request, { stream, group });
  const name = args.latin1(groupIndex + 1);
  const isCreated = group.consumers.get(name) === undefined;
  consumerAsking(context, args, index, { group, name });
  const deliveries = deliveriesOf(context, args, reading, group);
  if (isCreated) deliveries?.created();
  if (isServed) begin();
  const reader = { stream, group, name, rows: deliveries && new ClaimRows() };
  if (isHistory) {
    if (showPending(context, reader, id, request.count)) context.changedUncounted();
  } else if (isServed) {
    const { claimed, added } = deliver(context, reader, request);
    if (claimed + added > 0) context.countChanges(1);
    if (added > 0) deliveries?.advanced();
  }
  if (deliveries !== undefined) reader.rows?.report(deliveries);
  found.post();
}

/** Reports for replicas, and for the log with CLAIM: what is claimed depends on the order of deliveries, which is not logged. */
function deliveriesOf(
  context: ShardContext,
  args: Arguments,
  { request: { groupIndex, claimIdleMs }, index }: GroupReading,
  group: StreamGroup,
): Deliveries | undefined {
  const isReported = context.isReplicated || (context.isLogged && claimIdleMs >= 0);
  if (!isReported) return undefined;
  return new Deliveries(context, {
    key: args.copy(index),
    name: args.copy(groupIndex),
    consumer: args.copy(groupIndex + 1),
    group,
  });
}

interface Reader {
  stream: Stream;
  group: StreamGroup;
  /** The consumer's. */
  name: string;
  /** Claims to replicate; undefined without replicas. */
  rows: ClaimRows | undefined;
}

/** Numbers of entries in a reply. */
interface Served {
  readonly claimed: number;
  /** Entries that are new for the group. */
  readonly added: number;
}

/** Delivers idle entries of the group, if it is to claim any, and then those that the group has not read. */
function deliver(context: ShardContext, reader: Reader, request: ReadRequest): Served {
  const { reply } = context;
  const { count, claimIdleMs } = request;
  const isClaiming = claimIdleMs >= 0;
  const { stream, group } = reader;
  const all = stream.length + (isClaiming ? group.pending.count : 0);
  const expected = Math.min(count === 0 ? Infinity : count, all);
  const mark = reply.beginArray(expected);
  const claimed = isClaiming ? claim(context, reader, request) : 0;
  const isFull = count > 0 && claimed === count;
  const rest = claimed === 0 ? request : { ...request, count: count === 0 ? 0 : count - claimed };
  const added = isFull ? 0 : deliverEach(context, reader, rest, isClaiming);
  reply.endArray(mark, expected, claimed + added);
  return { claimed, added };
}

function claim(
  context: ShardContext,
  { stream, group, name, rows }: Reader,
  { claimIdleMs: idleMs, count }: ReadRequest,
): number {
  const consumer = group.consumers.get(name)!;
  return claimIdle(context, { stream, group, consumer, idleMs, count, rows });
}

/** Delivers new entries without a header; returns their number. */
function deliverEach(
  { reply, nowMs }: ShardContext,
  { stream, group, name, rows }: Reader,
  { count, isUnacknowledged }: Pick<ReadRequest, 'count' | 'isUnacknowledged'>,
  hasDelivery: boolean,
): number {
  const consumer = group.consumers.get(name)!;
  firstScratch.set(group.lastId).increment();
  const range = { first: firstScratch, last: HIGHEST, isBackward: false, count };
  return replyEach(reply, stream, range, {
    hasDelivery,
    visit: (id) => {
      stream.advance(group, id);
      if (isUnacknowledged) return;
      group.deliver(id, consumer, nowMs);
      consumer.activeMs = nowMs;
      rows?.add(id, nowMs, 1);
    },
  });
}

/**
 * Replies with the pending entries of the consumer, which are delivered again, and with nil for those that were deleted
 * from the stream; returns false if no entry was delivered.
 * Redis counts that as no change, and its log lacks it.
 */
function showPending(
  { reply, nowMs }: ShardContext,
  { stream, group, name, rows }: Reader,
  after: StreamId,
  count: number,
): boolean {
  const { pending } = group.consumers.get(name)!;
  const expected = count === 0 ? pending.count : Math.min(count, pending.count);
  const mark = reply.beginArray(expected);
  let shown = 0;
  let isAny = false;
  firstScratch.set(after).increment();
  const id = pendingIdScratch;
  let more = pending.seek(firstScratch, ownPlaceScratch);
  for (; more && (count === 0 || shown < count); more = pending.next(ownPlaceScratch)) {
    pending.readId(ownPlaceScratch, id);
    if (replyEntryAt(reply, stream, id)) {
      isAny = true;
      group.pending.find(id, groupPlaceScratch);
      const times = group.deliveries(groupPlaceScratch) + 1;
      group.setDelivery(groupPlaceScratch, nowMs, times);
      rows?.add(id, nowMs, times);
    } else {
      reply.arrayHeader(2);
      replyId(reply, id);
      reply.nilArray();
    }
    shown += 1;
  }
  reply.endArray(mark, expected, shown);
  return isAny;
}
