/** Codecs of values that are JavaScript objects, by type and encoding. */
import { assert, type Pieces, type Steps } from '#base';
import type { WordWriter } from '../memory/word-bytes.ts';

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
