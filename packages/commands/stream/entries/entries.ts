/** Entries of streams in replies. */

import { reused } from '#base';
import type { ReplyWriter } from '#resp';
import { EntryCursor, type Stream, StreamId } from '#store';
import { replyCounter, replyId } from './ids.ts';

const cursorScratch = reused(new EntryCursor());
const lastIdScratch = new StreamId();
const LOWEST = new StreamId();
const HIGHEST = new StreamId().setMax();

interface EntryRange {
  readonly first: StreamId;
  readonly last: StreamId;
  readonly isBackward: boolean;
  /** Maximum number of entries; 0 for no limit. */
  readonly count: number;
}

/** Replies with an array of the entries of a range, calling back for each. */
export function replyEntries(
  reply: ReplyWriter,
  stream: Stream,
  range: EntryRange,
  visit?: (id: StreamId) => void,
): void {
  const expected = Math.min(range.count === 0 ? Infinity : range.count, stream.length);
  const mark = reply.beginArray(expected);
  reply.endArray(mark, expected, replyEach(reply, stream, range, { visit }));
}

interface EachEntry {
  /** Called before an entry is written. */
  readonly visit?: ((id: StreamId) => void) | undefined;
  /** True if idle time and number of deliveries follow each entry: both are 0, as it is new. */
  readonly hasDelivery?: boolean;
}

/** Replies with the entries of a range without a header; returns their number. */
export function replyEach(
  reply: ReplyWriter,
  stream: Stream,
  { first, last, isBackward, count }: EntryRange,
  { visit, hasDelivery = false }: EachEntry,
): number {
  const most = count === 0 ? Infinity : count;
  let found = 0;
  cursorScratch.open(stream.nodes, first, last, isBackward);
  while (found < most && cursorScratch.next()) {
    visit?.(cursorScratch.id);
    replyEntry(reply, cursorScratch, hasDelivery ? { idleMs: 0, deliveries: 0 } : undefined);
    found += 1;
  }
  return found;
}

/** Last delivery of an entry, as it was before the reply. */
interface Delivery {
  readonly idleMs: number;
  readonly deliveries: number;
}

/** Replies with the entry of this id, and with its delivery if given; returns false if it does not exist. */
export function replyEntryAt(
  reply: ReplyWriter,
  stream: Stream,
  id: StreamId,
  delivery?: Delivery,
): boolean {
  if (!cursorScratch.open(stream.nodes, id, id).next()) return false;
  replyEntry(reply, cursorScratch, delivery);
  return true;
}

/** Replies with the first or the last entry, or null. */
export function replyEdgeEntry(reply: ReplyWriter, stream: Stream, isLast: boolean): void {
  if (cursorScratch.open(stream.nodes, LOWEST, HIGHEST, isLast).next())
    replyEntry(reply, cursorScratch);
  else reply.nil();
}

function replyEntry(reply: ReplyWriter, entry: EntryCursor, delivery?: Delivery): void {
  const { id, fieldCount, field, value } = entry;
  reply.arrayHeader(delivery === undefined ? 2 : 4);
  replyId(reply, id);
  reply.arrayHeader(fieldCount * 2);
  for (let left = fieldCount; left > 0; left -= 1) {
    entry.nextField();
    field.read();
    reply.bulk(field.text, field.textAt, field.textLength);
    value.read();
    reply.bulk(value.text, value.textAt, value.textLength);
  }
  if (delivery === undefined) return;
  reply.integer(delivery.idleMs);
  replyCounter(reply, delivery.deliveries);
}

/** True when the stream has an entry after that id. */
export function hasBehind(stream: Stream, id: StreamId): boolean {
  // No entry comes after the highest id that was given.
  if (stream.length === 0 || stream.lastId.compare(id) <= 0) return false;
  return stream.readLastEntryId(lastIdScratch) && lastIdScratch.compare(id) > 0;
}
