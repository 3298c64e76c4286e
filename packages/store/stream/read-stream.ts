/** Reads streams in the forms that Redis has written them in, from 5.0 to 8.8. */

import { type Bytes, finish, latin1, reused, type Steps } from '#base';
import { Encoding } from '../values/encodings.ts';
import { Listpack } from '../listpack/listpack.ts';
import { IdPlace } from './id-index.ts';
import type { IdempotencyLimits } from './idempotent-ids.ts';
import {
  DELIVERIES_MAX,
  UNKNOWN_READ,
  type StreamConsumer,
  type StreamGroup,
} from './stream-group.ts';
import { StreamId } from './stream-id.ts';
import {
  ENTRY_HEAD_ELEMENTS,
  EntryFlag,
  nodeCounts,
  readCounts,
  readEntryId,
} from './stream-node.ts';
import { Stream } from './stream.ts';
import { ValueType } from '../values/value-type.ts';
import { checkedListpack } from '../rdb/format/listpack-check.ts';
import { demand } from '../rdb/format/malformed.ts';
import { RdbType } from '../rdb/format/rdb-type.ts';
import type { RdbReader } from '../rdb/format/rdb-reader.ts';
import type { FinishedValue } from '../rdb/format/finished-value.ts';

const WORD = 2 ** 32;
const ID_BYTES = 16;
/** The fewest bytes of an entry that is pending, a consumer, a group and a node. */
const PENDING_BYTES = ID_BYTES + 9;
const CONSUMER_BYTES = 10;
const GROUP_BYTES = 5;
const NODE_BYTES = 18;
/** The fewest bytes of a producer, and of an idempotent id. */
const PRODUCER_BYTES = 2;
const IDEMPOTENT_BYTES = 3;
const FLAGS = EntryFlag.deleted | EntryFlag.sameFields;

const placeScratch = new IdPlace();
const cursorScratch = reused(new Listpack());

/** Differences between a form and the others. */
interface Form {
  /** It has the first id, the highest deleted one, and how much was added and read. */
  readonly hasCounters: boolean;
  /** It has when a consumer was given something. */
  readonly hasActivity: boolean;
  /** It has idempotent ids. */
  readonly hasIdempotency: boolean;
  /** It has pending entries that consumers have released. */
  readonly hasReleased: boolean;
  /** True for data that this program has just written, or that a checksum protects: nodes are not checked. */
  readonly isOwn: boolean;
}

/** Reads a stream; one without limits of idempotent ids gets those given. */
export function readStream(
  reader: RdbReader,
  type: number,
  limits?: IdempotencyLimits,
): FinishedValue {
  const form = {
    hasCounters: type >= RdbType.stream2,
    hasActivity: type >= RdbType.stream3,
    hasIdempotency: type >= RdbType.stream4,
    hasReleased: type >= RdbType.stream5,
    isOwn: false,
  };
  const value = finish(streamBodySteps(reader, form, limits));
  return { type: ValueType.stream, encoding: Encoding.stream, value };
}

/** Reads what follows the type. */
export function* streamBodySteps(
  reader: RdbReader,
  form: Form,
  limits?: IdempotencyLimits,
): Steps<Stream> {
  const stream = new Stream(limits);
  const last = new StreamId();
  const live = yield* readNodes(reader, stream, form.isOwn ? undefined : last);
  const stored = reader.length();
  // Redis 5 wrote wrong ones, and later ones take any of a stream that has entries.
  demand(stored === live || (stream.nodes.index.count > 0 && !form.isOwn));
  stream.length = live;
  readId(reader, stream.lastId);
  demand(live === 0 || last.compare(stream.lastId) <= 0);
  if (form.hasCounters) {
    readId(reader, stream.firstId);
    readId(reader, stream.maxDeletedId);
    stream.entriesAdded = reader.signed();
    demand(stream.entriesAdded >= 0);
  } else {
    stream.entriesAdded = stream.length;
    stream.refreshFirst();
  }
  for (let left = reader.pieces(GROUP_BYTES); left > 0; left -= 1) {
    readGroup(reader, stream, form);
    yield;
  }
  if (form.hasIdempotency) yield* readIdempotency(reader, stream);
  return stream;
}

/** Reads limits, idempotent ids by producer, and counters. */
function* readIdempotency(reader: RdbReader, stream: Stream): Steps<void> {
  const durationSeconds = reader.length();
  const maxSize = reader.length();
  demand(durationSeconds > 0 && maxSize > 0);
  const { idempotentIds } = stream;
  idempotentIds.limits = { durationSeconds, maxSize };
  const id = new StreamId();
  for (let producers = reader.pieces(PRODUCER_BYTES); producers > 0; producers -= 1) {
    const name = latin1(reader.string());
    for (let left = reader.pieces(IDEMPOTENT_BYTES); left > 0; left -= 1) {
      const idempotentId = latin1(reader.string());
      readId(reader, id);
      idempotentIds.restore(name, idempotentId, id);
    }
    yield;
  }
  idempotentIds.added = reader.length();
  idempotentIds.duplicates = reader.length();
}

/**
 * Counts the entries that are not deleted. They are read if `last` is given, which receives the id of the last one.
 */
function* readNodes(reader: RdbReader, stream: Stream, last: StreamId | undefined): Steps<number> {
  const id = new StreamId();
  let live = 0;
  for (let left = reader.pieces(NODE_BYTES); left > 0; left -= 1) {
    const key = reader.string();
    demand(key.length === ID_BYTES);
    setKey(id, key, 0);
    let listpack = reader.string();
    if (last === undefined) {
      readCounts(listpack, 0);
      live += nodeCounts.live;
    } else {
      demand(stream.nodes.index.count === 0 || id.compare(last) > 0);
      listpack = checkedListpack(listpack);
      live += checkNode(listpack, id, last);
    }
    stream.nodes.begin(id, listpack);
    yield;
  }
  return live;
}

/** Checks a node's entries, whose ids ascend; returns how many are not deleted. */
function checkNode(listpack: Bytes, node: StreamId, last: StreamId): number {
  const id = new StreamId();
  cursorScratch.point(listpack, 0);
  demand(cursorScratch.first());
  const live = integer();
  step();
  const deleted = integer();
  step();
  const fields = integer();
  step();
  skip(fields);
  demand(integer() === 0);
  let liveSeen = 0;
  let deletedSeen = 0;
  last.set(node);
  while (cursorScratch.next()) {
    const flags = checkEntry(fields, node, id);
    const isFirst = liveSeen + deletedSeen === 0;
    demand(isFirst ? id.compare(last) >= 0 : id.compare(last) > 0);
    last.set(id);
    if ((flags & EntryFlag.deleted) === 0) liveSeen += 1;
    else deletedSeen += 1;
  }
  demand(live === liveSeen && deleted === deletedSeen && liveSeen + deletedSeen > 0);
  return live;
}

/** Goes from an entry's flags to its last element; returns the flags. */
function checkEntry(fields: number, node: StreamId, id: StreamId): number {
  const flags = integer();
  demand(flags <= FLAGS);
  step();
  demand(cursorScratch.isInteger);
  // Both parts are looked at before they are read.
  const at = cursorScratch.offset;
  step();
  demand(cursorScratch.isInteger);
  step();
  cursorScratch.moveTo(at);
  readEntryId(cursorScratch, node, id);
  let elements = ENTRY_HEAD_ELEMENTS + fields;
  if ((flags & EntryFlag.sameFields) === 0) {
    const own = integer();
    step();
    skip(2 * own);
    elements = ENTRY_HEAD_ELEMENTS + 1 + 2 * own;
  } else {
    skip(fields);
  }
  demand(integer() === elements);
  return flags;
}

/** The current element as a number that counts something. */
function integer(): number {
  demand(cursorScratch.isInteger);
  const value = cursorScratch.integer;
  demand(value >= 0 && Number.isSafeInteger(value));
  return value;
}

function step(): void {
  demand(cursorScratch.next());
}

function skip(count: number): void {
  for (let left = count; left > 0; left -= 1) step();
}

function readGroup(reader: RdbReader, stream: Stream, form: Form): void {
  const name = latin1(reader.string());
  demand(stream.groups.get(name) === undefined);
  const lastId = new StreamId();
  readId(reader, lastId);
  const read = form.hasCounters ? reader.signed() : stream.countUpTo(lastId);
  demand(read >= UNKNOWN_READ);
  const group = stream.createGroup(name, lastId, read);
  const id = new StreamId();
  for (let left = reader.pieces(PENDING_BYTES); left > 0; left -= 1) {
    setKey(id, reader.raw(ID_BYTES), 0);
    demand(!group.pending.find(id, placeScratch));
    group.enter(id, placeScratch);
    const deliveredMs = reader.milliseconds();
    group.setDelivery(placeScratch, deliveredMs, readDeliveries(reader));
  }
  let owned = 0;
  for (let left = reader.pieces(CONSUMER_BYTES); left > 0; left -= 1) {
    owned += readConsumer(reader, group, form);
  }
  if (form.hasReleased) owned += readReleased(reader, group);
  demand(owned === group.pending.count);
}

/** Reads entries without a consumer, in the order of their release; returns their number. */
function readReleased(reader: RdbReader, group: StreamGroup): number {
  const count = reader.pieces(ID_BYTES);
  if (count > 0) group.keepDeliveryOrder();
  const id = new StreamId();
  for (let left = count; left > 0; left -= 1) {
    setKey(id, reader.raw(ID_BYTES), 0);
    demand(group.pending.find(id, placeScratch) && group.consumerAt(placeScratch) === undefined);
    const unixMs = group.deliveredMs(placeScratch);
    group.setDelivery(placeScratch, unixMs, group.deliveries(placeScratch));
  }
  return count;
}

/** Reads a number of 64 bits, of which the highest signed one is the most that is kept. */
function readDeliveries(reader: RdbReader): number {
  const { high, low } = reader.wideLength();
  return Math.min((high >>> 0) * WORD + (low >>> 0), DELIVERIES_MAX);
}

/** Reads a consumer; returns the number of its pending entries. */
function readConsumer(reader: RdbReader, group: StreamGroup, form: Form): number {
  const name = latin1(reader.string());
  demand(group.consumers.get(name) === undefined);
  const consumer = group.createConsumer(name, reader.milliseconds());
  consumer.activeMs = form.hasActivity ? reader.milliseconds() : consumer.seenMs;
  const count = reader.pieces(ID_BYTES);
  const id = new StreamId();
  for (let left = count; left > 0; left -= 1) {
    setKey(id, reader.raw(ID_BYTES), 0);
    claim(group, consumer, id);
  }
  return count;
}

function claim(group: StreamGroup, consumer: StreamConsumer, id: StreamId): void {
  demand(group.pending.find(id, placeScratch) && group.consumerAt(placeScratch) === undefined);
  group.assign(placeScratch, id, consumer);
}

function readId(reader: RdbReader, id: StreamId): void {
  const ms = reader.wideLength();
  const { high, low } = ms;
  const seq = reader.wideLength();
  id.setWords(high, low, seq.high, seq.low);
}

function setKey(id: StreamId, bytes: Bytes, at: number): void {
  id.setWords(
    bigEndian(bytes, at),
    bigEndian(bytes, at + 4),
    bigEndian(bytes, at + 8),
    bigEndian(bytes, at + 12),
  );
}

function bigEndian(bytes: Bytes, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}
