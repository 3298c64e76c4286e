/**
 * Holds down the nursery of the main thread's heap, for which there is no setting that a running program could use.
 * V8 doubles it once as much has outlived collections as it is large, however long that took: under a small load it
 * grows for an hour, to 32 MiB that are never needed. Threads are given their limit when they are made.
 */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together, while there is little garbage. */
const NURSERY_BYTES = 4 * 1024 * 1024;
/**
 * Nursery size of a thread that creates much garbage: larger ones do not shorten collections, and smaller ones make
 * them take three times as long.
 */
const BUSY_NURSERY_BYTES = 8 * 1024 * 1024;
/** Collections of the nursery in a second that are much. */
const BUSY_COLLECTIONS = 10;

let isHeld = false;

/** To be called by main about once a second, with its collections since; returns whether the nursery may not grow now. */
export function holdYoungGeneration(collections: number): boolean {
  const limit = collections < BUSY_COLLECTIONS ? NURSERY_BYTES : BUSY_NURSERY_BYTES;
  const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const holds = nursery !== undefined && nursery.space_size >= limit;
  if (holds === isHeld) return isHeld;
  isHeld = holds;
  // It is said for all threads, but their nurseries are at their limits, or need no more, by the time that main's is.
  setFlagsFromString(`--semi-space-growth-factor=${holds ? '1' : '2'}`);
  return isHeld;
}
