/**
 * Codecs of values that are JavaScript objects, given by the owner of each value type, so that code that copies, lends
 * or saves a key need not know any of the types.
 */
import type { Bytes, Steps } from '#base';
import type { Keyspace } from './keyspace.ts';
import { LONG_COPY_BYTES } from '../memory/limits.ts';
import type { Ref } from '../memory/segment.ts';
import { WordWriter } from '../memory/word-bytes.ts';
import { codecOf, type Encoded, type ObjectCodec } from '../values/codecs.ts';

/** Most bytes of a piece of memory among many. */
export const PIECE_BYTES = 64 * 1024 * 1024;
const NOTHING: Bytes = new Uint8Array(0);

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

/** Returns all bytes of a value, in newly allocated pieces. */
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

/** Returns a view of a record's value; only for values that are bytes. */
export function valueOf(keyspace: Keyspace, ref: Ref): Bytes {
  const { bytes, at, length } = keyspace.value(ref);
  return bytes.subarray(at, at + length);
}
