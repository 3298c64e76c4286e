/** Reading a data folder without a server, and writing it for another number of shards. */

import type { ShardSettingValues } from '#commands';
import { DataFolder, isProblem, realDisk, RecoveryAttempts, removeAllBut } from '#persistence';
import { OfflineData, type OfflineReport } from './offline-data.ts';

/** Options that a task is started with. */
export interface OfflineOptions {
  readonly folder: string;
  readonly settings: ShardSettingValues;
  /** Leaves out what is damaged. */
  readonly anyway: boolean;
}

/**
 * Reads the data of a folder, from the newest snapshot on; where one is damaged, from the one before it, which the
 * remarks say. Throws a DataFolderError with what is wrong. Files stay as they are.
 */
export function readFolder(
  found: DataFolder,
  { settings, anyway }: Omit<OfflineOptions, 'folder'>,
): { readonly data: OfflineData; readonly report: OfflineReport } {
  const remarks = [...found.remarks];
  const attempts = new RecoveryAttempts(found, anyway);
  for (;;) {
    const remark = attempts.remark('used');
    if (remark !== undefined) remarks.push(remark);
    const data = new OfflineData(found.shards, settings);
    const outcome = data.load(attempts.plan, anyway);
    if (!isProblem(outcome)) {
      return { data, report: { ...outcome, remarks: [...remarks, ...outcome.remarks] } };
    }
    attempts.failed(outcome);
  }
}

export interface Redistribution extends OfflineOptions {
  /** Number of shards that there are to be. */
  readonly shards: number;
}

/** Writes the data of a folder for another number of shards; what it was before goes when that is on disk. */
export async function redistribute(options: Redistribution): Promise<OfflineReport> {
  const { folder, settings, anyway, shards } = options;
  const found = new DataFolder(folder);
  const { data, report } = readFolder(found, { settings, anyway });
  const number = found.lastSegment + 1;
  await data.write(folder, shards, number, found.lastEpoch + 1);
  data.repair();
  removeAllBut(realDisk, folder, number);
  return report;
}
