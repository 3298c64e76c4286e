/** Streams as bytes: what DUMP has of them without its frame. */

import { joined, type Pieces, type Steps } from '#base';
import { RdbReader } from '../rdb/rdb-reader.ts';
import { RdbWriter } from '../rdb/rdb-writer.ts';
import { streamBodySteps } from '../rdb/read-stream.ts';
import { streamSteps } from '../rdb/write-stream.ts';
import type { Encoded, ObjectCodec } from '../records/value-codec.ts';
import type { Stream } from './stream.ts';

const FORM = { hasCounters: true, hasActivity: true, isOwn: true };

export const streamCodec: ObjectCodec = {
  encode: (object) => encode(object as Stream),
  decode,
  copy: (object) => (object as Stream).copy(),
  bytesOf: (object) => (object as Stream).totalBytes,
};

function decode(pieces: Pieces): Steps<Stream> {
  const bytes = joined(pieces);
  return streamBodySteps(new RdbReader(bytes, 0, bytes.length), FORM);
}

function* encode(stream: Stream): Steps<Encoded> {
  const writer = new RdbWriter(stream.totalBytes);
  yield* streamSteps(writer, stream);
  const { written } = writer;
  return {
    byteCount: written.length,
    write: (writer) => writer.bytesInSteps(written),
  };
}
