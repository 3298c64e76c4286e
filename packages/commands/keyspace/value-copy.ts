/**
 * Giving the value of one key to another: moved for RENAME and MOVE, copied for COPY.
 *
 * Bytes are simply stored again. What an object value is, only its codec knows.
 */

import { assert, finish, KeyFate, type Bytes } from '#base';
import { codecOf, type Keyspace, type Ref } from '#store';

/** A key in a database of this shard. */
export interface Place {
  keyspace: Keyspace;
  key: Bytes;
  at: number;
  length: number;
}

/** Stores a copy of `ref`'s value, with its expiry, at `target`, where nothing is left. */
export function copyValue(source: Keyspace, ref: Ref, target: Place): Ref {
  return store(source, ref, target, false);
}

/** Takes `ref`'s value, expiry and access clock to `target`, where nothing is left. */
export function moveValue(source: Keyspace, origin: Place, target: Place): void {
  const ref = source.peek(origin.key, origin.at, origin.length);
  assert(ref !== 0, 'a key that is moved exists');
  const access = source.access(ref);
  const moved = store(source, ref, target, true);
  target.keyspace.setAccess(moved, access);
  source.remove(origin.key, origin.at, origin.length, KeyFate.moved);
}

function store(source: Keyspace, ref: Ref, target: Place, isMoved: boolean): Ref {
  const { keyspace, key, at, length } = target;
  const type = source.type(ref);
  const encoding = source.encoding(ref);
  const expireAt = source.expireAt(ref);
  let stored: Ref;
  if (source.isObject(ref)) {
    const codec = codecOf(type, encoding);
    const value = source.object(ref);
    const given = isMoved ? value : finish(codec.copy(value));
    stored = keyspace.setObject(key, at, length, type, encoding, given, codec.bytesOf(given));
  } else {
    const value = source.value(ref);
    const { bytes: from, at: fromAt, length: bytes } = value;
    stored = keyspace.set(key, at, length, from, fromAt, bytes, false, type, encoding);
  }
  return expireAt === -1 ? stored : keyspace.setExpireAt(stored, expireAt);
}
