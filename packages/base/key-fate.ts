/**
 * Key fates: the reasons for which keys are removed, as reported by the store, counted by shards and named in reports.
 */

/** Names of key fates, by number. */
export const KEY_FATES = [
  'expired-active',
  'expired-lazy',
  'expired-fields',
  'evicted',
  'deleted',
  'overwritten',
  'moved',
  'flushed',
] as const;

/** A fate's place in `KEY_FATES`. */
export const KeyFate = {
  /** Its time had come, and it was found by the shard itself. */
  expiredActive: 0,
  /** Its time had come, and a command met it. */
  expiredLazy: 1,
  /** Hash whose last field expired. */
  expiredFields: 2,
  evicted: 3,
  /** Deleted by a command, also by one that took its last element or set its end to the past. */
  deleted: 4,
  /** Overwritten by a command with another value. */
  overwritten: 5,
  /** Renamed, or moved to another database or server. */
  moved: 6,
  flushed: 7,
} as const satisfies Record<string, number>;
