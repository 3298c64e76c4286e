/**
 * Writes a stream as Redis since 7.2 does: nodes, counters, and each group with what is pending and with
 * its consumers.
 */

import { type Bytes, finish, fromLatin1, type Steps } from '#base';
import { IdPlace, type IdIndex } from './id-index.ts';
import type { StreamConsumer, StreamGroup } from './stream-group.ts';
import { StreamId } from './stream-id.ts';
import type { Stream } from './stream.ts';
import type { RdbWriter } from '../rdb/format/rdb-writer.ts';

const ID_BYTES = 16;
/** Ids that are written between two steps. */
const IDS_PER_STEP = 128;
const idScratch = new StreamId();
const keyScratch: Bytes = new Uint8Array(ID_BYTES);

/** Writes what follows the type; for Redis before 7.2, without when consumers were active. */
export function writeStream(writer: RdbWriter, stream: Stream, isOld = false): void {
  finish(streamSteps(writer, stream, isOld));
}

/** Writes a stream incrementally. */
export function* streamSteps(writer: RdbWriter, stream: Stream, isOld = false): Steps<void> {
  const { nodes, groups } = stream;
  const { index } = nodes;
  const at = new IdPlace();
  writer.length(index.count);
  for (let more = index.first(at); more; more = index.next(at)) {
    writeNode(writer, nodes, at);
    yield;
  }
  writer.length(stream.length);
  writeId(writer, stream.lastId);
  writeId(writer, stream.firstId);
  writeId(writer, stream.maxDeletedId);
  writer.signed(stream.entriesAdded);
  writer.length(groups.count);
  for (const group of groups.sorted) yield* groupSteps(writer, group, isOld);
}

function writeNode(writer: RdbWriter, nodes: Stream['nodes'], at: IdPlace): void {
  nodes.index.readId(at, idScratch);
  fillKey();
  writer.string(keyScratch);
  nodes.read(at);
  writer.string(nodes.bytes, nodes.at, nodes.nodeBytes);
}

function* groupSteps(writer: RdbWriter, group: StreamGroup, isOld: boolean): Steps<void> {
  const { pending, consumers, entriesRead } = group;
  writer.string(fromLatin1(group.name));
  writeId(writer, group.lastId);
  writer.signed(entriesRead);
  writer.length(pending.count);
  yield* pendingSteps(writer, pending, (at) => {
    writer.milliseconds(group.deliveredMs(at));
    writer.length(group.deliveries(at));
  });
  writer.length(consumers.count);
  for (const consumer of consumers.sorted) yield* consumerSteps(writer, consumer, isOld);
}

function* consumerSteps(writer: RdbWriter, consumer: StreamConsumer, isOld: boolean): Steps<void> {
  const { pending } = consumer;
  writer.string(fromLatin1(consumer.name));
  writer.milliseconds(consumer.seenMs);
  if (!isOld) writer.milliseconds(consumer.activeMs);
  writer.length(pending.count);
  yield* pendingSteps(writer, pending);
}

/** Writes ids in order, and what follows each of them. */
function* pendingSteps(
  writer: RdbWriter,
  pending: IdIndex,
  follow?: (at: IdPlace) => void,
): Steps<void> {
  const at = new IdPlace();
  let written = 0;
  for (let more = pending.first(at); more; more = pending.next(at)) {
    writeKey(writer, pending, at);
    follow?.(at);
    written += 1;
    if (written % IDS_PER_STEP === 0) yield;
  }
  yield;
}

function writeId(writer: RdbWriter, { msHigh, msLow, seqHigh, seqLow }: StreamId): void {
  writer.wideLength(msHigh, msLow);
  writer.wideLength(seqHigh, seqLow);
}

/** The id at a place, in the order of its bytes. */
function writeKey(writer: RdbWriter, index: IdIndex, at: IdPlace): void {
  index.readId(at, idScratch);
  writer.bigEndian(idScratch.msHigh);
  writer.bigEndian(idScratch.msLow);
  writer.bigEndian(idScratch.seqHigh);
  writer.bigEndian(idScratch.seqLow);
}

function fillKey(): void {
  const words = [idScratch.msHigh, idScratch.msLow, idScratch.seqHigh, idScratch.seqLow];
  for (const [nth, word] of words.entries()) {
    for (let byte = 0; byte < 4; byte += 1) keyScratch[4 * nth + byte] = word >>> (24 - 8 * byte);
  }
}
