/**
 * The head of every file of data: 64 bytes.
 *
 *   8 bytes magic, u32 format, u32 shard, u32 shards, u32 number, u32 epoch, u32 CRC-32 of the other fields,
 *   f64 Unix milliseconds of its making, u32 number of the shard's segment before (0 = none), 20 bytes of zero
 */
import { crc32 } from 'node:zlib';
import type { Bytes } from '#base';

export const FILE_HEAD_BYTES = 64;
/** The newest format that this version reads, and the one that it writes. */
export const FORMAT = 1;

export type FileKind = 'log' | 'snapshot';

const MAGICS: Readonly<Record<FileKind, string>> = { log: 'SVC-LOG\n', snapshot: 'SVC-SNP\n' };

export interface FileHead {
  readonly shard: number;
  readonly shards: number;
  /** Of a segment: which; of a snapshot: the first segment that is not in it. */
  readonly number: number;
  /** Which life of the server wrote it, counted from 1. */
  readonly epoch: number;
  readonly createdMs: number;
  /** Of a segment: the shard's one before, 0 when it is the first. */
  readonly previous: number;
}

export function encodeFileHead(kind: FileKind, head: FileHead): Bytes {
  const bytes = Buffer.alloc(FILE_HEAD_BYTES);
  bytes.write(MAGICS[kind], 0, 'latin1');
  const words = [FORMAT, head.shard, head.shards, head.number, head.epoch];
  for (const [nth, word] of words.entries()) bytes.writeUInt32LE(word, 8 + 4 * nth);
  bytes.writeDoubleLE(head.createdMs, 32);
  bytes.writeUInt32LE(head.previous, 40);
  bytes.writeUInt32LE(crc32(bytes), 28);
  return bytes;
}

/** Why a file is not one that can be read. */
export class FileHeadError extends Error {
  override readonly name = 'FileHeadError';
}

/** Throws a FileHeadError, whose message ends a sentence that begins with the file's name. */
export function decodeFileHead(kind: FileKind, bytes: Buffer): FileHead {
  if (bytes.length < FILE_HEAD_BYTES) throw new FileHeadError('ends within its head');
  if (bytes.toString('latin1', 0, 8) !== MAGICS[kind]) {
    throw new FileHeadError(`is no ${kind} of this server`);
  }
  const format = bytes.readUInt32LE(8);
  if (format > FORMAT) {
    throw new FileHeadError(`has format ${format}; this version reads up to ${FORMAT}`);
  }
  const head = Buffer.from(bytes.subarray(0, FILE_HEAD_BYTES));
  const crc = head.readUInt32LE(28);
  head.writeUInt32LE(0, 28);
  if (crc32(head) !== crc) throw new FileHeadError('has a damaged head');
  return {
    shard: head.readUInt32LE(12),
    shards: head.readUInt32LE(16),
    number: head.readUInt32LE(20),
    epoch: head.readUInt32LE(24),
    createdMs: head.readDoubleLE(32),
    previous: head.readUInt32LE(40),
  };
}
