/** Writes the value of a record with the type that Redis 7.4 gives it in the same encoding. */
import { assert, reused, unreachable } from '#base';
import { Encoding } from '../records/encodings.ts';
import { HashValue } from '../hash/hash-value.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Quicklist } from '../list/quicklist.ts';
import type { Ref } from '../memory/segment.ts';
import { SetValue } from '../set/set-value.ts';
import type { RankedTable } from '../sorted-set/ranked-table.ts';
import type { Stream } from '../stream/stream.ts';
import { ValueType } from '../records/value-type.ts';
import { NodeForm, RDB_VERSION, RdbType } from './rdb-type.ts';
import type { RdbWriter } from './rdb-writer.ts';
import { writeStream } from './write-stream.ts';

/** Reading takes no notice of limits. */
const NO_LIMITS = { entries: 0, valueBytes: 0, intsetEntries: 0 };

const hashScratch = reused(new HashValue());
const setScratch = reused(new SetValue());

/** The first version of the format in which small sets are listpacks, and consumers say when they were active. */
const VERSION_OF_7_2 = 11;

/** The version that Redis 7.0 reads. */
export const VERSION_OF_7_0 = 10;

/** Returns the oldest version that has such a value: hashes whose fields end are new in 7.4. */
export function versionFor(keyspace: Keyspace, ref: Ref): number {
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
    case ValueType.stream:
      writer.byte(isOld ? RdbType.stream2 : RdbType.stream3);
      writeStream(writer, keyspace.object(ref) as Stream, isOld);
      return;
    default:
      assert(type === ValueType.hash, 'a type that can be dumped');
      writeHash(writer, keyspace, ref);
  }
}

/** The value is one string. */
function writePacked(writer: RdbWriter, keyspace: Keyspace, ref: Ref, type: number): void {
  const { bytes, at, length } = keyspace.value(ref);
  writer.byte(type);
  writer.string(bytes, at, length);
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
  const { nodes } = keyspace.object(ref) as Quicklist;
  writer.length(nodes.nodeCount);
  for (let node = nodes.head; node !== undefined; node = node.next) {
    writer.length(node.isPlain ? NodeForm.plain : NodeForm.packed);
    if (node.isCompressed) writer.compressedString(node.bytes, node.size);
    else writer.string(node.bytes, node.start, node.size);
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
  setScratch.open(keyspace, ref, NO_LIMITS);
  writer.byte(RdbType.set);
  writer.length(setScratch.count);
  for (let more = setScratch.first(); more; more = setScratch.next()) {
    setScratch.read();
    writer.string(setScratch.bytes, setScratch.at, setScratch.length);
  }
}

/** The last member comes first, which lets Redis put each at the head. */
function writeSortedSet(writer: RdbWriter, keyspace: Keyspace, ref: Ref): void {
  if (keyspace.encoding(ref) === Encoding.listpack) {
    writePacked(writer, keyspace, ref, RdbType.zsetListpack);
    return;
  }
  const ranked = keyspace.object(ref) as RankedTable;
  const { count } = ranked;
  writer.byte(RdbType.zset2);
  writer.length(count);
  for (let more = ranked.seek(count - 1); more; more = ranked.prev()) {
    ranked.read();
    writer.string(ranked.bytes, ranked.at, ranked.length);
    writer.double(ranked.score);
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
      hashScratch.open(keyspace, ref, NO_LIMITS);
      writeFields(writer, encoding === Encoding.hashtableEx);
      return;
    default:
      unreachable(`a hash in encoding ${String(encoding)}`);
  }
}

/** Ends are counted from the first one; 0 is for none. */
function writeFields(writer: RdbWriter, hasEnds: boolean): void {
  const { soonest } = hashScratch;
  writer.byte(hasEnds ? RdbType.hashMetadata : RdbType.hash);
  if (hasEnds) writer.milliseconds(soonest);
  writer.length(hashScratch.count);
  for (let more = hashScratch.first(); more; more = hashScratch.next()) {
    const { expiry } = hashScratch;
    if (hasEnds) writer.length(expiry < 0 ? 0 : expiry - soonest + 1);
    hashScratch.readField();
    writer.string(hashScratch.bytes, hashScratch.at, hashScratch.length);
    hashScratch.readValue();
    writer.string(hashScratch.bytes, hashScratch.at, hashScratch.length);
  }
}
