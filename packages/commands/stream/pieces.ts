/** Pieces that make up a stream, one by one: for digests. */

import { type Bytes, fromLatin1 } from '#base';
import { EntryCursor, IdPlace, type Stream, type StreamGroup, StreamId } from '#store';

type Visit = (pieces: readonly Bytes[]) => void;

/**
 * Calls back with each entry, with the counters, and with each group and what is pending in it. When
 * that was delivered, and when consumers were seen, is left out.
 */
export function eachPieceOfStream(stream: Stream, visit: Visit): void {
  const { lastId, maxDeletedId, entriesAdded, groups } = stream;
  const texts = [lastId, maxDeletedId, entriesAdded].map((each) => fromLatin1(String(each)));
  visit(texts);
  const cursor = new EntryCursor();
  cursor.open(stream.nodes, new StreamId(), new StreamId().setMax());
  while (cursor.next()) visit(entryPieces(cursor));
  for (const group of groups.sorted) eachPieceOfGroup(group, visit);
}

function entryPieces(cursor: EntryCursor): Bytes[] {
  const pieces: Bytes[] = [fromLatin1(String(cursor.id))];
  for (let left = cursor.fieldCount; left > 0; left -= 1) {
    cursor.nextField();
    pieces.push(cursor.field.copy(), cursor.value.copy());
  }
  return pieces;
}

function eachPieceOfGroup(group: StreamGroup, visit: Visit): void {
  const { name, lastId, entriesRead, consumers, pending } = group;
  const texts = (...all: (string | number)[]): Bytes[] => all.map((each) => fromLatin1(`${each}`));
  visit(texts(name, String(lastId), entriesRead));
  for (const consumer of consumers.sorted) visit(texts(name, consumer.name));
  const place = new IdPlace();
  const id = new StreamId();
  for (let more = pending.first(place); more; more = pending.next(place)) {
    pending.readId(place, id);
    const owner = group.consumerAt(place)?.name ?? '';
    visit(texts(name, owner, String(id), group.deliveries(place)));
  }
}
