/**
 * Description of a backup: `backup.json` beside the folder `data`, written when all files are on disk and verified. Its
 * last field is the SHA-256 of the others, so that a changed description is noticed as changed files are.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { DataFolderError } from '#persistence';

const FORMAT = 1;
export const BACKUP_MANIFEST = 'backup.json';
/** Folder with the files, which is a data folder of its own. */
const DATA = 'data';

export interface BackupFile {
  /** Path in the folder `data`, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** State of the data from which the log continues. */
export interface BackupStart {
  /** Number of a snapshot; 0 = no data, at the beginning of the log. */
  readonly snapshot: number;
  /** Unix milliseconds from which on a time can be restored by it. */
  readonly time_ms: number;
}

export interface BackupManifest {
  readonly format: number;
  readonly server_version: string;
  readonly made_ms: number;
  readonly shards: number;
  /** Newest first. */
  readonly starts: readonly BackupStart[];
  /** Unix milliseconds: all that was logged up to then is in the backup, and no more. */
  readonly newest_ms: number;
  /** Time of the last logged change; 0 if the log is empty. */
  readonly last_write_ms: number;
  readonly keys_in_newest_snapshot: number;
  readonly files: readonly BackupFile[];
}

export const backupData = (backup: string): string => path.join(backup, DATA);

/** Returns the first time that can be restored, in Unix milliseconds. */
export function oldestOf({ starts }: BackupManifest): number {
  return starts.reduce((least, { time_ms: ms }) => Math.min(least, ms), Infinity);
}

export function manifestText(manifest: BackupManifest): string {
  return `${JSON.stringify({ ...manifest, sha256: sumOf(manifest) }, null, 2)}\n`;
}

/** Reads the description of a backup; throws a DataFolderError with what is wrong with it. */
export function readBackupManifest(backup: string): BackupManifest {
  const file = path.join(backup, BACKUP_MANIFEST);
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' || code === 'ENOTDIR' ? 'is missing' : `(${code})`;
    throw new DataFolderError(`${backup} is no complete backup: ${file} ${reason}`);
  }
  let manifest: BackupManifest & { readonly sha256?: unknown };
  try {
    manifest = JSON.parse(text) as typeof manifest;
  } catch {
    throw new DataFolderError(`${file} is damaged: it is no JSON`);
  }
  const { sha256, ...rest } = manifest;
  if (typeof rest.format === 'number' && rest.format > FORMAT) {
    const newer = `has format ${rest.format}; this version reads up to ${FORMAT}`;
    throw new DataFolderError(`${file} ${newer}`);
  }
  if (sha256 !== sumOf(rest)) {
    throw new DataFolderError(`${file} is damaged: its contents do not match its checksum`);
  }
  return rest;
}

export function newManifest(fields: Omit<BackupManifest, 'format'>): BackupManifest {
  return { format: FORMAT, ...fields };
}

function sumOf(fields: object): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
