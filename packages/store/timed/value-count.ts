/** Sizes of values as they are counted: bytes of strings, and elements of all else. */
import { reused } from '#base';
import { HashValue } from '../hash/hash-value.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { ListValue } from '../list/list-value.ts';
import type { Ref } from '../memory/segment.ts';
import { ValueType } from '../values/value-type.ts';
import { SetValue } from '../set/set-value.ts';
import { SortedSetValue } from '../sorted-set/sorted-set-value.ts';
import type { Stream } from '../stream/stream.ts';

/** Only read: nothing is converted. */
const NO_LIST_LIMITS = { size: 0, compressDepth: 0, plainBytes: 0 };
const NO_LIMITS = { entries: Infinity, valueBytes: Infinity, intsetEntries: Infinity };

const hashScratch = reused(new HashValue());
const listScratch = reused(new ListValue());
const setScratch = reused(new SetValue());
const sortedSetScratch = reused(new SortedSetValue());

/** Returns the size of a value: bytes of a string, else elements. */
export function sizeOf(keyspace: Keyspace, ref: Ref): number {
  if (keyspace.isWarm(ref)) return keyspace.warmSize(ref);
  switch (keyspace.type(ref)) {
    case ValueType.list:
      return listScratch.open(keyspace, ref, NO_LIST_LIMITS).count;
    case ValueType.set:
      return setScratch.open(keyspace, ref, NO_LIMITS).count;
    case ValueType.zset:
      return sortedSetScratch.open(keyspace, ref, NO_LIMITS).count;
    case ValueType.hash:
      return hashScratch.open(keyspace, ref, NO_LIMITS).count;
    case ValueType.stream:
      return (keyspace.object(ref) as Stream).length;
    default:
      return keyspace.length(ref);
  }
}
