/**
 * Streams as bytes: what DUMP has of them without its frame. A stream that is longer than a section is a byte that no
 * length begins with, and sections, each of them after its bytes as 32 bits: one piece of memory could not have it all.
 * Before either, another such byte marks the form of Redis 8.8: streams that have something which 7.4 does not know.
 */

import { type Bytes, bytesOfPieces, joined, type Pieces, type Steps } from '#base';
import type { WordWriter } from '../memory/word-bytes.ts';
import { WordReader } from '../memory/word-bytes.ts';
import { RdbReader, type RdbSections } from '../rdb/format/rdb-reader.ts';
import { RdbWriter } from '../rdb/format/rdb-writer.ts';
import { streamBodySteps } from './read-stream.ts';
import { streamSteps } from './write-stream.ts';
import type { Encoded, ObjectCodec } from '../values/codecs.ts';
import type { Stream } from './stream.ts';

const FORM = { hasCounters: true, hasActivity: true, isOwn: true };
const USUAL = { ...FORM, hasIdempotency: false, hasReleased: false };
const EXTENDED = { ...FORM, hasIdempotency: true, hasReleased: true };

const IN_SECTIONS = 0xff;
const IS_EXTENDED = 0xfe;
const SECTIONS_MARK = new Uint8Array([IN_SECTIONS]);
const NO_MARK = new Uint8Array(0);
const EXTENDED_MARK = new Uint8Array([IS_EXTENDED]);
const SECTION_HEAD_BYTES = 4;
/** Size at which a section ends, after the current node or group. */
const SECTION_BYTES = 4 * 1024 * 1024;

/** Returns a codec for streams of more than `sectionBytes` bytes in sections of about that size. */
export function streamCodecOf(sectionBytes: number): ObjectCodec {
  return {
    encode: (object) => encode(object as Stream, sectionBytes),
    decode,
    copy: (object) => (object as Stream).copy(),
    bytesOf: (object) => (object as Stream).totalBytes,
  };
}

export const streamCodec = streamCodecOf(SECTION_BYTES);

function decode(pieces: Pieces): Steps<Stream> {
  if (!beginsWith(pieces, IS_EXTENDED)) return decodeForm(pieces, USUAL);
  const nth = pieces.findIndex(({ length }) => length > 0);
  return decodeForm([pieces[nth]!.subarray(1), ...pieces.slice(nth + 1)], EXTENDED);
}

function decodeForm(pieces: Pieces, form: typeof USUAL): Steps<Stream> {
  const isInSections = beginsWith(pieces, IN_SECTIONS);
  return streamBodySteps(isInSections ? sectionsIn(pieces) : wholeIn(pieces), form);
}

function beginsWith(pieces: Pieces, byte: number): boolean {
  return pieces.find(({ length }) => length > 0)?.[0] === byte;
}

function wholeIn(pieces: Pieces): RdbReader {
  const bytes = joined(pieces);
  return new RdbReader(bytes, 0, bytes.length);
}

function sectionsIn(pieces: Pieces): RdbReader {
  const sections = new Sections(pieces);
  const first = sections.next();
  return new RdbReader(first, 0, first.length, sections);
}

class Sections implements RdbSections {
  readonly #reader: WordReader;
  bytesLeft: number;

  constructor(pieces: Pieces) {
    this.#reader = new WordReader(pieces);
    this.#reader.bytes(SECTIONS_MARK.length);
    this.bytesLeft = bytesOfPieces(pieces) - SECTIONS_MARK.length;
  }

  next(): Bytes {
    const length = this.#reader.word() >>> 0;
    this.bytesLeft -= SECTION_HEAD_BYTES + length;
    return this.#reader.bytes(length);
  }
}

function* encode(stream: Stream, sectionBytes: number): Steps<Encoded> {
  const mark = stream.isExtended ? EXTENDED_MARK : NO_MARK;
  let byteCount = SECTIONS_MARK.length;
  let last: Bytes = SECTIONS_MARK;
  let count = 0;
  yield* eachSection(stream, sectionBytes, (section) => {
    byteCount += SECTION_HEAD_BYTES + section.length;
    last = section;
    count += 1;
  });
  if (count === 1) {
    return {
      byteCount: mark.length + last.length,
      write: (writer) => writeWhole(writer, mark, last),
    };
  }
  return {
    byteCount: mark.length + byteCount,
    write: (writer) => writeSections(writer, mark, stream, sectionBytes),
  };
}

function* writeWhole(writer: WordWriter, mark: Bytes, body: Bytes): Steps<void> {
  writer.bytes(mark);
  yield* writer.bytesInSteps(body);
}

/** Makes the sections again, so that no more than one of them is in memory. */
function* writeSections(
  writer: WordWriter,
  mark: Bytes,
  stream: Stream,
  sectionBytes: number,
): Steps<void> {
  writer.bytes(mark);
  writer.bytes(SECTIONS_MARK);
  yield* eachSection(stream, sectionBytes, (section) => {
    writer.words(section.length);
    writer.bytes(section);
  });
}

/** Gives the sections of a stream, as views that are good until the next. */
function* eachSection(
  stream: Stream,
  sectionBytes: number,
  take: (section: Bytes) => void,
): Steps<void> {
  const writer = new RdbWriter(Math.min(stream.totalBytes, sectionBytes));
  const steps = streamSteps(writer, stream, stream.isExtended ? '8.8' : '7.2');
  while (steps.next().done !== true) {
    if (writer.written.length >= sectionBytes) {
      take(writer.written);
      writer.clear();
    }
    yield;
  }
  // A stream that ends with a section has nothing after it.
  if (writer.written.length > 0) take(writer.written);
}
