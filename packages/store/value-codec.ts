/**
 * What the owner of a value type says about values that are JavaScript objects, so that whoever copies,
 * lends or saves a key need not know any of them.
 */
import { assert, finish, type Bytes, type Steps } from '#base';
import type { Keyspace } from './keyspace.ts';
import { LONG_COPY_BYTES } from './limits.ts';
import type { Ref } from './segment.ts';

/** An object that is to be written as bytes. */
export interface Encoded {
  readonly byteCount: number;
  /** Writes them; the object must have stayed as it was. */
  write(target: Bytes, at: number): Steps<void>;
}

export interface ObjectCodec {
  /** The whole object as bytes: for another shard, or for a file. */
  encode(object: unknown): Steps<Encoded>;
  /** The object of such bytes; it shares no memory with them. */
  decode(bytes: Bytes): Steps<unknown>;
  /**
   * An object that shares nothing with the original that either could change. Between the steps the original
   * must stay as it is.
   */
  copy(object: unknown): Steps<unknown>;
  /** How many bytes of memory the object takes. */
  bytesOf(object: unknown): number;
}

/** All of an object's bytes, at once. */
export function encoded(codec: ObjectCodec, object: unknown): Bytes {
  const form = finish(codec.encode(object));
  const bytes = new Uint8Array(form.byteCount);
  finish(form.write(bytes, 0));
  return bytes;
}

const codecs = new Map<number, ObjectCodec>();

/** Room for the four bits of an encoding. */
const TYPE_STEP = 16;

/** Names the codec of a type in an encoding. Called once for each, when its owner is loaded. */
export function registerCodec(type: number, encoding: number, codec: ObjectCodec): void {
  const id = type * TYPE_STEP + encoding;
  assert(!codecs.has(id), 'one codec for each kind of object');
  codecs.set(id, codec);
}

export function codecOf(type: number, encoding: number): ObjectCodec {
  const codec = codecs.get(type * TYPE_STEP + encoding);
  assert(codec !== undefined, 'an object value whose owner has named a codec');
  return codec;
}

/** The codec of the object that a record holds. */
export function codecAt(keyspace: Keyspace, ref: Ref): ObjectCodec {
  return codecOf(keyspace.type(ref), keyspace.encoding(ref));
}

/** Whether a copy of a record's value takes long. */
export function isLong(keyspace: Keyspace, ref: Ref): boolean {
  const byteCount = keyspace.isObject(ref)
    ? codecAt(keyspace, ref).bytesOf(keyspace.object(ref))
    : keyspace.length(ref);
  return byteCount > LONG_COPY_BYTES;
}
