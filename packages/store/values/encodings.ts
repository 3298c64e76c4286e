/**
 * Representation of a record's value, for values that are no strings. The numbers stand in memory and in snapshots:
 * they never change.
 */
export const Encoding = {
  listpack: 1,
  intset: 2,
  hashtable: 3,
  skiplist: 4,
  quicklist: 5,
  stream: 6,
  /** A hash in a listpack, some of whose fields expire. */
  listpackEx: 7,
  /** A hash in a table, some of whose fields expire. */
  hashtableEx: 8,
  /** As listpackEx, none of whose fields expires now. */
  listpackExIdle: 9,
} as const;
