/**
 * Description of a snapshot, in its own file: written when all other files are on disk, so that it is whole or not
 * there.
 */

import { FORMATS } from './file-head.ts';

interface ShardFile {
  readonly shard: number;
  readonly keys: number;
  /** Size of the file; then of its content unpacked. */
  readonly bytes: number;
  readonly unpacked_bytes: number;
}

export interface Manifest {
  readonly format: number;
  /** The first segment of the log that is not in the snapshot. */
  readonly number: number;
  readonly epoch: number;
  readonly shards: number;
  readonly created_ms: number;
  readonly duration_ms: number;
  readonly files: readonly ShardFile[];
}

export function keysIn({ files }: Manifest): number {
  return files.reduce((sum, { keys }) => sum + keys, 0);
}

export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Parses a manifest; throws an Error with the fault of the text. */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (typeof manifest.format !== 'number' || manifest.format > FORMATS.snapshot) {
    throw new Error(
      `it has format ${manifest.format}; this version reads up to ${FORMATS.snapshot}`,
    );
  }
  if (!Array.isArray(manifest.files) || manifest.files.length !== manifest.shards) {
    throw new Error('it does not name a file for each shard');
  }
  return manifest;
}
