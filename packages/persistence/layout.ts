/**
 * Names in the data folder:
 *
 *   log/shard-<n>/<number>.log              segments of a shard's log
 *   snapshots/<number>/shard-<n>.snapshot   the keys at the point at which segment <number> begins
 *   snapshots/<number>/manifest.json        written last: without it there is no snapshot
 *   snapshots/<number>.partial/             a snapshot under way
 *   discarded-writes/                       writes that a former primary had to discard, for people to look at
 *   stream-mark                             how far the stream of a primary was a moment ago
 *   stream-place                            place in the stream of replication, written by a stop in good order
 */
import path from 'node:path';

const NUMBER_DIGITS = 10;
const PARTIAL = '.partial';

function padded(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0');
}

export const logFolder = (folder: string): string => path.join(folder, 'log');
export const shardLogFolder = (folder: string, shard: number): string =>
  path.join(logFolder(folder), `shard-${shard}`);
export const segmentFile = (folder: string, shard: number, number: number): string =>
  path.join(shardLogFolder(folder, shard), `${padded(number)}.log`);
export const snapshotsFolder = (folder: string): string => path.join(folder, 'snapshots');
export const snapshotFolder = (folder: string, number: number): string =>
  path.join(snapshotsFolder(folder), padded(number));
export const partialFolder = (folder: string, number: number): string =>
  `${snapshotFolder(folder, number)}${PARTIAL}`;
/** True for the name of a snapshot that is, or was, under way. */
export const isPartial = (name: string): boolean =>
  name.endsWith(PARTIAL) && numberIn(name, PARTIAL) !== undefined;
export const snapshotFile = (folder: string, shard: number): string =>
  path.join(folder, `shard-${shard}.snapshot`);
export const MANIFEST = 'manifest.json';
export const STREAM_PLACE = 'stream-place';

/** The number in a name of those; undefined for any other name. */
export function numberIn(name: string, ending = ''): number | undefined {
  const digits = name.endsWith(ending) ? name.slice(0, name.length - ending.length) : '';
  return /^\d{10}$/.test(digits) ? Number(digits) : undefined;
}

/** The number of a shard's folder. */
export function shardIn(name: string): number | undefined {
  const found = /^shard-(\d+)$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}
