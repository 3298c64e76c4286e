/** `svc-server backup` and `svc-server restore`: backups of the data folder, and data folders from backups. */

import path from 'node:path';
import { type DataTask, readSubcommand, type Settings, VERSION } from '#config';
import {
  DataFolder,
  DataFolderError,
  demandFolder,
  FolderLock,
  isProblem,
  makeFolder,
  realDisk,
  snapshotFile,
  snapshotFolder,
} from '#persistence';
import {
  backupData,
  backupPlan,
  failureOf,
  isoTime,
  OfflineData,
  oldestOf,
  openTiers,
  takeBackup,
  verifyBackup,
  verifySnapshot,
} from '#offline';
import { localTierOf, shardCountOf, shardSettings, takeTierFolder } from '#main';

/** From this number on a time is in milliseconds: as seconds it would be after the year 5000. */
const MS_MIN = 1e11;
const MS_MAX = 8.64e15;
/** Date and time with a time zone: without one it would depend on the machine. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

type Given = ReturnType<typeof readSubcommand>;

/** Runs a task; returns lines for the user, and rejects with the reason. */
export async function backupOrRestore(
  settings: Settings,
  name: DataTask,
  args: readonly string[],
): Promise<readonly string[]> {
  const given = readSubcommand(name, args);
  const stop = new AbortController();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const abort = (signal: NodeJS.Signals): void => {
    stop.abort(new Error(`${name} was stopped by ${signal}: nothing was kept`));
  };
  for (const signal of signals) process.on(signal, abort);
  try {
    return await (name === 'backup'
      ? backup(settings, given, stop.signal)
      : restore(settings, given, stop.signal));
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}

function wanted(given: Given, option: string, task: DataTask): string {
  const value = given.text(option);
  if (value === '') throw new Error(`svc-server ${task} needs --${option} FOLDER`);
  return value;
}

function folderOf(settings: Settings): string {
  return settings.string('persistence.data-dir');
}

async function backup(
  settings: Settings,
  given: Given,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const output = wanted(given, 'output', 'backup');
  const folder = folderOf(settings);
  demandFolder(folder);
  const { manifest, remarks } = await takeBackup({ folder, output, version: VERSION, signal });
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    ...remarks,
    `Backup of ${path.resolve(folder)} in ${output}: ${manifest.files.length} files, ${bytes} bytes, verified`,
    `It can be restored as of any time from ${isoTime(oldestOf(manifest))} to ${isoTime(manifest.newest_ms)}`,
    lastChange(manifest.last_write_ms),
  ];
}

function lastChange(ms: number): string {
  return ms === 0 ? 'The log has no changes' : `The last change in the log is of ${isoTime(ms)}`;
}

async function restore(
  settings: Settings,
  given: Given,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const from = wanted(given, 'from', 'restore');
  const untilMs = timeOf(given.text('to-time'));
  if (given.has('dry-run')) {
    const data = await readBackup(settings, from, { untilMs, signal });
    data.close();
    return [...data.report, 'The backup is complete and readable; nothing was written'];
  }
  const folder = folderOf(settings);
  makeFolder(folder);
  const lock = await FolderLock.take(folder);
  try {
    demandNoData(folder);
    const data = await readBackup(settings, from, { untilMs, signal });
    try {
      signal.throwIfAborted();
      await write(data, folder, shardCountOf(settings));
      return [...data.report, `Restored to ${path.resolve(folder)}`];
    } finally {
      data.close();
    }
  } finally {
    lock.release();
  }
}

/** Returns Unix milliseconds; undefined without a time. Throws an Error for what is no time. */
function timeOf(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    const ms = number < MS_MIN ? number * 1_000 : number;
    if (ms <= MS_MAX) return ms;
  } else if (ISO_TIME.test(text) && !Number.isNaN(Date.parse(text))) {
    return Date.parse(text);
  }
  throw new Error(
    '--to-time needs a time such as 2026-11-29T03:00:00Z or 2026-11-29T04:00:00+01:00, or Unix seconds or milliseconds',
  );
}

function demandNoData(folder: string): void {
  const found = new DataFolder(folder);
  if (found.isEmpty && found.unfounded.length === 0) return;
  throw new DataFolderError(
    `the data folder ${path.resolve(folder)} has data already: nothing was restored`,
  );
}

interface ReadBackup {
  readonly offline: OfflineData;
  readonly lastSegment: number;
  readonly lastEpoch: number;
  readonly report: readonly string[];
  close(): void;
}

interface ReadOptions {
  readonly untilMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Verifies a backup, and recovers its data into memory, up to a time. */
async function readBackup(
  settings: Settings,
  from: string,
  { untilMs, signal }: ReadOptions,
): Promise<ReadBackup> {
  const manifest = await verifyBackup(from, signal);
  const found = new DataFolder(backupData(from));
  const plan = backupPlan(found, manifest, untilMs);
  const place = localTierOf(settings);
  const tierLock = place === undefined ? undefined : await takeTierFolder(place.directory);
  let offline: OfflineData | undefined;
  const close = (): void => {
    offline?.close();
    tierLock?.release();
  };
  try {
    const tiers = await openTiers(place, found.shards);
    offline = new OfflineData(found.shards, shardSettings(settings), tiers);
    const outcome = offline.load(plan, false, untilMs);
    if (isProblem(outcome)) throw new DataFolderError(outcome.message);
    const { lastSegment, lastEpoch } = found;
    const { lastRecordMs } = offline;
    const report = [
      ...outcome.remarks,
      ...offline.keysByDatabase.map(([database, keys]) => `db${database}: ${keys} keys`),
      `${outcome.keys} keys in all, as of ${untilMs === undefined ? isoTime(manifest.newest_ms) : isoTime(untilMs)}`,
      lastRecordMs === 0
        ? `No change after snapshot ${outcome.snapshot}`
        : `The last of ${outcome.records} replayed changes is of ${isoTime(lastRecordMs)}`,
    ];
    return { offline, lastSegment, lastEpoch, report, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Writes the data as a snapshot, and reads the files again; nothing stays if that fails. */
async function write(
  { offline, lastSegment, lastEpoch }: ReadBackup,
  folder: string,
  shards: number,
): Promise<void> {
  // The first segment is thereby the second: without this snapshot the log has a gap.
  const number = Math.max(lastSegment + 1, 2);
  const snapshot = snapshotFolder(folder, number);
  try {
    const { files } = await offline.write(folder, shards, number, lastEpoch + 1);
    for (const { shard, keys } of files) await verifySnapshot(snapshotFile(snapshot, shard), keys);
  } catch (error) {
    realDisk.remove(snapshot);
    throw failureOf(error, folder);
  }
}
