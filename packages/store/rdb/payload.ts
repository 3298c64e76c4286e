/**
 * The frame of a dump: a byte for the type, the value, the version of the format (u16) and a CRC-64 of
 * all before it; both little-endian.
 */
import { type Bytes, crc64, type Steps } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { ByteRange } from '../values/shared-views.ts';
import type { Ref } from '../memory/segment.ts';
import { RdbReader } from './format/rdb-reader.ts';
import { PAYLOAD_VERSION_MAX, RDB_VERSION, RdbOp } from './format/rdb-type.ts';
import { RdbWriter } from './format/rdb-writer.ts';
import { readValue, type ValueLimits } from './values/read-value.ts';
import type { FinishedValue } from './format/finished-value.ts';
import { valueSteps, versionFor, writeValue } from './values/write-value.ts';

const VERSION_BYTES = 2;
const CRC_BYTES = 8;
const FOOTER_BYTES = VERSION_BYTES + CRC_BYTES;
/** Most bytes that a value takes beside its own, if those are all it is. */
const HEAD_BYTES_MAX = 32;

/** Bytes of a piece that is made in steps, about: so much is written and summed up in well under a millisecond. */
const STEP_BYTES = 128 * 1024;

/** The value of a record in a form that any Redis since 7.4 can restore, if it has nothing that is newer. */
export function dumpValue(keyspace: Keyspace, ref: Ref): Bytes {
  const version = dumpVersion(keyspace, ref);
  const writer = new RdbWriter(keyspace.length(ref) + HEAD_BYTES_MAX);
  writeValue(writer, keyspace, ref, version);
  return withFooter(writer, version);
}

/** Version of a dump of a value: that of Redis 7.4, or a later one with which the value came. */
function dumpVersion(keyspace: Keyspace, ref: Ref): number {
  return Math.max(RDB_VERSION, versionFor(keyspace, ref));
}

/**
 * Serializes a value incrementally into new pieces of memory; with a lower version, in a form for older servers, for a
 * value that fits it. The value must not change until it is finished; its record may move.
 */
export function dumpInSteps(
  keyspace: Keyspace,
  ref: Ref,
  give: (piece: Bytes) => void,
  version = dumpVersion(keyspace, ref),
): Steps<void> {
  const writer = new RdbWriter();
  // What has to be found by the record is found now.
  return payloadSteps(writer, valueSteps(writer, keyspace, ref, version), give, version);
}

function* payloadSteps(
  writer: RdbWriter,
  steps: Steps<void>,
  give: (piece: Bytes) => void,
  version: number,
): Steps<void> {
  let sum = { high: 0, low: 0 };
  const take = (): void => {
    const piece = writer.take();
    sum = crc64(piece, 0, piece.length, sum);
    give(piece);
  };
  while (steps.next().done !== true) {
    if (writer.writtenBytes < STEP_BYTES) continue;
    take();
    yield;
  }
  writer.byte(version);
  writer.byte(version >>> 8);
  take();
  writer.word(sum.low);
  writer.word(sum.high);
  give(writer.take());
}

/** Serializes a value in the oldest version that supports it, so that Redis since 7.0 can restore known types. */
export function dumpPortably(keyspace: Keyspace, ref: Ref): Bytes {
  const version = versionFor(keyspace, ref);
  const writer = new RdbWriter(keyspace.length(ref) + HEAD_BYTES_MAX);
  writeValue(writer, keyspace, ref, version);
  return withFooter(writer, version);
}

/** Libraries of functions, by their code, in the form that FUNCTION DUMP has. */
export function dumpFunctions(codes: readonly Bytes[]): Bytes {
  const writer = new RdbWriter();
  for (const code of codes) {
    writer.byte(RdbOp.function2);
    writer.string(code);
  }
  return withFooter(writer);
}

/** A payload that contains something other than functions; the message names it. */
export class NoFunctionError extends Error {
  override readonly name = 'NoFunctionError';
}

/** The code of the libraries in a sound payload; throws NoFunctionError or MalformedValueError. */
export function functionsOf(bytes: Bytes, at: number, length: number): readonly Bytes[] {
  const reader = new RdbReader(bytes, at, length - FOOTER_BYTES);
  const codes: Bytes[] = [];
  while (reader.position < length - FOOTER_BYTES) {
    const code = reader.byte();
    if (code === RdbOp.functionEarly) {
      throw new NoFunctionError('Pre-GA function format not supported');
    }
    if (code !== RdbOp.function2) throw new NoFunctionError('given type is not a function');
    codes.push(reader.string().slice());
  }
  return codes;
}

/** Adds the version and the checksum to what was written. */
function withFooter(writer: RdbWriter, version = RDB_VERSION): Bytes {
  writer.byte(version);
  writer.byte(version >>> 8);
  const { written } = writer;
  const { high, low } = crc64(written, 0, written.length);
  writer.word(low);
  writer.word(high);
  return writer.written;
}

/** Returns a value of a file as the payload of a dump. */
export function payloadOfFile(type: number, { bytes, at, length }: ByteRange): Bytes {
  const payload = Buffer.allocUnsafe(1 + length + FOOTER_BYTES);
  payload[0] = type;
  payload.set(bytes.subarray(at, at + length), 1);
  payload.writeUInt16LE(RDB_VERSION, 1 + length);
  const { high, low } = crc64(payload, 0, payload.length - CRC_BYTES);
  payload.writeUInt32LE(low >>> 0, payload.length - CRC_BYTES);
  payload.writeUInt32LE(high >>> 0, payload.length - CRC_BYTES / 2);
  return payload;
}

/** True when the payload is of a version that can be read, and is what was written. */
export function isSoundPayload(bytes: Bytes, at: number, length: number): boolean {
  if (length < FOOTER_BYTES) return false;
  const footer = at + length - FOOTER_BYTES;
  if ((bytes[footer]! | (bytes[footer + 1]! << 8)) > PAYLOAD_VERSION_MAX) return false;
  const { high, low } = crc64(bytes, at, length - CRC_BYTES);
  const sum = footer + VERSION_BYTES;
  return readWord(bytes, sum) === low && readWord(bytes, sum + 4) === high;
}

/**
 * The value of a sound payload, which is not stored yet; throws MalformedValueError. Its object, if it
 * is one, belongs to this keyspace's store.
 */
export function loadPayload(
  keyspace: Keyspace,
  bytes: Bytes,
  at: number,
  length: number,
  limits: ValueLimits,
): FinishedValue {
  const reader = new RdbReader(bytes, at, length - FOOTER_BYTES);
  return readValue(reader, keyspace, limits, reader.byte());
}

function readWord(bytes: Bytes, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (low | (bytes[at + 3]! << 24)) >>> 0;
}
