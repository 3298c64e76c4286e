/** Verification of a backup before anything is restored from it. */

import fs from 'node:fs';
import path from 'node:path';
import { type DataFolder, DataFolderError, type RecoveryPlan } from '#persistence';
import {
  backupData,
  oldestOf,
  readBackupManifest,
  type BackupFile,
  type BackupManifest,
} from './backup-manifest.ts';
import { sumOf } from './take-backup.ts';

/** Compares all files with the manifest; rejects with a DataFolderError that names the first difference. */
export async function verifyBackup(backup: string, signal?: AbortSignal): Promise<BackupManifest> {
  const manifest = readBackupManifest(backup);
  const data = backupData(backup);
  const there = new Set(filesIn(data));
  for (const file of manifest.files) {
    if (!there.delete(file.path)) {
      throw new DataFolderError(`${path.join(data, file.path)} is missing from the backup`);
    }
    await demandSame(path.join(data, file.path), file, signal);
  }
  const [unknown] = there;
  if (unknown !== undefined) {
    throw new DataFolderError(`${path.join(data, unknown)} is no file of this backup`);
  }
  return manifest;
}

async function demandSame(
  file: string,
  { bytes, sha256 }: BackupFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { size } = fs.statSync(file);
  if (size !== bytes) {
    const what = size < bytes ? 'is truncated' : 'was changed';
    throw new DataFolderError(`${file} ${what}: it has ${size} bytes instead of ${bytes}`);
  }
  if ((await sumOf(file, signal)) === sha256) return;
  throw new DataFolderError(`${file} was changed: its SHA-256 is not that of the backup`);
}

/** Paths of all files under a folder. */
function filesIn(folder: string, under = ''): readonly string[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(path.join(folder, under)) : [];
  return names.flatMap((name) => {
    const found = path.join(under, name);
    // A link is a file, so that none leads out of the backup.
    const isFolder = fs.lstatSync(path.join(folder, found)).isDirectory();
    return isFolder ? filesIn(folder, found) : [found];
  });
}

/**
 * Returns the recovery of a backup up to a time (Unix milliseconds): it begins with the newest snapshot before it. Throws
 * a DataFolderError if the backup does not have that time.
 */
export function backupPlan(
  found: DataFolder,
  manifest: BackupManifest,
  untilMs: number | undefined,
): RecoveryPlan {
  const { starts, newest_ms: newestMs } = manifest;
  if (untilMs !== undefined && (untilMs < oldestOf(manifest) || untilMs > newestMs)) {
    const range = `${isoTime(oldestOf(manifest))} to ${isoTime(newestMs)}`;
    throw new DataFolderError(`the backup does not have ${isoTime(untilMs)}: it has ${range}`);
  }
  const start = starts.find(({ time_ms: ms }) => untilMs === undefined || ms <= untilMs)!;
  const nth = found.snapshots.findIndex(({ number }) => number === start.snapshot);
  return found.plan(start.snapshot === 0 ? found.snapshots.length : nth);
}

/** Returns a time as people and `--to-time` read it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
