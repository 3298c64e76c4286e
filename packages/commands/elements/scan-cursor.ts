/**
 * SCAN's cursor: one number that names a shard and the place in that shard's scan.
 *
 * It is place * shards + shard. Zero begins, since it is shard 0 at its beginning, and ends, since
 * no later place is ever written as zero. A place has 32 bits, so the number stays within 53.
 */

import { errors, latin1 } from '#base';
import type { Arguments } from '../arguments/arguments.ts';

const PLACES = 2 ** 32;
const UNSIGNED_64 = 2n ** 64n;
/** Texts that C's strtoull takes, with which Redis reads cursors. */
const UNSIGNED = /^[ \t\n\v\f\r]*[+-]?\d+$/;

/** Position at which a scan resumes. */
interface ScanPlace {
  readonly shard: number;
  /** In the shard's own scan. */
  readonly place: number;
}

/** Returns the place that the cursor argument names; throws when the text is no cursor. */
export function scanPlace(args: Arguments, shardCount: number): ScanPlace {
  const cursor = args.integerAt(1);
  if (cursor >= 0) {
    return { shard: cursor % shardCount, place: Math.floor(cursor / shardCount) % PLACES };
  }
  const large = readCursor(args);
  if (large === undefined) throw errors.invalidCursor;
  const shards = BigInt(shardCount);
  return { shard: Number(large % shards), place: Number(BigInt.asUintN(32, large / shards)) };
}

/** Returns the cursor after `place` of `shard`; place 0 means that the shard is complete. */
export function nextCursor(place: number, shard: number, shardCount: number): number {
  if (place !== 0) return place * shardCount + shard;
  return shard + 1 < shardCount ? shard + 1 : 0;
}

/** The cursor that argument `index` gives; undefined when it is none. */
export function readCursor(args: Arguments, index = 1): bigint | undefined {
  const text = latin1(args.source, args.at(index), args.length(index));
  if (/^-\d/.test(text) || !UNSIGNED.test(text)) return undefined;
  const value = BigInt(text.trim().replace('+', ''));
  if (value >= UNSIGNED_64 || value <= -UNSIGNED_64) return undefined;
  return BigInt.asUintN(64, value);
}
