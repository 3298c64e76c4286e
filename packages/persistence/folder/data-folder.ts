/** Contents of a data folder, found out at the start, before anything is read or written. */

import fs from 'node:fs';
import path from 'node:path';
import { BlockReader, DamagedFile } from '../blocks/block-reader.ts';
import { FILE_HEAD_BYTES, type FileHead, type FileHeadError } from '../blocks/file-head.ts';
import {
  logFolder,
  isPartial,
  MANIFEST,
  numberIn,
  segmentFile,
  shardIn,
  shardLogFolder,
  snapshotFile,
  snapshotFolder,
  snapshotsFolder,
} from '../layout.ts';
import { bytesOf, parseManifest, type Manifest } from '../blocks/manifest.ts';

/** Error for a data folder that cannot be used; the message has the reason and the path. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Returns the error for what is wrong with the data, with what can be done about it. */
export function refusalOf(problem: string): DataFolderError {
  const advice = 'Nothing was changed. --recover-anyway starts with the readable part';
  return new DataFolderError(`${problem}. ${advice}`);
}

/** Files that one shard is to read, in this order. */
export interface ShardPlan {
  /** File of its snapshot. */
  readonly snapshot: string | undefined;
  readonly snapshotKeys: number;
  /** True to skip damaged parts of it. */
  readonly salvages: boolean;
  /** Its segments; only the last may end anywhere. */
  readonly segments: readonly string[];
  /** Segment that is behind records that the log lacks, and the message about it. */
  readonly hole: LogHole | undefined;
  /** The log could not be written at its end: what is to be said of it. What is there is all before that. */
  readonly unwritten: string | undefined;
  /** Bytes of all these files. */
  readonly bytes: number;
}

interface LogHole {
  /** An index in the segments of the plan. */
  readonly before: number;
  readonly what: string;
}

export interface RecoveryPlan {
  /** Number of the snapshot that recovery begins with; 0 = with nothing. */
  readonly number: number;
  readonly manifest: Manifest | undefined;
  /** The snapshot is damaged, and there is no other: what is sound in it is read. */
  readonly salvages: boolean;
  readonly shards: readonly ShardPlan[];
}

interface Segment {
  readonly number: number;
  readonly file: string;
  readonly size: number;
  /** Undefined if it is damaged, which readers of the segment report. */
  readonly head: FileHead | undefined;
}

export class DataFolder {
  readonly folder: string;
  /** Newest first. */
  readonly snapshots: readonly Manifest[];
  /** Snapshots that cannot be read, and why. */
  readonly rejected: readonly string[];
  /** Shards that the data was written with; 0 in an empty folder. */
  readonly shards: number;
  /** The last life of the server that wrote here, and the number of the last segment. */
  readonly lastEpoch: number;
  readonly lastSegment: number;
  /** The highest number of a snapshot, which may be one that cannot be read; 0 if there is none. */
  readonly lastSnapshot: number;
  /** Segments without a complete head, and unfinished snapshots. */
  readonly stillborn: readonly string[];
  /** Segments of a log whose first snapshot never came: nothing of them counts. */
  readonly unfounded: readonly string[];
  /** Segments by shard, in order. */
  readonly #segments: ReadonlyMap<number, readonly Segment[]>;

  /** Throws a DataFolderError when what is in it cannot be used, or is of a newer version. Makes no folder. */
  constructor(folder: string) {
    this.folder = folder;
    const rejected: string[] = [];
    this.snapshots = snapshotsIn(folder, rejected);
    this.rejected = rejected;
    const names = namesIn(snapshotsFolder(folder));
    const stillborn = names
      .filter((name) => isPartial(name))
      .map((name) => path.join(snapshotsFolder(folder), name));
    const all = segmentsIn(folder, stillborn);
    this.stillborn = stillborn;
    // One that cannot be read is there all the same.
    const newest = names.reduce((most, name) => Math.max(most, numberIn(name) ?? 0), 0);
    this.lastSnapshot = newest;
    const isFounded = ({ head }: Segment): boolean => (head?.foundation ?? 0) <= newest;
    this.unfounded = [...all.values()].flat().flatMap((each) => (isFounded(each) ? [] : each.file));
    this.#segments = new Map([...all].map(([shard, each]) => [shard, each.filter(isFounded)]));
    let epoch = 0;
    let shards = 0;
    let last = 0;
    let dataEpoch = 0;
    for (const segment of [...all.values()].flat()) {
      const { head, size, number } = segment;
      last = Math.max(last, number);
      if (head === undefined) continue;
      epoch = Math.max(epoch, head.epoch);
      if (!isFounded(segment)) continue;
      // One without records says nothing of what the data was written for.
      if (size > FILE_HEAD_BYTES && head.epoch >= dataEpoch) {
        dataEpoch = head.epoch;
        shards = head.shards;
      }
    }
    for (const manifest of this.snapshots) {
      if (manifest.epoch >= dataEpoch) {
        dataEpoch = manifest.epoch;
        shards = manifest.shards;
      }
      epoch = Math.max(epoch, manifest.epoch);
      last = Math.max(last, manifest.number - 1);
    }
    // Where no head says it, the folders do: what cannot be read is not nothing.
    const hasDamaged = [...this.#segments.values()].flat().some(({ head }) => head === undefined);
    if (shards === 0 && hasDamaged) shards = Math.max(...this.#segments.keys()) + 1;
    this.shards = shards;
    this.snapshots = this.snapshots.filter((manifest) => manifest.shards === shards);
    if (shards === 0 && rejected.length > 0) {
      throw new DataFolderError(`${rejected.join('; ')}; and nothing else has the data`);
    }
    this.lastEpoch = epoch;
    this.lastSegment = last;
  }

  get isEmpty(): boolean {
    return this.shards === 0;
  }

  /** All files that count, by their numbers and sizes, and the last life that wrote here. */
  get fingerprint(): string {
    const snapshots = this.snapshots.map(({ number, epoch }) => `${number}@${epoch}`);
    const logs = [...this.#segments]
      .sort(([one], [other]) => one - other)
      .map(([shard, each]) => [shard, ...each.map(({ number, size }) => `${number}=${size}`)]);
    return [this.lastEpoch, snapshots.join(' '), ...logs.map((log) => log.join(' '))].join(';');
  }

  /** Messages about what counts for nothing: snapshots that cannot be read, and logs whose first one never came. */
  get remarks(): readonly string[] {
    const { length } = this.unfounded;
    if (length === 0) return this.rejected;
    const what = `${length} segments of the log are skipped: persistence was switched on, and its first snapshot never finished`;
    return [...this.rejected, what];
  }

  /**
   * Returns the plan of a recovery that begins with the `nth` newest snapshot; beyond the oldest, with nothing.
   * Throws a DataFolderError where that cannot be.
   */
  plan(nth: number, salvages = false): RecoveryPlan {
    const manifest = this.snapshots[nth];
    const number = manifest?.number ?? 0;
    const shards = Array.from({ length: this.shards }, (_, shard) =>
      this.#shardPlan(shard, manifest, salvages),
    );
    return { number, manifest, salvages, shards };
  }

  /** Returns the plan that reads only the newest snapshot, without a log. */
  planOfSnapshot(): RecoveryPlan {
    const [manifest] = this.snapshots;
    if (manifest === undefined) throw new DataFolderError(`${this.folder} has no snapshot`);
    const shards = manifest.files.map(({ shard, keys, bytes }) => {
      const snapshot = snapshotFile(snapshotFolder(this.folder, manifest.number), shard);
      const noLog = { segments: [], hole: undefined, unwritten: undefined };
      return { snapshot, snapshotKeys: keys, salvages: false, ...noLog, bytes };
    });
    return { number: manifest.number, manifest, salvages: false, shards };
  }

  #shardPlan(shard: number, manifest: Manifest | undefined, salvages: boolean): ShardPlan {
    const { folder } = this;
    const first = manifest?.number ?? 1;
    const all = this.#segments.get(shard) ?? [];
    const later = all.filter(({ number }) => number >= first);
    demandFoundation(later, manifest?.number ?? 0);
    demandNoGap(later, first - 1);
    const segments = later.map(({ file }) => file);
    const snapshot =
      manifest === undefined
        ? undefined
        : snapshotFile(snapshotFolder(folder, manifest.number), shard);
    const files = snapshot === undefined ? segments : [snapshot, ...segments];
    const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0);
    const snapshotKeys = manifest?.files[shard]?.keys ?? 0;
    const { hole, unwritten } = lackOf(later, all.at(-1), manifest?.number);
    return { snapshot, snapshotKeys, salvages, segments, hole, unwritten, bytes };
  }

  /** Bytes of the newest snapshot, and of all segments after it. */
  get newestBytes(): { readonly snapshot: number; readonly log: number } {
    const [newest] = this.snapshots;
    const first = newest?.number ?? 0;
    const behind = [...this.#segments.values()].flat().filter(({ number }) => number >= first);
    const log = behind.reduce((sum, { size }) => sum + size, 0);
    return { snapshot: newest === undefined ? 0 : bytesOf(newest), log };
  }

  /**
   * The number of a shard's last segment, or of the one that would be the last of the newest snapshot, so
   * that what follows is not read without what was before; 0 when there is neither.
   */
  lastOf(shard: number): number {
    const segment = this.#segments.get(shard)?.at(-1)?.number ?? 0;
    const [newest] = this.snapshots;
    return Math.max(segment, newest === undefined ? 0 : newest.number - 1);
  }
}

/** Segments must follow each other, the first one any of up to `lastBefore`. */
function demandNoGap(segments: readonly Segment[], lastBefore: number): void {
  for (const [nth, { file, head }] of segments.entries()) {
    if (head === undefined) continue;
    const before = segments[nth - 1]?.number;
    const follows = before === undefined ? head.previous <= lastBefore : head.previous === before;
    if (!follows) {
      throw new DataFolderError(`the segment before ${file} is missing: the log has a gap`);
    }
  }
}

/** Segments must not rest on a snapshot that is newer than that of the number with which a plan begins. */
function demandFoundation(segments: readonly Segment[], snapshot: number): void {
  for (const { file, head } of segments) {
    const foundation = head?.foundation ?? 0;
    if (foundation <= snapshot) continue;
    throw new DataFolderError(`${file} depends on snapshot ${foundation}, which cannot be read`);
  }
}

/** The first segment that the log lacks records before, which are in no snapshot of that number; -1 when it has all. */
function holeIn(segments: readonly Segment[], snapshot: number | undefined): number {
  return segments.findIndex(
    ({ number, head }) => number !== snapshot && head !== undefined && head.lostBefore > 0,
  );
}

/** Returns what the segments of a plan lack: records in between, or at their end. */
function lackOf(
  segments: readonly Segment[],
  last: Segment | undefined,
  snapshot: number | undefined,
): Pick<ShardPlan, 'hole' | 'unwritten'> {
  const before = holeIn(segments, snapshot);
  const first = segments[before];
  if (first === undefined) return { hole: undefined, unwritten: unwrittenBehind(last) };
  const what = lostBefore(first);
  const isAtEnd = segments.slice(before).every(({ size }) => size <= FILE_HEAD_BYTES);
  return isAtEnd
    ? { hole: undefined, unwritten: `${first.file}: ${what}` }
    : { hole: { before, what }, unwritten: undefined };
}

function lostBefore({ head }: Segment): string {
  return `the log has a hole before it: ${head?.lostBefore ?? 0} records could not be written`;
}

function unwrittenBehind(segment: Segment | undefined): string | undefined {
  if (segment?.head === undefined || segment.head.brokenMs === 0) return undefined;
  const { file, size, head } = segment;
  const since = new Date(head.brokenMs).toISOString();
  return `${file}: the log could not be written after offset ${size}, since ${since}: later changes that are in no snapshot are lost`;
}

function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch {
    throw new DataFolderError(`${file} is missing`);
  }
}

function snapshotsIn(folder: string, rejected: string[]): Manifest[] {
  const found: Manifest[] = [];
  for (const name of namesIn(snapshotsFolder(folder))) {
    const number = numberIn(name);
    if (number === undefined) continue;
    const file = path.join(snapshotFolder(folder, number), MANIFEST);
    try {
      const manifest = parseManifest(fs.readFileSync(file, 'utf8'));
      for (const { shard } of manifest.files) sizeOf(snapshotFile(path.dirname(file), shard));
      found.push(manifest);
    } catch (error) {
      rejected.push(`${file} cannot be read: ${(error as Error).message}`);
    }
  }
  return found.sort((a, b) => b.number - a.number);
}

function segmentsIn(folder: string, stillborn: string[]): Map<number, Segment[]> {
  const found = new Map<number, Segment[]>();
  for (const name of namesIn(logFolder(folder))) {
    const shard = shardIn(name);
    if (shard === undefined) continue;
    const numbers = namesIn(shardLogFolder(folder, shard))
      .map((segment) => numberIn(segment, '.log'))
      .filter((number) => number !== undefined)
      .sort((a, b) => a - b);
    const segments = numbers.flatMap((number) => {
      const file = segmentFile(folder, shard, number);
      // The server has ended while it began the segment: there is nothing in it.
      if (sizeOf(file) < FILE_HEAD_BYTES) {
        stillborn.push(file);
        return [];
      }
      return [{ number, file, size: sizeOf(file), head: headOf(file) }];
    });
    found.set(shard, segments);
  }
  return found;
}

/** Undefined where the head is damaged. Throws a DamagedFile where it is of a newer version. */
function headOf(file: string): FileHead | undefined {
  try {
    const reader = new BlockReader('log', file);
    reader.close();
    return reader.head;
  } catch (error) {
    const isNewer = error instanceof Error && (error.cause as FileHeadError | undefined)?.isNewer;
    if (error instanceof DamagedFile && isNewer !== true) return undefined;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR') throw error;
    throw new DataFolderError(
      `${path.resolve(folder)} is a file, not a folder; choose another data folder with --data-dir`,
    );
  }
}
