/**
 * Files of a data folder that a backup takes, while a server may write them: of each shard's log the part up to one
 * time. Nothing is locked: a file that is removed meanwhile means that the folder is looked at again.
 */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#base';
import { DataFolder, DataFolderError, type RecoveryPlan, MANIFEST } from '#persistence';
import { scanGrowing, type LogScan } from './log-scan.ts';

/** Looks at a folder whose files are replaced at this moment; a server replaces them with each snapshot. */
const LOOKS_MAX = 20;
const LOOK_AGAIN_MS = 100;

/** One file of a backup, open, so that it can be read after it was removed. */
export interface SourceFile {
  readonly fd: number;
  readonly file: string;
  /** Path in the data folder. */
  readonly path: string;
  /** Bytes to be copied. */
  readonly bytes: number;
  /** End of the last segment of a log, which a server may be writing; undefined for other files. */
  readonly end: LogScan | undefined;
}

export interface BackupSource {
  /** Recoveries that the files allow, the one with the newest snapshot first. */
  readonly plans: readonly RecoveryPlan[];
  readonly files: readonly SourceFile[];
  /** Unix milliseconds: what was logged by then is in the files, and nothing later. */
  readonly newestMs: number;
  readonly remarks: readonly string[];
}

/** Opens the files; they are to be closed. Rejects with a DataFolderError or DamagedFile if the data cannot be used. */
export async function openSource(
  folder: string,
  signal: AbortSignal | undefined,
): Promise<BackupSource> {
  // What was read of a log stays as it is: only what follows is read at the next look.
  const ends = new Map<string, LogScan>();
  for (let look = 1; ; look += 1) {
    signal?.throwIfAborted();
    try {
      return await openAtOnce(folder, ends, signal);
    } catch (error) {
      if (look === LOOKS_MAX || !mayPass(error)) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** The files are not those that they were a moment ago. */
class FolderChanged extends DataFolderError {}

/** True for errors that a folder causes in which files are being replaced. */
function mayPass(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof DataFolderError || code === 'ENOENT' || code === 'ESTALE';
}

async function openAtOnce(
  folder: string,
  ends: Map<string, LogScan>,
  signal: AbortSignal | undefined,
): Promise<BackupSource> {
  const { plans, remarks } = plansOf(folder);
  const growing = growingFiles(plans);
  for (const file of growing) {
    const from = ends.get(file);
    ends.set(file, await scanGrowing(file, { signal, ...(from && { from }) }));
  }
  // Everything that was logged before this moment can be read now. A client that waits for each reply may have made
  // the changes of one shard depend on those of another: from here on the times of records decide.
  const newestMs = Math.floor(systemClock.wallMs());
  const tails = new Map<string, LogScan>();
  for (const file of growing) {
    tails.set(file, await scanGrowing(file, { from: ends.get(file)!, untilMs: newestMs, signal }));
  }
  const names = filesOf(plans);
  if (filesOf(plansOf(folder).plans).join() !== names.join()) {
    throw new FolderChanged(`the files in ${folder} are replaced faster than they can be listed`);
  }
  return { plans, files: openAll(folder, names, tails), newestMs, remarks };
}

/** Throws a DataFolderError if the folder has no data that can be recovered as a whole. */
function plansOf(folder: string): Pick<BackupSource, 'plans' | 'remarks'> {
  const found = new DataFolder(folder);
  if (found.unfounded.length > 0) {
    throw new DataFolderError(
      'persistence was switched on, and its first snapshot is not finished: a backup is possible after it',
    );
  }
  if (found.isEmpty) throw new DataFolderError(`there is no data in ${path.resolve(folder)}`);
  const plans = [wholePlan(found, 0)];
  for (let nth = 1; nth <= found.snapshots.length; nth += 1) {
    try {
      plans.push(wholePlan(found, nth));
    } catch {
      // The log does not reach back to there.
      break;
    }
  }
  const unwritten = plans[0]!.shards.flatMap(({ unwritten: what }) => what ?? []);
  return { plans, remarks: [...found.remarks, ...unwritten] };
}

function wholePlan(found: DataFolder, nth: number): RecoveryPlan {
  const plan = found.plan(nth);
  const hole = plan.shards.find((shard) => shard.hole !== undefined)?.hole;
  if (hole !== undefined) throw new DataFolderError(hole.what);
  const hasLogs = plan.shards.every(({ segments }) => segments.length > 0);
  if (plan.manifest === undefined && !hasLogs) {
    throw new DataFolderError('there is neither a snapshot nor a complete log');
  }
  return plan;
}

/** Returns the last segment of each shard: the plan that begins first has all. */
function growingFiles(plans: readonly RecoveryPlan[]): readonly string[] {
  return plans.at(-1)!.shards.flatMap(({ segments }) => segments.at(-1) ?? []);
}

/** Returns all files of the plans. */
function filesOf(plans: readonly RecoveryPlan[]): readonly string[] {
  const names = plans.flatMap(({ shards }) =>
    shards.flatMap(({ snapshot, segments }) => {
      if (snapshot === undefined) return segments;
      return [path.join(path.dirname(snapshot), MANIFEST), snapshot, ...segments];
    }),
  );
  return [...new Set(names)].sort();
}

function openAll(
  folder: string,
  names: readonly string[],
  tails: ReadonlyMap<string, LogScan>,
): readonly SourceFile[] {
  const files: SourceFile[] = [];
  try {
    for (const file of names) {
      const fd = fs.openSync(file, 'r');
      const end = tails.get(file);
      const bytes = end?.offset ?? fs.fstatSync(fd).size;
      files.push({ fd, file, path: path.relative(folder, file), bytes, end });
    }
    return files;
  } catch (error) {
    closeAll(files);
    throw error;
  }
}

export function closeAll(files: readonly SourceFile[]): void {
  for (const { fd } of files) fs.closeSync(fd);
}
