/** Beginnings of rows that many have in common: the threads that write a quantity, and its kind. */

/** States of main, and sums that it has at hand. */
export const MAIN_GAUGE = { by: 'main', kind: 'gauge' } as const;
/** Events that main counts; CONFIG RESETSTAT sets them back. */
export const MAIN_COUNTER = { by: 'main', kind: 'counter', resets: true } as const;
/** Events that main counts from the start to the end. */
export const MAIN_TOTAL = { by: 'main', kind: 'counter' } as const;
/** States of shards. */
export const SHARD_GAUGE = { by: 'shards', kind: 'gauge' } as const;
/** Events that shards count; CONFIG RESETSTAT sets them back. */
export const SHARD_COUNTER = { by: 'shards', kind: 'counter', resets: true } as const;
/** States of each thread. */
export const THREAD_GAUGE = { by: 'each', kind: 'gauge' } as const;
