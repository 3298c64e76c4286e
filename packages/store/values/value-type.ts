/** Type of a record's value. The numbers stand in memory and in snapshots: they never change. */
export const ValueType = {
  none: 0,
  string: 1,
  list: 2,
  set: 3,
  zset: 4,
  hash: 5,
  stream: 6,
} as const;
