/**
 * Blocks: what one write puts into a file. A block is complete or absent. Its head, in snapshots and logs of format 1, and in
 * later logs:
 *
 *   1   u32 magic, u32 bytes that follow, u32 CRC-32 of them, u32 CRC-32 of the other fields,
 *       f64 number in the file from 1, f64 number of the last block that was on disk for certain
 *   2   u16 magic, u16 how many blocks before it the last is that was on disk for certain (0xffff = unknown),
 *       u32 number in the file from 1, its low bits; u32 bytes that follow in bits 0-30, and bit 31 where they are packed
 *       (packed-block.ts); u32 CRC-32 of them, u16 low half of the CRC-32 of the fields before. What is not packed begins
 *       behind zeros up to a place in the file that is a multiple of 8
 *
 * The synced blocks distinguish a torn end from damage: blocks that a later one marks as synced must be complete.
 */
import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Bytes, unreachable } from '#base';
import type { FileKind } from './file-head.ts';

export interface BlockHead {
  /** Bytes that follow the head. */
  readonly bytes: number;
  readonly crc: number;
  readonly number: number;
  readonly synced: number;
  readonly isPacked?: boolean;
}

export interface BlockFormat {
  readonly headBytes: number;
  /** The bytes that a head begins with. */
  readonly mark: Bytes;
  encode(head: BlockHead): Buffer;
  /** The head that stands there, or undefined when none does; its number is near the one that is expected. */
  decode(bytes: Buffer, at: number, expected: number): BlockHead | undefined;
  /** Bytes between a head and what is not packed, which begins at that place in the file. */
  padding(bodyAt: number): number;
}

/** The checksum of pieces that follow each other. */
export function checksum(pieces: readonly Bytes[]): number {
  let crc = 0;
  // For no bytes zlib returns 0, regardless of the previous checksum.
  for (const piece of pieces) if (piece.length > 0) crc = crc32(piece, crc);
  return crc;
}

const FIRST_HEAD_BYTES = 32;
const FIRST_MAGIC = 0x4243_5653;

/** Format of blocks in snapshots, and in logs of earlier versions. */
export const firstFormat: BlockFormat = {
  headBytes: FIRST_HEAD_BYTES,
  mark: Buffer.from(Uint32Array.of(FIRST_MAGIC).buffer),
  encode(head) {
    const bytes = Buffer.alloc(FIRST_HEAD_BYTES);
    bytes.writeUInt32LE(FIRST_MAGIC, 0);
    bytes.writeUInt32LE(head.bytes, 4);
    bytes.writeUInt32LE(head.crc, 8);
    bytes.writeDoubleLE(head.number, 16);
    bytes.writeDoubleLE(head.synced, 24);
    bytes.writeUInt32LE(crc32(bytes), 12);
    return bytes;
  },
  decode(bytes, at) {
    if (bytes.readUInt32LE(at) !== FIRST_MAGIC) return undefined;
    const head = Buffer.from(bytes.subarray(at, at + FIRST_HEAD_BYTES));
    const crc = head.readUInt32LE(12);
    head.writeUInt32LE(0, 12);
    if (crc32(head) !== crc) return undefined;
    return {
      bytes: head.readUInt32LE(4),
      crc: head.readUInt32LE(8),
      number: head.readDoubleLE(16),
      synced: head.readDoubleLE(24),
    };
  },
  padding: () => 0,
};

export const SHORT_HEAD_BYTES = 18;
const SHORT_MAGIC = 0xb10c;
const CHECK_AT = 16;
const PACKED = 2 ** 31;
const LAG_UNTOLD = 0xffff;

/** Format of blocks in logs. */
export const shortFormat: BlockFormat = {
  headBytes: SHORT_HEAD_BYTES,
  mark: Buffer.from(Uint16Array.of(SHORT_MAGIC).buffer),
  encode(head) {
    const bytes = Buffer.alloc(SHORT_HEAD_BYTES);
    putShortHead(bytes, 0, head);
    return bytes;
  },
  decode(bytes, at, expected) {
    if (bytes.readUInt16LE(at) !== SHORT_MAGIC) return undefined;
    const check = crc32(bytes.subarray(at, at + CHECK_AT)) & 0xffff;
    if (bytes.readUInt16LE(at + CHECK_AT) !== check) return undefined;
    const number = expected + ((bytes.readUInt32LE(at + 4) - expected) | 0);
    const lag = bytes.readUInt16LE(at + 2);
    const word = bytes.readUInt32LE(at + 8);
    return {
      bytes: word % PACKED,
      crc: bytes.readUInt32LE(at + 12),
      number,
      synced: lag === LAG_UNTOLD ? 0 : number - lag,
      isPacked: word >= PACKED,
    };
  },
  padding: (bodyAt) => (8 - (bodyAt % 8)) % 8,
};

/** Writes the head of a block of a log where it has room. */
export function putShortHead(target: Buffer, at: number, head: BlockHead): void {
  target.writeUInt16LE(SHORT_MAGIC, at);
  target.writeUInt16LE(Math.min(head.number - head.synced, LAG_UNTOLD), at + 2);
  target.writeUInt32LE(head.number % 2 ** 32, at + 4);
  target.writeUInt32LE(head.bytes + (head.isPacked === true ? PACKED : 0), at + 8);
  target.writeUInt32LE(head.crc, at + 12);
  target.writeUInt16LE(crc32(target.subarray(at, at + CHECK_AT)) & 0xffff, at + CHECK_AT);
}

/** Returns the format of blocks in a file of that kind and format: snapshots have the first, as logs of format 1. */
export function blockFormatOf(kind: FileKind, fileFormat: number): BlockFormat {
  return kind === 'snapshot' || fileFormat === 1 ? firstFormat : shortFormat;
}

/** Ends a file in the block at `at`, after `bytes` of the bytes after its head. */
export function shortenBlock(file: string, format: BlockFormat, at: number, bytes: number): void {
  if (bytes === 0) {
    shortenFile(file, at);
    return;
  }
  const { headBytes } = format;
  const block = Buffer.alloc(headBytes + bytes);
  const fd = fs.openSync(file, 'r+');
  try {
    fs.readSync(fd, block, 0, block.length, at);
    const head = format.decode(block, 0, 0) ?? unreachable('a block was read there');
    const crc = checksum([block.subarray(headBytes)]);
    fs.writeSync(fd, format.encode({ ...head, bytes, crc }), 0, headBytes, at);
    // Before the file is shorter: what is behind the new end is no block, and a torn end.
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  shortenFile(file, at + block.length);
}

/** Ends a file there, for good: behind the next segment a torn end would be damage. */
export function shortenFile(file: string, bytes: number): void {
  const fd = fs.openSync(file, 'r+');
  try {
    fs.ftruncateSync(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
