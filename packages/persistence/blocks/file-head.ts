/**
 * The head of every file of data: 64 bytes.
 *
 *   8 bytes magic, u32 format (of its blocks: block.ts), u32 shard, u32 shards, u32 number, u32 epoch, u32 CRC-32 of the other fields,
 *   f64 Unix milliseconds of its making, u32 number of the shard's segment before (0 = none), u32 records lost
 *   before it, f64 Unix milliseconds since which nothing could be written after it (0 = never), u32 number of the
 *   first snapshot that it can rest on (0 = it continues the data on disk), 4 bytes of zero
 */
import { crc32 } from 'node:zlib';
import type { Bytes } from '#base';
import type { Disk } from '../disk.ts';

export const FILE_HEAD_BYTES = 64;
export type FileKind = 'log' | 'snapshot';

/**
 * The newest format of each that this version reads, and writes. Since 4 and 2 there are commands, and states of streams,
 * that older versions cannot replay.
 */
export const FORMATS: Readonly<Record<FileKind, number>> = { log: 4, snapshot: 2 };

const MAGICS: Readonly<Record<FileKind, string>> = { log: 'SVC-LOG\n', snapshot: 'SVC-SNP\n' };

export interface FileHead {
  /** The one in which this version writes it, where it is not said. */
  readonly format?: number;
  readonly shard: number;
  readonly shards: number;
  /** Number of the segment; of a snapshot: number of the first segment that is not in it. */
  readonly number: number;
  /** Life of the server that wrote the file, counted from 1. */
  readonly epoch: number;
  readonly createdMs: number;
  /** Number of the shard's segment before this one, 0 when it is the first. Only of a segment. */
  readonly previous: number;
  /** Number of records that were to be in the log before this segment, and are not for certain. */
  readonly lostBefore: number;
  /** Time since which the log could not be written after this segment; 0 = it never was so. */
  readonly brokenMs: number;
  /**
   * Number of the first snapshot with the data that this segment continues, if it was not finished yet; 0 = it
   * continues the data on disk.
   */
  readonly foundation?: number;
}

/** Maximum of a stored count. */
const COUNT_MAX = 2 ** 32 - 1;

export function encodeFileHead(kind: FileKind, head: FileHead): Bytes {
  const bytes = Buffer.alloc(FILE_HEAD_BYTES);
  bytes.write(MAGICS[kind], 0, 'latin1');
  const { foundation = 0 } = head;
  const words = [head.format ?? FORMATS[kind], head.shard, head.shards, head.number, head.epoch];
  for (const [nth, word] of words.entries()) bytes.writeUInt32LE(word, 8 + 4 * nth);
  bytes.writeDoubleLE(head.createdMs, 32);
  bytes.writeUInt32LE(head.previous, 40);
  bytes.writeUInt32LE(Math.min(head.lostBefore, COUNT_MAX), 44);
  bytes.writeDoubleLE(head.brokenMs, 48);
  bytes.writeUInt32LE(foundation, 56);
  bytes.writeUInt32LE(crc32(bytes), 28);
  return bytes;
}

/** Error for a file that cannot be read, with the reason. */
export class FileHeadError extends Error {
  override readonly name = 'FileHeadError';
  /** It is whole, and of a version that is to come: no damage that may be left out. */
  readonly isNewer: boolean;

  constructor(message: string, isNewer = false) {
    super(message);
    this.isNewer = isNewer;
  }
}

/** Throws a FileHeadError, whose message ends a sentence that begins with the file's name. */
export function decodeFileHead(kind: FileKind, bytes: Buffer): FileHead {
  if (bytes.length < FILE_HEAD_BYTES) throw new FileHeadError('ends within its head');
  if (bytes.toString('latin1', 0, 8) !== MAGICS[kind]) {
    throw new FileHeadError(`is no ${kind} of this server`);
  }
  const head = Buffer.from(bytes.subarray(0, FILE_HEAD_BYTES));
  const crc = head.readUInt32LE(28);
  head.writeUInt32LE(0, 28);
  const isWhole = crc32(head) === crc;
  const format = bytes.readUInt32LE(8);
  if (format > FORMATS[kind]) {
    const what = `has format ${format}; this version reads up to ${FORMATS[kind]}`;
    throw new FileHeadError(what, isWhole);
  }
  if (!isWhole) throw new FileHeadError('has a damaged head');
  return {
    format,
    shard: head.readUInt32LE(12),
    shards: head.readUInt32LE(16),
    number: head.readUInt32LE(20),
    epoch: head.readUInt32LE(24),
    createdMs: head.readDoubleLE(32),
    previous: head.readUInt32LE(40),
    lostBefore: head.readUInt32LE(44),
    brokenMs: head.readDoubleLE(48),
    foundation: head.readUInt32LE(56),
  };
}

/**
 * Says in a segment's head since when the log could not be written after it, 0 = it could; a head that says so already
 * keeps its time. Answers whether the disk has taken that.
 */
export function markBroken(disk: Disk, file: string, sinceMs: number): boolean {
  try {
    disk.rewrite(file, FILE_HEAD_BYTES, (was) => {
      const head = decodeFileHead('log', was);
      const isMarked = sinceMs > 0 && head.brokenMs > 0;
      return encodeFileHead('log', { ...head, brokenMs: isMarked ? head.brokenMs : sinceMs });
    });
    return true;
  } catch {
    return false;
  }
}
