/** Reading a data folder without a server, and writing it for another number of shards. */

import type { ShardSettingValues } from '#commands';
import { DataFolder, isProblem, realDisk, RecoveryAttempts, removeAllBut } from '#persistence';
import { LocalTier, type LocalTierPlace } from '#tier';
import { OfflineData, type OfflineReport } from './offline-data.ts';

/** Options that a task is started with. */
export interface OfflineOptions {
  readonly folder: string;
  readonly settings: ShardSettingValues;
  /** True to skip damaged data. */
  readonly anyway: boolean;
  /** The place for values for which memory has no room; undefined where all are to be in memory. */
  readonly tier: LocalTierPlace | undefined;
}

/** Opens an empty tier for each shard; none without a place. Rejects where it cannot be had. */
export function openTiers(place: LocalTierPlace | undefined, shards: number): Promise<LocalTier[]> {
  if (place === undefined) return Promise.resolve([]);
  return Promise.all(Array.from({ length: shards }, (_, shard) => LocalTier.open(place, shard)));
}

/**
 * Reads the data of a folder, from the newest snapshot on; where one is damaged, from the one before it, which the
 * remarks say. Rejects with a DataFolderError that says what is wrong. Files stay as they are; `close` of the data ends
 * its use.
 */
export async function readFolder(
  found: DataFolder,
  { settings, anyway, tier }: Omit<OfflineOptions, 'folder'>,
): Promise<{ readonly data: OfflineData; readonly report: OfflineReport }> {
  const remarks = [...found.remarks];
  const attempts = new RecoveryAttempts(found, anyway);
  const tiers = await openTiers(tier, found.shards);
  try {
    for (;;) {
      const remark = attempts.remark('used');
      if (remark !== undefined) remarks.push(remark);
      const data = new OfflineData(found.shards, settings, tiers);
      const outcome = data.load(attempts.plan, anyway);
      if (!isProblem(outcome)) {
        return { data, report: { ...outcome, remarks: [...remarks, ...outcome.remarks] } };
      }
      attempts.failed(outcome);
    }
  } catch (error) {
    for (const each of tiers) each.close();
    throw error;
  }
}

export interface Redistribution extends OfflineOptions {
  /** Number of shards that there are to be. */
  readonly shards: number;
}

/** Rewrites the data of a folder for another number of shards; the old files are deleted when the new ones are on disk. */
export async function redistribute(options: Redistribution): Promise<OfflineReport> {
  const { folder, settings, anyway, shards, tier } = options;
  const found = new DataFolder(folder);
  const { data, report } = await readFolder(found, { settings, anyway, tier });
  try {
    // A restored folder has a snapshot, and no segment behind it.
    const number = Math.max(found.lastSegment, found.lastSnapshot) + 1;
    await data.write(folder, shards, number, found.lastEpoch + 1);
    data.repair();
    removeAllBut(realDisk, folder, number);
  } finally {
    data.close();
  }
  return report;
}
