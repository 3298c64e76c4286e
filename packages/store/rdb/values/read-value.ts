/**
 * Reads a value of any type, checks all of it, and gives it the encoding that the commands would give it.
 * Nothing of a keyspace changes before the whole value is read.
 */
import type { PackedLimits } from '../../values/packed-limits.ts';
import type { Piece } from '../../values/piece.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import type { ListLimits } from '../../list/node-limits.ts';
import type { Ref } from '../../memory/segment.ts';
import type { SetLimits } from '../../set/set-value.ts';
import { codecOf } from '../../values/codecs.ts';
import { ValueType } from '../../values/value-type.ts';
import type { FinishedValue } from '../format/finished-value.ts';
import { demand } from '../format/malformed.ts';
import { RdbType } from '../format/rdb-type.ts';
import type { RdbReader } from '../format/rdb-reader.ts';
import { readFields, readFieldsWithEnds, readPackedHash, readZipmap } from './read-hash.ts';
import { readElements, readNodes, readZiplist } from './read-list.ts';
import { readIntset, readMembers, readPackedSet } from './read-set.ts';
import type { IdempotencyLimits } from '../../stream/idempotent-ids.ts';
import { readStream } from '../../stream/read-stream.ts';
import { readPackedSortedSet, readScores } from './read-sorted-set.ts';
import { listpackOfZiplist } from '../format/ziplist.ts';
import { checkedListpack } from '../format/listpack-check.ts';
import { setOptions } from '../../keyspace/set-options.ts';
import { valueScratch } from '../../values/span.ts';

/** Before a listpack of fields that end: the first end. */
const FIRST_END_BYTES = 8;

/** Limits of values of each type, beyond which they are kept another way. */
export interface ValueLimits {
  readonly hash: PackedLimits;
  readonly set: SetLimits;
  readonly zset: PackedLimits;
  readonly list: ListLimits;
  /** Limits of idempotent ids, for streams that come without their own. */
  readonly stream?: IdempotencyLimits;
}

const { stream, stream2, stream3, stream4, stream5 } = RdbType;
const STREAMS: ReadonlySet<number> = new Set([stream, stream2, stream3, stream4, stream5]);

/** Stores a value under a key, replacing any value and its expiry. */
export function storeFinished(
  keyspace: Keyspace,
  key: Piece,
  { type, encoding, value }: FinishedValue,
): Ref {
  const options = setOptions({ type, encoding });
  if (value instanceof Uint8Array) {
    return keyspace.set(key, valueScratch.all(value), options);
  }
  return keyspace.setObject(key, value, codecOf(type, encoding).bytesOf(value), options);
}

/** Reads a value of a type; throws MalformedValueError. */
export function readValue(
  reader: RdbReader,
  keyspace: Keyspace,
  limits: ValueLimits,
  type: number,
): FinishedValue {
  if (STREAMS.has(type)) return readStream(reader, type, limits.stream);
  switch (type) {
    case RdbType.string:
      return { type: ValueType.string, encoding: 0, value: reader.string() };
    case RdbType.list:
      return readElements(reader, limits.list);
    case RdbType.listZiplist:
      return readZiplist(listpackOfZiplist(reader.string()), limits.list);
    case RdbType.listQuicklist:
    case RdbType.listQuicklist2:
      return readNodes(reader, limits.list, type === RdbType.listQuicklist2);
    case RdbType.set:
      return readMembers(reader, keyspace, limits.set);
    case RdbType.setIntset:
      return readIntset(reader.string(), keyspace, limits.set);
    case RdbType.setListpack:
      return readPackedSet(checkedListpack(reader.string()), keyspace, limits.set);
    case RdbType.zset:
    case RdbType.zset2:
      return readScores(reader, keyspace, limits.zset, type === RdbType.zset);
    case RdbType.zsetZiplist:
      return readPackedSortedSet(listpackOfZiplist(reader.string()), keyspace, limits.zset);
    case RdbType.zsetListpack:
      return readPackedSortedSet(checkedListpack(reader.string()), keyspace, limits.zset);
    default:
      return readHash(type, reader, keyspace, limits.hash);
  }
}

function readHash(
  type: number,
  reader: RdbReader,
  keyspace: Keyspace,
  limits: PackedLimits,
): FinishedValue {
  switch (type) {
    case RdbType.hash:
      return readFields(reader, keyspace, limits);
    case RdbType.hashMetadata:
    case RdbType.hashMetadataEarly:
      return readFieldsWithEnds(reader, keyspace, limits, type === RdbType.hashMetadata);
    case RdbType.hashZipmap:
      return readZipmap(reader.string(), keyspace, limits);
    case RdbType.hashZiplist:
      return readPackedHash(listpackOfZiplist(reader.string()), keyspace, limits, false);
    case RdbType.hashListpackEx:
      // Redis ignores it as well: it follows from the fields.
      reader.skip(FIRST_END_BYTES);
      return readPackedHash(checkedListpack(reader.string()), keyspace, limits, true);
    case RdbType.hashListpackExEarly:
      return readPackedHash(checkedListpack(reader.string()), keyspace, limits, true);
    default:
      demand(type === RdbType.hashListpack);
      return readPackedHash(checkedListpack(reader.string()), keyspace, limits, false);
  }
}
