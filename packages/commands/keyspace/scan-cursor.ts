/**
 * SCAN's cursor: one number that names a shard and the place in that shard's scan.
 *
 * It is place * shards + shard. Zero begins, since it is shard 0 at its beginning, and ends, since
 * no later place is ever written as zero. A place has 32 bits, so the number stays within 53.
 */

import { errors, latin1 } from '#base';
import type { Arguments } from '../arguments.ts';

const PLACES = 2 ** 32;
const UNSIGNED_64 = 2n ** 64n;
/** What C's strtoull takes, which is what Redis reads cursors with. */
const UNSIGNED = /^[ \t\n\v\f\r]*[+-]?\d+$/;

/** The shard that the cursor argument names; text that is no cursor goes to the first. */
export function cursorShard(args: Arguments, shardCount: number): number {
  const cursor = readCursor(args);
  return cursor === undefined ? 0 : Number(cursor % BigInt(shardCount));
}

/** The place in the shard's scan; throws when the text is no cursor. */
export function cursorPlace(args: Arguments, shardCount: number): number {
  const cursor = args.integerAt(1);
  if (cursor >= 0) return Math.floor(cursor / shardCount) % PLACES;
  const large = readCursor(args);
  if (large === undefined) throw errors.invalidCursor;
  return Number(BigInt.asUintN(32, large / BigInt(shardCount)));
}

/** The cursor to go on with after `place` of `shard`; place 0 means that the shard is through. */
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
