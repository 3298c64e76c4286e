/**
 * Writes a stream as Redis does: nodes, counters, and each group with what is pending and with its consumers; and, in the
 * form of Redis 8.8, which of that consumers have released, and the idempotent ids.
 */

import { type Bytes, finish, fromLatin1, type Steps } from '#base';
import { IdPlace, type IdIndex } from './id-index.ts';
import { NEVER, type StreamConsumer, type StreamGroup } from './stream-group.ts';
import { StreamId } from './stream-id.ts';
import type { Stream } from './stream.ts';
import type { RdbWriter } from '../rdb/format/rdb-writer.ts';

const ID_BYTES = 16;
/** Ids that are written between two steps. */
const IDS_PER_STEP = 128;
const idScratch = new StreamId();
const keyScratch: Bytes = new Uint8Array(ID_BYTES);

/** Redis versions whose form a stream is written in. Before 8.8 idempotent ids are left out. */
export type StreamForm = '7.0' | '7.2' | '8.8';

/** Writes what follows the type. */
export function writeStream(writer: RdbWriter, stream: Stream, form: StreamForm): void {
  finish(streamSteps(writer, stream, form));
}

/** Writes a stream incrementally. */
export function* streamSteps(writer: RdbWriter, stream: Stream, form: StreamForm): Steps<void> {
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
  for (const group of groups.sorted) yield* groupSteps(writer, group, form);
  if (form === '8.8') yield* idempotencySteps(writer, stream);
}

function writeNode(writer: RdbWriter, nodes: Stream['nodes'], at: IdPlace): void {
  nodes.index.readId(at, idScratch);
  fillKey();
  writer.string(keyScratch);
  nodes.read(at);
  writer.string(nodes.bytes, nodes.at, nodes.nodeBytes);
}

function* groupSteps(writer: RdbWriter, group: StreamGroup, form: StreamForm): Steps<void> {
  const { pending, entriesRead } = group;
  writer.string(fromLatin1(group.name));
  writeId(writer, group.lastId);
  writer.signed(entriesRead);
  writer.length(pending.count);
  yield* pendingSteps(writer, pending, (at) => {
    writer.milliseconds(group.deliveredMs(at));
    writeDeliveries(writer, group.deliveries(at));
  });
  if (form === '8.8') {
    yield* consumersSteps(writer, group, form, []);
    yield* releasedSteps(writer, group.releasedIds());
  } else {
    yield* consumersSteps(writer, group, form, group.releasedIds());
  }
}

/** Older servers know no pending entry without a consumer: that of released ones has no name, as XPENDING shows it. */
function* consumersSteps(
  writer: RdbWriter,
  { consumers }: StreamGroup,
  form: StreamForm,
  released: readonly StreamId[],
): Steps<void> {
  const hasNameless = consumers.get('') !== undefined;
  const isMade = released.length > 0 && !hasNameless;
  writer.length(consumers.count + (isMade ? 1 : 0));
  if (isMade) {
    writeConsumerHead(writer, { name: '', seenMs: 0, activeMs: NEVER }, form);
    yield* releasedSteps(writer, released);
  }
  for (const consumer of consumers.sorted) {
    const { name, pending } = consumer;
    writeConsumerHead(writer, consumer, form);
    const others = name === '' ? released : [];
    writer.length(pending.count + others.length);
    yield* pendingSteps(writer, pending);
    for (const id of others) writeKey(writer, id);
  }
}

function writeConsumerHead(
  writer: RdbWriter,
  { name, seenMs, activeMs }: Pick<StreamConsumer, 'name' | 'seenMs' | 'activeMs'>,
  form: StreamForm,
): void {
  writer.string(fromLatin1(name));
  writer.milliseconds(seenMs);
  if (form !== '7.0') writer.milliseconds(activeMs);
}

/** Writes the number of released entries, and their ids in the order of their release. */
function* releasedSteps(writer: RdbWriter, ids: readonly StreamId[]): Steps<void> {
  writer.length(ids.length);
  for (const [nth, id] of ids.entries()) {
    writeKey(writer, id);
    if (nth % IDS_PER_STEP === 0) yield;
  }
}

function* idempotencySteps(writer: RdbWriter, { idempotentIds }: Stream): Steps<void> {
  const { durationSeconds, maxSize } = idempotentIds.limits;
  writer.length(durationSeconds);
  writer.length(maxSize);
  writer.length(idempotentIds.producerCount);
  for (const [name, ids] of idempotentIds.each()) {
    writer.string(fromLatin1(name));
    writer.length(ids.size);
    for (const [idempotentId, id] of ids.entries()) {
      writer.string(fromLatin1(idempotentId));
      writeId(writer, id);
    }
    yield;
  }
  writer.length(idempotentIds.added);
  writer.length(idempotentIds.duplicates);
}

/** Writes ids in order, and what follows each of them. */
function* pendingSteps(
  writer: RdbWriter,
  pending: IdIndex,
  follow?: (at: IdPlace) => void,
): Steps<void> {
  const at = new IdPlace();
  const id = new StreamId();
  let written = 0;
  for (let more = pending.first(at); more; more = pending.next(at)) {
    pending.readId(at, id);
    writeKey(writer, id);
    follow?.(at);
    written += 1;
    if (written % IDS_PER_STEP === 0) yield;
  }
  yield;
}

/** A number of deliveries, which XNACK FATAL sets to the highest of 64 bits. */
function writeDeliveries(writer: RdbWriter, deliveries: number): void {
  if (Number.isSafeInteger(deliveries)) writer.length(deliveries);
  else writer.signed(deliveries);
}

function writeId(writer: RdbWriter, { msHigh, msLow, seqHigh, seqLow }: StreamId): void {
  writer.wideLength(msHigh, msLow);
  writer.wideLength(seqHigh, seqLow);
}

/** An id in the order of its bytes. */
function writeKey(writer: RdbWriter, { msHigh, msLow, seqHigh, seqLow }: StreamId): void {
  writer.bigEndian(msHigh);
  writer.bigEndian(msLow);
  writer.bigEndian(seqHigh);
  writer.bigEndian(seqLow);
}

function fillKey(): void {
  const words = [idScratch.msHigh, idScratch.msLow, idScratch.seqHigh, idScratch.seqLow];
  for (const [nth, word] of words.entries()) {
    for (let byte = 0; byte < 4; byte += 1) keyScratch[4 * nth + byte] = word >>> (24 - 8 * byte);
  }
}
