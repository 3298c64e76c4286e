/** The files of a data folder, as a test looks at them and harms them. */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { until } from '#testkit';

/** Every file under a folder by its path in it, with a checksum of what it holds. */
export function checksumsOf(folder: string): Readonly<Record<string, string>> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => {
      const bytes = fs.readFileSync(path.join(folder, name));
      return [name, createHash('sha256').update(bytes).digest('hex')];
    }),
  );
}

/** A shard's segments that hold records, oldest first. */
export function segmentsOf(data: string, shard: number): string[] {
  const folder = path.join(data, 'log', `shard-${shard}`);
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(file).size > HEAD_BYTES);
}

/** Folders of whole snapshots, oldest first. */
export function snapshotsOf(data: string): string[] {
  const folder = path.join(data, 'snapshots');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}

/** The head of a file. */
const HEAD_BYTES = 64;
/** Bytes of a block's head in a log; that of a snapshot is longer. */
const BLOCK_HEAD_BYTES = 18;
/** Behind the first block's head, in what it holds; in files of both kinds. */
export const IN_FIRST_BLOCK = HEAD_BYTES + 32;
export const FIRST_BLOCK = HEAD_BYTES;
/** Offset of the format in a file's head. */
export const FORMAT_AT = 8;

/** Returns the number of blocks of a segment, and how many of them its last block says are on disk for certain. */
export function blocksIn(file: string): { readonly blocks: number; readonly synced: number } {
  const bytes = fs.readFileSync(file);
  let blocks = 0;
  let synced = 0;
  for (const at of blockStarts(bytes)) {
    blocks = bytes.readUInt32LE(at + 4);
    const lag = bytes.readUInt16LE(at + 2);
    synced = lag === 0xffff ? 0 : blocks - lag;
  }
  return { blocks, synced };
}

function blockStarts(bytes: Buffer): readonly number[] {
  const starts: number[] = [];
  for (let at = HEAD_BYTES; at + BLOCK_HEAD_BYTES <= bytes.length && bytes[at] !== 0;) {
    starts.push(at);
    at += BLOCK_HEAD_BYTES + (bytes.readUInt32LE(at + 8) & 0x7fff_ffff);
  }
  return starts;
}

/** Takes the last blocks off a segment. */
function removeBlocks(file: string, count: number): void {
  const starts = blockStarts(fs.readFileSync(file));
  if (count > 0) fs.truncateSync(file, starts.at(-count));
}

/** Truncates each shard's log by a number of blocks. */
export function loseBlocks(data: string, blocks: readonly number[]): void {
  for (const [shard, count] of blocks.entries()) {
    if (count > 0) removeBlocks(segmentsOf(data, shard).at(-1)!, count);
  }
}

/** Turns one bit of a file. */
export function turnBit(file: string, offset: number): void {
  const bytes = fs.readFileSync(file);
  bytes[offset] = bytes[offset]! ^ 1;
  fs.writeFileSync(file, bytes);
}

/** Takes bytes off the end of a file; answers how many are left. */
export function shorten(file: string, bytes: number): number {
  const left = writtenBytes(file) - bytes;
  fs.truncateSync(file, left);
  return left;
}

/** Bytes of a file without the zeros that are written ahead of it in sync mode. */
export function writtenBytes(file: string): number {
  const bytes = fs.readFileSync(file);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end;
}

/** The file of a segment of shard 0. */
export function segmentOf(data: string, number: number): string {
  return path.join(data, 'log', 'shard-0', `${String(number).padStart(10, '0')}.log`);
}

/** Makes it impossible to begin these segments of shard 0, of a server that runs. */
export async function obstructSegments(data: string, numbers: readonly number[]): Promise<void> {
  await until(() => fs.existsSync(segmentOf(data, 1)), 'the log has begun');
  for (const number of numbers) fs.mkdirSync(segmentOf(data, number));
}

/** Takes away what stood in the way of segments. */
export function clearSegments(data: string): void {
  const folder = path.join(data, 'log', 'shard-0');
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    if (fs.statSync(file).isDirectory()) fs.rmdirSync(file);
  }
}
