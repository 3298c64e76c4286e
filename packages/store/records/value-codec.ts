/**
 * Codecs of values that are JavaScript objects, given by the owner of each value type, so that code that copies, lends
 * or saves a key need not know any of the types.
 */
import { assert, type Bytes, type Pieces, type Steps } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { LONG_COPY_BYTES } from '../limits.ts';
import type { Ref } from '../memory/segment.ts';
import { WordWriter } from '../memory/word-bytes.ts';

/** An object that is to be written as bytes. */
export interface Encoded {
  readonly byteCount: number;
  /** Writes them; the object must have stayed as it was. */
  write(writer: WordWriter): Steps<void>;
}

export interface ObjectCodec {
  /** The whole object as bytes: for another shard, or for a file. */
  encode(object: unknown): Steps<Encoded>;
  /** The object of such bytes, in pieces as they may have come; it shares no memory with them. */
  decode(pieces: Pieces): Steps<unknown>;
  /**
   * An object that shares nothing with the original that either could change. Between the steps the original
   * must stay as it is.
   */
  copy(object: unknown): Steps<unknown>;
  /** Returns how many bytes of memory the object takes. */
  bytesOf(object: unknown): number;
}

/** Most bytes of a piece of memory among many. */
export const PIECE_BYTES = 64 * 1024 * 1024;
const NOTHING: Bytes = new Uint8Array(0);

const codecs = new Map<number, ObjectCodec>();

/** Room for the four bits of an encoding. */
const TYPE_STEP = 16;

/** Names the codec of a type in an encoding. Called once for each, when its owner is loaded. */
export function registerCodec(type: number, encoding: number, codec: ObjectCodec): void {
  const id = type * TYPE_STEP + encoding;
  assert(!codecs.has(id), 'one codec for each kind of object');
  codecs.set(id, codec);
}

/** True when values of a type in an encoding are objects. */
export function hasCodec(type: number, encoding: number): boolean {
  return codecs.has(type * TYPE_STEP + encoding);
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

/** True when copying a record's value takes long. */
export function isLong(keyspace: Keyspace, ref: Ref): boolean {
  const byteCount = keyspace.isObject(ref)
    ? codecAt(keyspace, ref).bytesOf(keyspace.object(ref))
    : keyspace.length(ref);
  return byteCount > LONG_COPY_BYTES;
}

/** All bytes of a value, in pieces of memory of their own. */
export function* piecesOf(form: Encoded): Steps<Bytes[]> {
  const pieces: Bytes[] = [];
  let left = form.byteCount;
  const next = (): Bytes => {
    const piece = new Uint8Array(Math.min(left, PIECE_BYTES));
    left -= piece.length;
    pieces.push(piece);
    return piece;
  };
  yield* form.write(new WordWriter(NOTHING, 0, next));
  return pieces;
}

/** Bytes as what is to be written. */
export function bytesForm(value: Bytes): Encoded {
  return { byteCount: value.length, write: (writer) => writer.bytesInSteps(value) };
}

/** A view of a record's value, where it is bytes. */
export function valueOf(keyspace: Keyspace, ref: Ref): Bytes {
  const { bytes, at, length } = keyspace.value(ref);
  return bytes.subarray(at, at + length);
}
