/**
 * Replication offset of the data of a folder, saved by a clean shutdown. It is valid only for the files of that moment:
 * later writes are at an unknown offset.
 */

import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { asBuffer, type Bytes } from '#base';
import type { DataFolder } from './data-folder.ts';
import { realDisk } from '../disk.ts';
import { STREAM_PLACE } from '../layout.ts';

const FORMAT = 1;
const CRC_BYTES = 4;
const LF = 0x0a;

/** Place in a stream: its ids, the bytes up to there, and the last of those. */
export interface KeptPlace {
  readonly id: string;
  readonly offset: number;
  /** Database that the stream is in. */
  readonly database: number;
  /** Id under which the stream is known up to `secondOffset`, which is -1 where there is none. */
  readonly secondId: string;
  readonly secondOffset: number;
  /** Bytes of the stream that end at the offset. */
  readonly tail: Bytes;
}

/** Writes the place that belongs to a folder as it is; all of it is on disk after that. */
export function writeStreamPlace(found: DataFolder, place: KeptPlace): void {
  const { tail, ...details } = place;
  const head = { format: FORMAT, files: found.fingerprint, ...details };
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  const check = Buffer.alloc(CRC_BYTES);
  check.writeUInt32LE(crc32(tail, crc32(line)));
  const file = path.join(found.folder, STREAM_PLACE);
  const partial = `${file}.partial`;
  realDisk.remove(partial);
  const fd = realDisk.create(partial);
  try {
    realDisk.append(fd, [line, tail, check]);
    realDisk.syncNow(fd);
  } finally {
    realDisk.close(fd);
  }
  realDisk.rename(partial, file);
  realDisk.syncFolder(found.folder);
}

/** Returns the place of the data in a folder; undefined where none was kept, or the files are others since. */
export function readStreamPlace(found: DataFolder): KeptPlace | undefined {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(path.join(found.folder, STREAM_PLACE));
  } catch {
    // A synchronisation brings all data then.
    return undefined;
  }
  const end = bytes.length - CRC_BYTES;
  const lineEnd = bytes.indexOf(LF);
  if (lineEnd < 0 || lineEnd >= end) return undefined;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return undefined;
  const { format, files, ...details } = JSON.parse(bytes.toString('utf8', 0, lineEnd)) as Omit<
    KeptPlace,
    'tail'
  > & { readonly format: number; readonly files: string };
  if (format !== FORMAT || files !== found.fingerprint) return undefined;
  return { ...details, tail: asBuffer(bytes).subarray(lineEnd + 1, end) };
}

/** Forgets the place: what comes is at another. */
export function forgetStreamPlace(folder: string): void {
  realDisk.remove(path.join(folder, STREAM_PLACE));
}
