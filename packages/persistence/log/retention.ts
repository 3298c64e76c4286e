/** Retention: removes from the data folder what is not needed any more. */

import type { Disk } from '../disk.ts';
import {
  logFolder,
  MANIFEST,
  numberIn,
  segmentFile,
  shardIn,
  shardLogFolder,
  snapshotFolder,
  snapshotsFolder,
} from '../layout.ts';

/** The log is kept back to this many snapshots, so that recovery can begin at an older one when the newest is damaged. */
const SNAPSHOTS_WITH_LOG = 2;

/** Returns the number of the newest snapshot that is whole; 0 for none. */
export function newestSnapshot(disk: Disk, folder: string): number {
  const whole = snapshotNumbers(disk, folder).find((number) =>
    hasManifest(disk, snapshotFolder(folder, number)),
  );
  return whole ?? 0;
}

/** True unless the disk reports that a snapshot's folder has no manifest. */
export function hasManifest(disk: Disk, snapshot: string): boolean {
  try {
    return disk.list(snapshot).includes(MANIFEST);
  } catch {
    return true;
  }
}

/** Numbers of all snapshots, the newest first. */
function snapshotNumbers(disk: Disk, folder: string): readonly number[] {
  return disk
    .list(snapshotsFolder(folder))
    .map((name) => numberIn(name))
    .filter((number) => number !== undefined)
    .sort((a, b) => b - a);
}

/** Removes snapshots over the limit, and segments that the newest snapshots have no use for. */
export function removeOld(disk: Disk, folder: string, snapshotsMax: number): void {
  const numbers = snapshotNumbers(disk, folder);
  for (const number of numbers.slice(snapshotsMax)) disk.remove(snapshotFolder(folder, number));
  const kept = numbers.slice(0, snapshotsMax);
  const oldest = kept[Math.min(SNAPSHOTS_WITH_LOG, kept.length) - 1];
  if (oldest === undefined) return;
  for (const name of disk.list(logFolder(folder))) {
    const shard = shardIn(name);
    if (shard === undefined) continue;
    for (const segment of disk.list(shardLogFolder(folder, shard))) {
      const number = numberIn(segment, '.log');
      if (number !== undefined && number < oldest) disk.remove(segmentFile(folder, shard, number));
    }
  }
}

/** Removes all that is older than the snapshot of that number: it was written for another number of shards. */
export function removeAllBut(disk: Disk, folder: string, number: number): void {
  for (const name of disk.list(snapshotsFolder(folder))) {
    const each = numberIn(name);
    if (each !== undefined && each !== number) disk.remove(snapshotFolder(folder, each));
  }
  for (const name of disk.list(logFolder(folder))) {
    const shard = shardIn(name);
    if (shard === undefined) continue;
    for (const segment of disk.list(shardLogFolder(folder, shard))) {
      const each = numberIn(segment, '.log');
      if (each !== undefined && each < number) disk.remove(segmentFile(folder, shard, each));
    }
  }
}
