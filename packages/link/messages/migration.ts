/** Messages of MIGRATE between main and shards. */

import type { Bytes } from '#base';

/** Body of a `migrate` frame to a shard. */
export interface KeysWanted {
  /** Number of the command, for what is noted about it. */
  readonly command: number;
  readonly keys: readonly Bytes[];
  /** True if the keys are locked until `migrated`. */
  readonly holds: boolean;
  /** The values are to be in a form that Redis 7.0 reads. */
  readonly isForOld: boolean;
}

/** A key that the shard has. */
export interface KeyFound {
  /** Index in what was wanted. */
  readonly nth: number;
  /** Unix milliseconds, or -1. */
  readonly expireAt: number;
  /** Bytes of its value in the pieces that have come before, in the order of the keys; -1 when it has no form for old servers. */
  readonly bytes: number;
}

/** Body of a `found` frame: the keys that the shard has, or that there was no room for their values. */
export type KeysFound = readonly KeyFound[] | 'refused';

/** Body of a `migrated` frame: indexes in what was wanted. */
export type KeysMoved = readonly number[];
