/** The elements of collections, however they are kept. */

import type { Bytes } from '#base';
import {
  HashValue,
  type Keyspace,
  ListValue,
  type Ref,
  SetValue,
  SortedSetValue,
  type Stream,
  ValueType,
} from '#store';
import { eachPieceOfStream } from '../../stream/pieces.ts';

type Visit = (pieces: readonly Bytes[]) => void;

/** Nothing is written here, so that nothing grows. */
const NO_LIST_LIMITS = { size: 0, compressDepth: 0, plainBytes: 0 };
const NO_LIMITS = { entries: Infinity, valueBytes: Infinity, intsetEntries: Infinity };

/**
 * Calls back with copies of what makes up each element: a member, a field and its value, a member and
 * its score, an index and its element, or a piece of a stream. Returns false for other types.
 */
export function eachElement(keyspace: Keyspace, ref: Ref, visit: Visit): boolean {
  switch (keyspace.type(ref)) {
    case ValueType.hash:
      eachField(keyspace, ref, visit);
      return true;
    case ValueType.set:
      eachMember(keyspace, ref, visit);
      return true;
    case ValueType.zset:
      eachScored(keyspace, ref, visit);
      return true;
    case ValueType.list:
      eachPlace(keyspace, ref, visit);
      return true;
    case ValueType.stream:
      eachPieceOfStream(keyspace.object(ref) as Stream, visit);
      return true;
    default:
      return false;
  }
}

function eachField(keyspace: Keyspace, ref: Ref, visit: Visit): void {
  const hash = new HashValue().open(keyspace, ref, NO_LIMITS);
  for (let more = hash.first(); more; more = hash.next()) {
    hash.readField();
    const field = hash.bytes.slice(hash.at, hash.at + hash.length);
    hash.readValue();
    visit([field, hash.bytes.slice(hash.at, hash.at + hash.length)]);
  }
}

function eachMember(keyspace: Keyspace, ref: Ref, visit: Visit): void {
  const set = new SetValue().open(keyspace, ref, NO_LIMITS);
  for (let more = set.first(); more; more = set.next()) {
    set.read();
    visit([set.bytes.slice(set.at, set.at + set.length)]);
  }
}

function eachScored(keyspace: Keyspace, ref: Ref, visit: Visit): void {
  const set = new SortedSetValue().open(keyspace, ref, NO_LIMITS);
  for (let more = set.seek(0); more; more = set.next()) {
    set.read();
    const member = set.bytes.slice(set.at, set.at + set.length);
    visit([member, Buffer.from(String(set.score), 'latin1')]);
  }
}

function eachPlace(keyspace: Keyspace, ref: Ref, visit: Visit): void {
  const list = new ListValue().open(keyspace, ref, NO_LIST_LIMITS);
  let index = 0;
  for (let more = list.seek(0); more; more = list.next()) {
    list.read();
    visit([Buffer.from(String(index), 'latin1'), list.bytes.slice(list.at, list.at + list.length)]);
    index += 1;
  }
}
