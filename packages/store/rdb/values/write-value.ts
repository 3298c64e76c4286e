/** Writes the value of a record with the type that Redis 7.4 gives it in the same encoding. */
import { assert, type Bytes, finish, inSteps, reused, type Steps, unreachable } from '#base';
import { Encoding } from '../../values/encodings.ts';
import { HashValue } from '../../hash/hash-value.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import type { Quicklist } from '../../list/quicklist.ts';
import type { Ref } from '../../memory/segment.ts';
import { SetValue } from '../../set/set-value.ts';
import type { RankedTable } from '../../sorted-set/ranked-table.ts';
import type { Stream } from '../../stream/stream.ts';
import { LONG_COPY_BYTES } from '../../memory/limits.ts';
import { ValueType } from '../../values/value-type.ts';
import { NodeForm, PAYLOAD_VERSION_MAX, RDB_VERSION, RdbOp, RdbType } from '../format/rdb-type.ts';
import { RdbWriter } from '../format/rdb-writer.ts';
import { type StreamForm, streamSteps, writeStream } from '../../stream/write-stream.ts';

/** Elements of a table that are written between two steps. */
const ELEMENTS_PER_STEP = 128;

/** Reading takes no notice of limits. */
const NO_LIMITS = { entries: 0, valueBytes: 0, intsetEntries: 0 };

const hashScratch = reused(new HashValue());
const setScratch = reused(new SetValue());

/** The first version of the format in which small sets are listpacks, and consumers say when they were active. */
const VERSION_OF_7_2 = 11;

/** The version that Redis 7.0 reads. */
export const VERSION_OF_7_0 = 10;

/**
 * Returns the oldest version that has such a value: hashes whose fields end are new in 7.4, and streams with idempotent
 * ids or released entries in 8.8.
 */
export function versionFor(keyspace: Keyspace, ref: Ref): number {
  if (isExtended(keyspace, ref)) return PAYLOAD_VERSION_MAX;
  if (keyspace.type(ref) !== ValueType.hash) return VERSION_OF_7_0;
  const encoding = keyspace.encoding(ref);
  const isOld = encoding === Encoding.listpack || encoding === Encoding.hashtable;
  return isOld ? VERSION_OF_7_0 : RDB_VERSION;
}

/** Writes the type and the value, as Redis 7.4 does, or in a form that older versions read. */
export function writeValue(
  writer: RdbWriter,
  keyspace: Keyspace,
  ref: Ref,
  version = RDB_VERSION,
): void {
  const isOld = version < VERSION_OF_7_2;
  const type = keyspace.type(ref);
  switch (type) {
    case ValueType.string:
      writePacked(writer, keyspace, ref, RdbType.string);
      return;
    case ValueType.list:
      writeList(writer, keyspace, ref);
      return;
    case ValueType.set:
      writeSet(writer, keyspace, ref, isOld);
      return;
    case ValueType.zset:
      writeSortedSet(writer, keyspace, ref);
      return;
    case ValueType.stream: {
      const stream = keyspace.object(ref) as Stream;
      const form = streamFormOf(stream, version);
      writer.byte(STREAM_TYPES[form]);
      writeStream(writer, stream, form);
      return;
    }
    default:
      assert(type === ValueType.hash, 'a type that can be dumped');
      writeHash(writer, keyspace, ref);
  }
}

const STREAM_TYPES = {
  '7.0': RdbType.stream2,
  '7.2': RdbType.stream3,
  '8.8': RdbType.stream5,
} as const satisfies Record<StreamForm, number>;

/** Form of a stream: the newest that a version of the format has, if the stream needs it. */
function streamFormOf(stream: Stream, version: number): StreamForm {
  if (version < VERSION_OF_7_2) return '7.0';
  return version >= PAYLOAD_VERSION_MAX && stream.isExtended ? '8.8' : '7.2';
}

/** Returns true if a version of Redis before 8.8 loses a part of a value: idempotent ids, and who released entries. */
export function isExtended(keyspace: Keyspace, ref: Ref): boolean {
  return keyspace.type(ref) === ValueType.stream && (keyspace.object(ref) as Stream).isExtended;
}

/** The value is one string. */
function writePacked(writer: RdbWriter, keyspace: Keyspace, ref: Ref, type: number): void {
  const { bytes, at, length, view } = keyspace.value(ref);
  writer.byte(type);
  writer.string(bytes, at, length, view);
}

function writeList(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  writer.byte(RdbType.listQuicklist2);
  if (keyspace.encoding(ref) === Encoding.listpack) {
    const { bytes, at, length } = keyspace.value(ref);
    writer.length(1);
    writer.length(NodeForm.packed);
    writer.string(bytes, at, length);
    return;
  }
  finish(nodeSteps(writer, keyspace.object(ref) as Quicklist));
}

function* nodeSteps(writer: RdbWriter, { nodes }: Quicklist): Steps<void> {
  writer.length(nodes.nodeCount);
  for (let node = nodes.head; node !== undefined; node = node.next) {
    writer.length(node.isPlain ? NodeForm.plain : NodeForm.packed);
    if (node.isCompressed) writer.compressedString(node.bytes, node.size);
    else writer.string(node.bytes, node.start, node.size);
    yield;
  }
}

function writeSet(writer: RdbWriter, keyspace: Keyspace, ref: Ref, isOld: boolean): void {
  const encoding = keyspace.encoding(ref);
  const isUnpacked = encoding === Encoding.hashtable || (isOld && encoding === Encoding.listpack);
  if (!isUnpacked) {
    const isIntset = encoding === Encoding.intset;
    writePacked(writer, keyspace, ref, isIntset ? RdbType.setIntset : RdbType.setListpack);
    return;
  }
  writer.byte(RdbType.set);
  finish(memberSteps(writer, setScratch.open(keyspace, ref, NO_LIMITS)));
}

function* memberSteps(writer: RdbWriter, set: SetValue): Steps<void> {
  writer.length(set.count);
  let written = 0;
  for (let more = set.first(); more; more = set.next()) {
    set.read();
    writer.string(set.bytes, set.at, set.length);
    written += 1;
    if (written % ELEMENTS_PER_STEP === 0) yield;
  }
}

/** The last member comes first, which lets Redis put each at the head. */
function writeSortedSet(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  if (keyspace.encoding(ref) === Encoding.listpack) {
    writePacked(writer, keyspace, ref, RdbType.zsetListpack);
    return;
  }
  writer.byte(RdbType.zset2);
  finish(rankedSteps(writer, keyspace.object(ref) as RankedTable));
}

function* rankedSteps(writer: RdbWriter, ranked: RankedTable): Steps<void> {
  const { count } = ranked;
  writer.length(count);
  for (let rank = count - 1; rank >= 0; rank -= ELEMENTS_PER_STEP) {
    // Its place is one for all who read it, and others may have done so between two steps.
    let more = ranked.seek(rank);
    for (let left = ELEMENTS_PER_STEP; more && left > 0; left -= 1) {
      ranked.read();
      writer.string(ranked.bytes, ranked.at, ranked.length);
      writer.double(ranked.score);
      more = ranked.prev();
    }
    yield;
  }
}

function writeHash(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  const encoding = keyspace.encoding(ref);
  switch (encoding) {
    case Encoding.listpack:
      writePacked(writer, keyspace, ref, RdbType.hashListpack);
      return;
    case Encoding.listpackEx:
    case Encoding.listpackExIdle: {
      hashScratch.open(keyspace, ref, NO_LIMITS);
      writer.byte(RdbType.hashListpackEx);
      writer.milliseconds(Math.max(hashScratch.soonest, 0));
      const { bytes, at, length } = keyspace.value(ref);
      writer.string(bytes, at, length);
      return;
    }
    case Encoding.hashtable:
    case Encoding.hashtableEx:
      writer.byte(encoding === Encoding.hashtableEx ? RdbType.hashMetadata : RdbType.hash);
      hashScratch.open(keyspace, ref, NO_LIMITS);
      finish(fieldSteps(writer, hashScratch, encoding === Encoding.hashtableEx));
      return;
    default:
      unreachable(`a hash in encoding ${String(encoding)}`);
  }
}

/** Ends are counted from the first one; 0 is for none. */
function* fieldSteps(writer: RdbWriter, hash: HashValue, hasEnds: boolean): Steps<void> {
  const { soonest } = hash;
  if (hasEnds) writer.milliseconds(soonest);
  writer.length(hash.count);
  let written = 0;
  for (let more = hash.first(); more; more = hash.next()) {
    const { expiry } = hash;
    if (hasEnds) writer.length(expiry < 0 ? 0 : expiry - soonest + 1);
    hash.readField();
    writer.string(hash.bytes, hash.at, hash.length);
    hash.readValue();
    writer.string(hash.bytes, hash.at, hash.length);
    written += 1;
    if (written % ELEMENTS_PER_STEP === 0) yield;
  }
}

/** True when servers that read no higher version can read the value: those before 7.4 know no fields that end. */
export function fitsVersion(keyspace: Keyspace, ref: Ref, version: number): boolean {
  if (version >= RDB_VERSION || !hasFieldEnds(keyspace, ref)) return true;
  return hashScratch.open(keyspace, ref, NO_LIMITS).soonest < 0;
}

function hasFieldEnds(keyspace: Keyspace, ref: Ref): boolean {
  const encoding = keyspace.encoding(ref);
  return (
    keyspace.type(ref) === ValueType.hash &&
    encoding !== Encoding.listpack &&
    encoding !== Encoding.hashtable
  );
}

/**
 * Writes a value as `writeValue` does, in steps. The value must stay as it is until then, wherever its record may lie
 * meanwhile: what is short is written at once, all else has its own memory.
 */
export function valueSteps(
  writer: RdbWriter,
  keyspace: Keyspace,
  ref: Ref,
  version: number,
): Steps<void> {
  if (keyspace.isObject(ref)) return objectSteps(writer, keyspace, ref, version);
  const { bytes, at, length } = keyspace.value(ref);
  if (keyspace.type(ref) === ValueType.string && length > LONG_COPY_BYTES) {
    return stringSteps(writer, bytes.subarray(at, at + length));
  }
  if (version < RDB_VERSION && hasFieldEnds(keyspace, ref)) {
    // Its fields have lost their ends: see `fitsVersion`.
    writer.byte(RdbType.hash);
    finish(fieldSteps(writer, hashScratch.open(keyspace, ref, NO_LIMITS), false));
  } else {
    writeValue(writer, keyspace, ref, version);
  }
  return noSteps();
}

function objectSteps(
  writer: RdbWriter,
  keyspace: Keyspace,
  ref: Ref,
  version: number,
): Steps<void> {
  switch (keyspace.type(ref)) {
    case ValueType.list:
      writer.byte(RdbType.listQuicklist2);
      return nodeSteps(writer, keyspace.object(ref) as Quicklist);
    case ValueType.set:
      writer.byte(RdbType.set);
      return memberSteps(writer, new SetValue().open(keyspace, ref, NO_LIMITS));
    case ValueType.zset:
      writer.byte(RdbType.zset2);
      return rankedSteps(writer, keyspace.object(ref) as RankedTable);
    case ValueType.stream: {
      const stream = keyspace.object(ref) as Stream;
      const form = streamFormOf(stream, version);
      writer.byte(STREAM_TYPES[form]);
      return streamSteps(writer, stream, form);
    }
    default: {
      const hasEnds = version >= RDB_VERSION && hasFieldEnds(keyspace, ref);
      writer.byte(hasEnds ? RdbType.hashMetadata : RdbType.hash);
      return fieldSteps(writer, new HashValue().open(keyspace, ref, NO_LIMITS), hasEnds);
    }
  }
}

/** Stands for what is written already. */
function* noSteps(): Steps<void> {}

function* stringSteps(writer: RdbWriter, value: Bytes): Steps<void> {
  writer.byte(RdbType.string);
  writer.length(value.length);
  yield* inSteps(value, (part) => {
    writer.raw(part, 0, part.length);
  });
}

/** Writes a key with its expiry and its use; `value` holds what `writeValue` has made of it. */
export function writeKey(writer: RdbWriter, keyspace: Keyspace, ref: Ref, value: RdbWriter): void {
  writeKeyDetails(writer, keyspace, ref);
  writer.byte(value.written[0]!);
  writeKeyName(writer, keyspace, ref);
  writer.rest(value, 1);
}

/** A key that is the text of a number may be one. */
function writeKeyName(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  const { bytes, at, length, view } = keyspace.key(ref);
  writer.string(bytes, at, length, view);
}

/** Writes a key with a string, which needs no preparation. */
export function writeStringKey(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  writeKeyDetails(writer, keyspace, ref);
  writer.byte(RdbType.string);
  writeKeyName(writer, keyspace, ref);
  const { bytes, at, length, view } = keyspace.value(ref);
  writer.string(bytes, at, length, view);
}

/** Writes when a key expires and how it was used, which stands before the type of its value. */
function writeKeyDetails(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  const expireAt = keyspace.expireAt(ref);
  if (expireAt >= 0) {
    writer.byte(RdbOp.expireMs);
    writer.milliseconds(expireAt);
  }
  switch (keyspace.usageKind) {
    case 'idle':
      writer.byte(RdbOp.idle);
      writer.length(keyspace.idleSeconds(ref));
      break;
    case 'frequency':
      writer.byte(RdbOp.frequency);
      writer.byte(keyspace.frequency(ref));
      break;
    case undefined:
      break;
  }
}

/** Bytes of a piece of a value that is written in steps, about. */
const STEP_BYTES = 128 * 1024;

/**
 * Writes a key like `writeKey`, incrementally and in the oldest version that has its value, after the current output of
 * the writer; hands it over in new pieces of memory. The value must not change until it is written; its record may
 * move.
 */
export function keySteps(
  head: RdbWriter,
  keyspace: Keyspace,
  ref: Ref,
  give: (piece: Bytes) => void,
): Steps<void> {
  writeKeyDetails(head, keyspace, ref);
  const key = new RdbWriter();
  writeKeyName(key, keyspace, ref);
  const value = new RdbWriter();
  // What has to be found by the record is found now.
  return pieceSteps(
    head,
    key,
    value,
    valueSteps(value, keyspace, ref, versionFor(keyspace, ref)),
    give,
  );
}

function* pieceSteps(
  head: RdbWriter,
  key: RdbWriter,
  value: RdbWriter,
  steps: Steps<void>,
  give: (piece: Bytes) => void,
): Steps<void> {
  let isDone = steps.next().done === true;
  // The key stands after the first byte of its value, which is the type.
  const { written } = value;
  head.byte(written[0]!);
  head.raw(key.written, 0, key.writtenBytes);
  head.raw(written, 1, written.length - 1);
  value.clear();
  give(head.take());
  while (!isDone) {
    yield;
    isDone = steps.next().done === true;
    if (value.writtenBytes >= STEP_BYTES) give(value.take());
  }
  if (value.writtenBytes > 0) give(value.take());
}
