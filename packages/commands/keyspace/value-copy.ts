/**
 * Giving the value of one key to another: moved for RENAME and MOVE, copied for COPY.
 *
 * Bytes are stored again, unless their memory can be handed over. What an object value is,
 * only its codec knows.
 */

import { assert, type Bytes, copyOfBytes, KeyFate, type Steps } from '#base';
import { codecAt, keyScratch, type Keyspace, type Ref, setOptions, valueScratch } from '#store';

/** A key in a database of this shard. */
export interface Place {
  keyspace: Keyspace;
  key: Bytes;
  at: number;
  length: number;
}

/**
 * Copies a value incrementally into the form that `putValue` takes: an object, or all bytes of a string. The value must
 * not change meanwhile.
 */
export function copyValue(keyspace: Keyspace, ref: Ref): Steps<unknown> {
  if (keyspace.isObject(ref)) return codecAt(keyspace, ref).copy(keyspace.object(ref));
  const { bytes, at, length } = keyspace.value(ref);
  return copyOfBytes(bytes.subarray(at, at + length));
}

/** Detaches a value that is dropped, in the form that `putValue` takes; undefined if it cannot be detached. */
export function takeValue(keyspace: Keyspace, ref: Ref): unknown {
  if (keyspace.isObject(ref)) return keyspace.object(ref);
  const { bytes, view } = keyspace.value(ref);
  return view === undefined ? bytes : undefined;
}

/** Stores a copy of `ref`'s value, with its expiry, at `target`, where nothing is left. */
export function putValue(source: Keyspace, ref: Ref, target: Place, copied: unknown): Ref {
  return source.isObject(ref)
    ? putObject(source, ref, target, copied)
    : putBytes(source, ref, target, copied as Bytes, true);
}

/** Takes a value, its expiry and access clock to `target`, where nothing is left. */
export function moveValue(source: Keyspace, origin: Place, target: Place): void {
  const ref = source.peek(origin.key, origin.at, origin.length);
  assert(ref !== 0, 'a key that is moved exists');
  if (source.isWarm(ref) && source === target.keyspace) {
    source.renameWarm(ref, keyScratch.point(target.key, target.at, target.length));
    return;
  }
  const access = source.access(ref);
  let moved: Ref;
  if (source.isObject(ref)) {
    moved = putObject(source, ref, target, source.object(ref));
  } else {
    const { bytes, view } = source.value(ref);
    moved = putBytes(source, ref, target, bytes, view === undefined);
  }
  target.keyspace.setAccess(moved, access);
  source.remove(origin.key, origin.at, origin.length, KeyFate.moved);
}

function putObject(source: Keyspace, ref: Ref, { keyspace, ...to }: Place, object: unknown): Ref {
  const type = source.type(ref);
  const expireAt = source.expireAt(ref);
  const size = codecAt(source, ref).bytesOf(object);
  const encoding = source.encoding(ref);
  const key = keyScratch.point(to.key, to.at, to.length);
  return keyspace.setObject(key, object, size, setOptions({ type, encoding, expireAt }));
}

/** `isGiven` as in `SetOptions`: else the bytes are where the value of `ref` is. */
function putBytes(
  source: Keyspace,
  ref: Ref,
  { keyspace, key, at, length }: Place,
  bytes: Bytes,
  isGiven: boolean,
): Ref {
  const from = isGiven ? 0 : source.value(ref).at;
  const type = source.type(ref);
  const encoding = source.encoding(ref);
  const expireAt = source.expireAt(ref);
  return keyspace.set(
    keyScratch.point(key, at, length),
    valueScratch.point(bytes, from, source.length(ref)),
    setOptions({ type, encoding, expireAt, isGiven }),
  );
}
