/**
 * The one form of closed chunks, in memory and in files.
 *
 *   bytes     content
 *   0 to 7    `svchist`, and the version of the format
 *   8 to 31   Unix milliseconds of the earliest and the latest sample, number of the first sample: doubles
 *   32 to 39  samples, and seconds of a sample: 32 bits each
 *   40 to 47  CRC-64 of the bytes before it
 *   48 to end gzip, which has a CRC of its own: length of the directory, directory (JSON), columns
 *
 * The directory names the series, so a later version reads what it still knows, and skips the rest. The first two columns
 * are the times and the intervals. Numbers are little-endian.
 */

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { crc64 } from '#base';
import { ByteReader, ByteWriter, DamagedChunk } from './byte-writer.ts';
import { readColumn, writeColumn } from './column.ts';
import { CHUNK_SAMPLES, type OpenChunk, type Samples } from './samples.ts';

const deflated = promisify(gzip);
const inflated = promisify(gunzip);

const MAGIC = Buffer.from('svchist');
/** Version of the format. A chunk of another version is not read. */
const FORMAT = 1;
const CRC_AT = 40;
/** Bytes before the compressed part. */
export const CHUNK_HEAD_BYTES = 48;
/** Most bytes that a chunk has when it is not compressed: far more than 256 shards need. */
const BODY_BYTES_MAX = 256 * 1024 * 1024;

/** Facts of a chunk that are read without its content. */
export interface ChunkHead {
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of its first sample: numbers grow over restarts, independent of the wall clock. */
  readonly first: number;
  readonly count: number;
  /** Seconds of a sample. */
  readonly seconds: number;
}

interface Directory {
  /** Names of series, each list used by several owners. */
  readonly lists: readonly (readonly string[])[];
  readonly owners: readonly (readonly [owner: string, list: number])[];
}

/** Bytes of a chunk that is complete, or of an open one as it is now. `first` is the number of its first sample. */
export async function packChunk(
  chunk: OpenChunk,
  seconds: number,
  first: number,
): Promise<{ readonly head: ChunkHead; readonly bytes: Buffer }> {
  const times = chunk.timesMs.subarray(0, chunk.count);
  const head: ChunkHead = {
    fromMs: Math.min(...times),
    toMs: Math.max(...times),
    first,
    count: chunk.count,
    seconds,
  };
  const body = bodyOf(chunk);
  return { head, bytes: Buffer.concat([headBytes(head), await deflated(body)]) };
}

/** Reads the head of a chunk; throws a DamagedChunk if it is none. */
export function chunkHead(bytes: Buffer): ChunkHead {
  if (bytes.length < CHUNK_HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new DamagedChunk('it is no chunk of the history');
  }
  const format = bytes[MAGIC.length]!;
  if (format !== FORMAT) throw new DamagedChunk(`format ${format} is not known`);
  const sum = crc64(bytes, 0, CRC_AT);
  if (bytes.readUInt32LE(CRC_AT) !== sum.low || bytes.readUInt32LE(CRC_AT + 4) !== sum.high) {
    throw new DamagedChunk('its head is damaged');
  }
  const count = bytes.readUInt32LE(32);
  if (count === 0 || count > CHUNK_SAMPLES) throw new DamagedChunk(`it has ${count} samples`);
  return {
    fromMs: bytes.readDoubleLE(8),
    toMs: bytes.readDoubleLE(16),
    first: bytes.readDoubleLE(24),
    count,
    seconds: bytes.readUInt32LE(36),
  };
}

/** Reads a chunk with those of its series for which `isWanted` is true; rejects with a DamagedChunk. */
export async function readChunk(
  bytes: Buffer,
  isWanted: (owner: string, name: string) => boolean,
): Promise<Samples> {
  const { count } = chunkHead(bytes);
  let body: Buffer;
  try {
    body = await inflated(bytes.subarray(CHUNK_HEAD_BYTES), { maxOutputLength: BODY_BYTES_MAX });
  } catch (error) {
    throw new DamagedChunk((error as Error).message, { cause: error });
  }
  return samplesIn(body, count, isWanted);
}

function headBytes(head: ChunkHead): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEAD_BYTES);
  MAGIC.copy(bytes);
  bytes[MAGIC.length] = FORMAT;
  bytes.writeDoubleLE(head.fromMs, 8);
  bytes.writeDoubleLE(head.toMs, 16);
  bytes.writeDoubleLE(head.first, 24);
  bytes.writeUInt32LE(head.count, 32);
  bytes.writeUInt32LE(head.seconds, 36);
  const sum = crc64(bytes, 0, CRC_AT);
  bytes.writeUInt32LE(sum.low, CRC_AT);
  bytes.writeUInt32LE(sum.high, CRC_AT + 4);
  return bytes;
}

function bodyOf(chunk: OpenChunk): Buffer {
  const directory = Buffer.from(JSON.stringify(directoryOf(chunk)));
  const writer = new ByteWriter();
  const scratch = new ByteWriter();
  writer.varint(directory.length);
  writer.append(directory);
  for (const column of [chunk.timesMs, chunk.intervalsUs, ...chunk.columns]) {
    writeColumn(writer, scratch, column, chunk.count);
  }
  return writer.bytes;
}

function directoryOf({ owners }: OpenChunk): Directory {
  const lists: (readonly string[])[] = [];
  const indexed = owners.map(({ owner, names }): [string, number] => {
    const known = lists.indexOf(names);
    return [owner, known < 0 ? lists.push(names) - 1 : known];
  });
  return { lists, owners: indexed };
}

function samplesIn(
  body: Buffer,
  count: number,
  isWanted: (owner: string, name: string) => boolean,
): Samples {
  const reader = new ByteReader(body);
  const { lists, owners } = directoryIn(reader);
  const timesMs = readColumn(reader, count, true)!;
  const intervalsUs = readColumn(reader, count, true)!;
  const columns = new Map<string, Float64Array>();
  for (const [owner, list] of owners) {
    for (const name of lists[list] ?? []) {
      const values = readColumn(reader, count, isWanted(owner, name));
      if (values !== undefined) columns.set(`${owner} ${name}`, values);
    }
  }
  return {
    count,
    timesMs,
    intervalsUs,
    owners: owners.map(([owner, list]) => ({ owner, names: lists[list] ?? [] })),
    column: (owner, name) => columns.get(`${owner} ${name}`),
  };
}

function directoryIn(reader: ByteReader): Directory {
  try {
    return JSON.parse(reader.take(reader.varint()).toString()) as Directory;
  } catch (error) {
    throw new DamagedChunk('its directory cannot be read', { cause: error });
  }
}
