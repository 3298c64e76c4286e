/** Entries of streams in replies. */

import { reused } from '#base';
import type { ReplyWriter } from '#resp';
import { EntryCursor, type Stream, StreamId } from '#store';
import { replyId } from './ids.ts';

const cursorScratch = reused(new EntryCursor());
const LOWEST = new StreamId();
const HIGHEST = new StreamId().setMax();

interface EntryRange {
  readonly first: StreamId;
  readonly last: StreamId;
  readonly isBackward: boolean;
  /** Maximum number of entries; 0 for no limit. */
  readonly count: number;
}

/** Replies with an array of the entries of a range, calling back for each; returns their number. */
export function replyEntries(
  reply: ReplyWriter,
  stream: Stream,
  { first, last, isBackward, count }: EntryRange,
  visit?: (id: StreamId) => void,
): void {
  const most = count === 0 ? Infinity : count;
  const expected = Math.min(most, stream.length);
  const mark = reply.beginArray(expected);
  let found = 0;
  cursorScratch.open(stream.nodes, first, last, isBackward);
  while (found < most && cursorScratch.next()) {
    visit?.(cursorScratch.id);
    replyEntry(reply, cursorScratch);
    found += 1;
  }
  reply.endArray(mark, expected, found);
}

/** Replies with the entry of this id; returns false if it does not exist. */
export function replyEntryAt(reply: ReplyWriter, stream: Stream, id: StreamId): boolean {
  if (!cursorScratch.open(stream.nodes, id, id).next()) return false;
  replyEntry(reply, cursorScratch);
  return true;
}

/** Replies with the first or the last entry, or null. */
export function replyEdgeEntry(reply: ReplyWriter, stream: Stream, isLast: boolean): void {
  if (cursorScratch.open(stream.nodes, LOWEST, HIGHEST, isLast).next())
    replyEntry(reply, cursorScratch);
  else reply.nil();
}

function replyEntry(reply: ReplyWriter, entry: EntryCursor): void {
  const { id, fieldCount, field, value } = entry;
  reply.arrayHeader(2);
  replyId(reply, id);
  reply.arrayHeader(fieldCount * 2);
  for (let left = fieldCount; left > 0; left -= 1) {
    entry.nextField();
    field.read();
    reply.bulk(field.text, field.textAt, field.textLength);
    value.read();
    reply.bulk(value.text, value.textAt, value.textLength);
  }
}
