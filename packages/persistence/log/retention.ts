/** Retention: removes from the data folder what is not needed any more. */

import { outcomeOf, type Disk } from '../disk.ts';
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
  const old = numbers.slice(snapshotsMax).map((number) => snapshotFolder(folder, number));
  const kept = numbers.slice(0, snapshotsMax);
  const oldest = kept[Math.min(SNAPSHOTS_WITH_LOG, kept.length) - 1];
  if (oldest === undefined) return;
  removeEach(disk, [...old, ...segmentsBefore(disk, folder, oldest)]);
}

/** Files of the logs with a number below that. */
function segmentsBefore(disk: Disk, folder: string, oldest: number): readonly string[] {
  return disk.list(logFolder(folder)).flatMap((name) => {
    const shard = shardIn(name);
    if (shard === undefined) return [];
    return disk
      .list(shardLogFolder(folder, shard))
      .map((segment) => numberIn(segment, '.log'))
      .filter((number) => number !== undefined && number < oldest)
      .map((number) => segmentFile(folder, shard, number!));
  });
}

/** Removes what can be removed; throws the first error afterwards. */
function removeEach(disk: Disk, targets: readonly string[]): void {
  const problems = targets.map((target) =>
    outcomeOf(() => {
      disk.remove(target);
    }),
  );
  const [first] = problems.filter((problem) => problem !== null);
  if (first !== undefined) throw first;
}

/** Removes all that is older than the snapshot of that number: it was written for another number of shards. */
export function removeAllBut(disk: Disk, folder: string, number: number): void {
  const snapshots = snapshotNumbers(disk, folder)
    .filter((each) => each !== number)
    .map((each) => snapshotFolder(folder, each));
  removeEach(disk, [...snapshots, ...segmentsBefore(disk, folder, number)]);
}
