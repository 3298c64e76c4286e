/** Files of a tar archive, packed by gzip or not. */

import { createReadStream, openSync, closeSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

const GZIP_MAGIC = 0x1f8b;
/** Most bytes of all files of an archive together, unpacked. */
const ARCHIVE_BYTES_MAX = 1024 * 1024 * 1024;

/** Contents by name. */
export type ArchiveFiles = ReadonlyMap<string, Buffer>;

/** Reads all files of an archive into memory; rejects if it is damaged, or none. */
export async function readArchive(file: string | Buffer): Promise<ArchiveFiles> {
  const head = typeof file === 'string' ? headOf(file) : file;
  const source = typeof file === 'string' ? createReadStream(file) : [file];
  const isPacked = head.length >= 2 && head.readUInt16BE(0) === GZIP_MAGIC;
  const tar = extract();
  const files = new Map<string, Buffer>();
  const written = isPacked ? pipeline(source, createGunzip(), tar) : pipeline(source, tar);
  const read = readEntries(tar, files);
  const [outcome] = await Promise.allSettled([written, read]).then((all) =>
    all.filter((each) => each.status === 'rejected'),
  );
  if (outcome !== undefined) throw outcome.reason;
  return files;
}

async function readEntries(
  tar: ReturnType<typeof extract>,
  files: Map<string, Buffer>,
): Promise<void> {
  let bytes = 0;
  for await (const entry of tar) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) {
      pieces.push(piece as Buffer);
      bytes += (piece as Buffer).length;
      if (bytes > ARCHIVE_BYTES_MAX) throw new Error('it is too large for a bundle');
    }
    if (entry.header.type === 'file') files.set(entry.header.name, Buffer.concat(pieces));
  }
}

function headOf(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(2);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
}
