/** Tasks that the executable does with a data folder instead of serving it, or before. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ConfigWarning, Settings } from '#config';
import {
  DataFolder,
  DataFolderError,
  demandFolder,
  FolderLock,
  makeFolder,
  readStreamPlace,
} from '#persistence';
import { rdb } from '#store';
import { OfflineData, type OfflineOptions, openTiers, readFolder } from '#offline';
import { localTierOf, shardCountOf, shardSettings, takeTierFolder } from '#main';

/** Reads all data without changing it; throws an error for unreadable data. */
export function checkData(settings: Settings): Promise<readonly string[]> {
  return withFolder(settings, async (folder) => {
    if (folder.isEmpty) return [...folder.remarks, 'there is no data'];
    const { data, report } = await readFolder(folder, optionsOf(settings));
    data.close();
    const from = report.snapshot === 0 ? 'no snapshot' : `snapshot ${report.snapshot}`;
    return [
      ...report.remarks,
      ...report.unwritten,
      `The data is readable: ${report.keys} keys on ${report.shards} shards, from ${from} and ${report.records} log records`,
    ];
  });
}

/** Exports the data as an RDB file; returns lines for the user. */
export function exportRdb(settings: Settings, file: string): Promise<readonly string[]> {
  return withFolder(settings, async (folder) => {
    if (folder.isEmpty) throw new DataFolderError('there is no data to export');
    const { data, report } = await readFolder(folder, optionsOf(settings));
    try {
      const said = [...report.remarks, ...report.unwritten];
      // What was left out is at no place that is known.
      const place = said.length === 0 ? readStreamPlace(folder) : undefined;
      const { keys, reduced } = data.exportRdb(file, place);
      if (reduced > 0) {
        said.push(
          `${reduced} ${reduced === 1 ? 'stream is' : 'streams are'} exported without idempotent ids, and released entries with a consumer without a name, since Redis 7.4 knows neither`,
        );
      }
      return [...said, `Exported ${keys} keys to ${file}`];
    } finally {
      data.close();
    }
  });
}

/** Makes a snapshot of Redis, or what can be read of it, the first data of a folder. */
export async function importRdb(
  settings: Settings,
  file: string,
  skipsDamaged = false,
): Promise<string> {
  makeFolder(folderOf(settings));
  const lock = await FolderLock.take(folderOf(settings));
  let tierLock: FolderLock | undefined;
  let data: OfflineData | undefined;
  try {
    const folder = new DataFolder(folderOf(settings));
    if (!folder.isEmpty) {
      throw new DataFolderError(
        `the data folder ${folder.folder} has data already: nothing was imported`,
      );
    }
    tierLock = await lockLocalTier(settings);
    const tiers = await openTiers(localTierOf(settings), 1);
    data = new OfflineData(1, shardSettings(settings), tiers);
    const said = data.importRdb(file, skipsDamaged);
    const shards = shardCountOf(settings);
    // The first segment is thereby the second: without this snapshot the log has a gap.
    await data.write(folder.folder, shards, folder.lastSegment + 2, folder.lastEpoch + 1);
    return `Imported ${file}: ${said}`;
  } catch (error) {
    const { message } = error as Error;
    const isDamaged = error instanceof rdb.RdbFileError && !skipsDamaged;
    const hint = isDamaged ? '; --skip-damaged imports what can be read of it' : '';
    throw new DataFolderError(`${file} cannot be imported: ${message}${hint}`);
  } finally {
    data?.close();
    tierLock?.release();
    lock.release();
  }
}

/** Takes the folder of the tier that a task uses. */
function lockLocalTier(settings: Settings): Promise<FolderLock | undefined> {
  const place = localTierOf(settings);
  return place === undefined ? Promise.resolve(undefined) : takeTierFolder(place.directory);
}

/** The folder of Redis' log, which is newer than a snapshot beside it, and is not read here. */
const REDIS_LOG = 'appendonlydir';

/** Imports the RDB file of the data folder at the first start, as Redis would; returns a log message. */
export async function importAtFirstStart(settings: Settings): Promise<string | undefined> {
  const name = settings.string('persistence.rdb-file');
  if (!settings.boolean('persistence.enabled') || name === '') return undefined;
  const folder = folderOf(settings);
  const file = path.join(folder, name);
  if (!existsSync(file) || !new DataFolder(folder).isEmpty) return undefined;
  const log = path.join(folder, REDIS_LOG);
  if (existsSync(log)) {
    throw new DataFolderError(
      `${log} contains changes that Redis wrote after ${name}, and cannot be read: run SAVE in Redis and remove ${REDIS_LOG}, or start without both with --set persistence.rdb-file=""`,
    );
  }
  return importRdb(settings, file);
}

/** Warns of data in the data folder that a start leaves unread, since persistence is off; undefined when there are none. */
export function unreadData(settings: Settings): ConfigWarning | undefined {
  const folder = path.resolve(folderOf(settings));
  if (settings.boolean('persistence.enabled') || !existsSync(folder)) return undefined;
  const file = path.join(folder, settings.string('persistence.rdb-file'));
  const hasOwn = hasData(folder);
  if (!hasOwn && (file === folder || !existsSync(file))) return undefined;
  const consequence = hasOwn
    ? ', and are replaced when it is switched on while the server runs'
    : '';
  return {
    event: 'data-not-loaded',
    severity: 'warn',
    message: `The data in ${hasOwn ? folder : file} is not loaded: persistence.enabled is off${consequence}.`,
  };
}

function hasData(folder: string): boolean {
  try {
    return !new DataFolder(folder).isEmpty;
  } catch (error) {
    // Data that cannot be used, of a newer version for one, are data as well.
    if (error instanceof DataFolderError) return true;
    throw error;
  }
}

function optionsOf(settings: Settings): Omit<OfflineOptions, 'folder'> {
  return {
    settings: shardSettings(settings),
    anyway: settings.boolean('persistence.recover-anyway'),
    tier: localTierOf(settings),
  };
}

function folderOf(settings: Settings): string {
  return settings.string('persistence.data-dir');
}

/** Opens an existing folder under its lock: a misspelt name is an error, and creates nothing. */
async function withFolder<T>(
  settings: Settings,
  use: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  demandFolder(folderOf(settings));
  const lock = await FolderLock.take(folderOf(settings));
  let tierLock: FolderLock | undefined;
  try {
    const folder = new DataFolder(folderOf(settings));
    if (!folder.isEmpty) tierLock = await lockLocalTier(settings);
    return await use(folder);
  } finally {
    tierLock?.release();
    lock.release();
  }
}
