/**
 * Takes a backup of a data folder, also of a running server's: copies the files, verifies the copies, and describes
 * them. It gets its name when all of it is on disk.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeFolders, systemClock } from '#base';
import { shortenBlock, keysIn, DataFolderError, type RecoveryPlan, realDisk } from '#persistence';
import {
  backupData,
  BACKUP_MANIFEST,
  manifestText,
  newManifest,
  type BackupFile,
  type BackupManifest,
  type BackupStart,
} from './backup-manifest.ts';
import { closeAll, openSource, type BackupSource, type SourceFile } from './backup-source.ts';
import { scanFinished, type LogScan } from './log-scan.ts';
import { verifySnapshot } from './verify-snapshot.ts';

const PIECE_BYTES = 1024 * 1024;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

interface BackupOptions {
  readonly folder: string;
  /** Folder of the backup, which must not be there. */
  readonly output: string;
  readonly version: string;
  readonly signal?: AbortSignal;
}

interface TakenBackup {
  readonly manifest: BackupManifest;
  /** Messages about data in the folder that is not in the backup. */
  readonly remarks: readonly string[];
}

/** Rejects with the reason if there is no backup then: nothing of it is kept. */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { folder, output, signal } = options;
  const partial = `${path.resolve(output)}.partial`;
  demandNew(output);
  demandNew(partial);
  const source = await openSource(folder, signal);
  let isMade = false;
  try {
    makeFolders(path.dirname(partial), FOLDER_MODE);
    fs.mkdirSync(partial, FOLDER_MODE);
    isMade = true;
    const manifest = await fill(partial, source, options);
    signal?.throwIfAborted();
    demandNew(output);
    fs.renameSync(partial, output);
    isMade = false;
    realDisk.syncFolder(path.dirname(partial));
    return { manifest, remarks: source.remarks };
  } catch (error) {
    throw failureOf(error, output);
  } finally {
    closeAll(source.files);
    if (isMade) fs.rmSync(partial, { recursive: true, force: true });
  }
}

function demandNew(file: string): void {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new DataFolderError(`${file} exists: nothing is overwritten`);
}

/** Errors of the disk of the backup, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'this user has no write permission',
  EPERM: 'this user has no write permission',
};

/** Returns the error for a folder that could not be written, in words where the disk is the reason. */
export function failureOf(error: unknown, output: string): unknown {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  if (reason === undefined) return error;
  return new DataFolderError(`${output} cannot be written: ${reason}; nothing of it was kept`);
}

async function fill(
  backup: string,
  source: BackupSource,
  { version, signal }: BackupOptions,
): Promise<BackupManifest> {
  const data = backupData(backup);
  const folders = new Set([backup]);
  for (const file of source.files) {
    const target = path.join(data, file.path);
    realDisk.makeFolder(path.dirname(target));
    for (let at = path.dirname(target); at !== backup; at = path.dirname(at)) folders.add(at);
    await copyFile(file, target, signal);
  }
  const scans = await verifyCopies(data, source, signal);
  const [newest] = source.plans as [RecoveryPlan];
  const manifest = newManifest({
    server_version: version,
    made_ms: Math.floor(systemClock.wallMs()),
    shards: newest.shards.length,
    starts: source.plans.map((plan) => startOf(plan, source, scans)),
    newest_ms: source.newestMs,
    last_write_ms: Math.max(0, ...[...scans.values()].map(({ lastMs }) => lastMs)),
    keys_in_newest_snapshot: newest.manifest === undefined ? 0 : keysIn(newest.manifest),
    files: await describe(data, source.files, signal),
  });
  const fd = fs.openSync(path.join(backup, BACKUP_MANIFEST), 'wx', FILE_MODE);
  try {
    realDisk.append(fd, [Buffer.from(manifestText(manifest))]);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  for (const each of folders) realDisk.syncFolder(each);
  return manifest;
}

/** Copies the wanted part of a file; it is on disk then. */
async function copyFile(
  { fd, file, bytes, end }: SourceFile,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const out = fs.openSync(target, 'wx', FILE_MODE);
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    for (let at = 0; at < bytes;) {
      const got = fs.readSync(fd, piece, 0, Math.min(PIECE_BYTES, bytes - at), at);
      if (got === 0) throw new DataFolderError(`${file} became shorter while it was copied`);
      realDisk.append(out, [piece.subarray(0, got)]);
      at += got;
      await nextTurn();
      signal?.throwIfAborted();
    }
    fs.fsyncSync(out);
  } finally {
    fs.closeSync(out);
  }
  if (end?.cut !== undefined) shortenBlock(target, end.format, end.cut.blockAt, end.cut.bytes);
}

/** Reads the copies whole; returns the scans of the logs by their paths. */
async function verifyCopies(
  data: string,
  { files, plans }: BackupSource,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, LogScan>> {
  const scans = new Map<string, LogScan>();
  for (const { path: name } of files) {
    if (name.endsWith('.log')) {
      scans.set(name, await scanFinished(path.join(data, name), { signal }));
    }
  }
  for (const { shards } of plans) {
    for (const { snapshot, snapshotKeys } of shards) {
      const copy = files.find(({ file }) => file === snapshot);
      if (copy !== undefined)
        await verifySnapshot(path.join(data, copy.path), snapshotKeys, signal);
    }
  }
  return scans;
}

/** A snapshot has all that its shards did before they began a segment, at moments that the disk thread chose. */
function startOf(
  { number, manifest, shards }: RecoveryPlan,
  { files }: BackupSource,
  scans: ReadonlyMap<string, LogScan>,
): BackupStart {
  const written = manifest === undefined ? 0 : manifest.created_ms + manifest.duration_ms;
  const times = shards.map(({ segments: [first] }) => {
    const name = files.find(({ file }) => file === first)?.path ?? '';
    return scans.get(name)?.createdMs ?? written;
  });
  return { snapshot: number, time_ms: Math.ceil(Math.max(...times)) };
}

async function describe(
  data: string,
  files: readonly SourceFile[],
  signal: AbortSignal | undefined,
): Promise<BackupFile[]> {
  const described: BackupFile[] = [];
  for (const { path: name } of files) {
    const file = path.join(data, name);
    const sha256 = await sumOf(file, signal);
    described.push({ path: name, bytes: fs.statSync(file).size, sha256 });
  }
  return described;
}

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function sumOf(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const fd = fs.openSync(file, 'r');
  try {
    for (let got = fs.readSync(fd, piece); got > 0; got = fs.readSync(fd, piece)) {
      hash.update(piece.subarray(0, got));
      await nextTurn();
      signal?.throwIfAborted();
    }
    return hash.digest('hex');
  } finally {
    fs.closeSync(fd);
  }
}
