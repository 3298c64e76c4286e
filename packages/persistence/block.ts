/**
 * Blocks: what one write puts into a file. A block is whole or it is not there.
 *
 *   u32 magic, u32 bytes that follow, u32 CRC-32 of them, u32 CRC-32 of the other fields,
 *   f64 number in the file from 1, f64 number of the last block that was on disk for certain
 *
 * The last field tells a torn end from damage: what a later block calls certain was on disk, and must be there.
 */
import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { unreachable, type Bytes } from '#base';

export const BLOCK_HEADER_BYTES = 32;
const MAGIC = 0x4243_5653;
/** The magic as the bytes that a head begins with. */
export const BLOCK_MARK = Buffer.from(Uint32Array.of(MAGIC).buffer);

export interface BlockHead {
  readonly bytes: number;
  readonly crc: number;
  readonly number: number;
  readonly synced: number;
}

/** The checksum of pieces that follow each other. */
export function checksum(pieces: readonly Bytes[]): number {
  let crc = 0;
  // Of no bytes zlib makes 0, whatever it was told to go on from.
  for (const piece of pieces) if (piece.length > 0) crc = crc32(piece, crc);
  return crc;
}

export function encodeBlockHead(head: BlockHead): Bytes {
  const bytes = Buffer.alloc(BLOCK_HEADER_BYTES);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(head.bytes, 4);
  bytes.writeUInt32LE(head.crc, 8);
  bytes.writeDoubleLE(head.number, 16);
  bytes.writeDoubleLE(head.synced, 24);
  bytes.writeUInt32LE(crc32(bytes), 12);
  return bytes;
}

/** The head that stands there, or undefined when none does. */
export function decodeBlockHead(bytes: Buffer, at: number): BlockHead | undefined {
  if (at + BLOCK_HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const head = Buffer.from(bytes.subarray(at, at + BLOCK_HEADER_BYTES));
  const crc = head.readUInt32LE(12);
  head.writeUInt32LE(0, 12);
  if (crc32(head) !== crc) return undefined;
  return {
    bytes: head.readUInt32LE(4),
    crc: head.readUInt32LE(8),
    number: head.readDoubleLE(16),
    synced: head.readDoubleLE(24),
  };
}

/** Ends a file in the block that begins at `at`, after so many of its bytes. */
export function shortenBlock(file: string, at: number, bytes: number): void {
  if (bytes === 0) {
    shortenFile(file, at);
    return;
  }
  const block = Buffer.alloc(BLOCK_HEADER_BYTES + bytes);
  const fd = fs.openSync(file, 'r+');
  try {
    fs.readSync(fd, block, 0, block.length, at);
    const { number, synced } = decodeBlockHead(block, 0) ?? unreachable('a block was read there');
    const crc = checksum([block.subarray(BLOCK_HEADER_BYTES)]);
    fs.writeSync(fd, encodeBlockHead({ bytes, crc, number, synced }), 0, BLOCK_HEADER_BYTES, at);
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
