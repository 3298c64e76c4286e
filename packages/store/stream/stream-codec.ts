/** Streams as bytes: what DUMP has of them without its frame. */

import { RdbReader } from '../rdb/rdb-reader.ts';
import { RdbWriter } from '../rdb/rdb-writer.ts';
import { readStreamBody } from '../rdb/read-stream.ts';
import { writeStream } from '../rdb/write-stream.ts';
import type { ObjectCodec } from '../value-codec.ts';
import type { Stream } from './stream.ts';

const FORM = { hasCounters: true, hasActivity: true };

export const streamCodec: ObjectCodec = {
  encode: (object) => encode(object as Stream),
  decode,
  copy: (object) => (object as Stream).copy(),
  bytesOf: (object) => (object as Stream).totalBytes,
};

function encode(stream: Stream): Uint8Array {
  const writer = new RdbWriter(stream.totalBytes);
  writeStream(writer, stream);
  return writer.written;
}

function decode(bytes: Uint8Array): Stream {
  return readStreamBody(new RdbReader(bytes, 0, bytes.length), FORM);
}
