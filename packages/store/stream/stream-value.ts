/**
 * The stream of a key. One object serves a whole thread: it is pointed at the next stream by `open`, and
 * `post` must follow what was changed.
 */

import { Encoding } from '../values/encodings.ts';
import type { Piece } from '../values/piece.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import { registerCodec } from '../values/codecs.ts';
import { setOptions } from '../keyspace/set-options.ts';
import { ValueType } from '../values/value-type.ts';
import { streamCodec } from './stream-codec.ts';
import type { IdempotencyLimits } from './idempotent-ids.ts';
import { Stream } from './stream.ts';

registerCodec(ValueType.stream, Encoding.stream, streamCodec);

const AS_STREAM = setOptions({ type: ValueType.stream, encoding: Encoding.stream });

export class StreamValue {
  stream = new Stream();
  #keyspace!: Keyspace;
  #ref: Ref = 0;
  #bytes = 0;

  /** Points at the stream of a record. */
  open(keyspace: Keyspace, ref: Ref): this {
    this.#keyspace = keyspace;
    this.#ref = ref;
    this.stream = keyspace.object(ref) as Stream;
    this.#bytes = this.stream.totalBytes;
    return this;
  }

  letGo(): void {
    this.stream = new Stream();
  }

  /** Makes an empty stream of a key that is not there. */
  create(keyspace: Keyspace, key: Piece, limits?: IdempotencyLimits): this {
    const stream = new Stream(limits);
    return this.open(keyspace, keyspace.setObject(key, stream, stream.totalBytes, AS_STREAM));
  }

  /** Reports the memory of the stream to the store. */
  post(): void {
    const { totalBytes } = this.stream;
    if (totalBytes === this.#bytes) return;
    this.#keyspace.addObjectBytes(this.#ref, totalBytes - this.#bytes);
    this.#bytes = totalBytes;
  }
}
