/** Common parts of rows: the threads that write a quantity, and its kind. */

/** Gauges that main writes. */
export const MAIN_GAUGE = { by: 'main', kind: 'gauge' } as const;
/** Counters of main, which CONFIG RESETSTAT resets. */
export const MAIN_COUNTER = { by: 'main', kind: 'counter', resets: true } as const;
/** Counters of main, which are never reset. */
export const MAIN_TOTAL = { by: 'main', kind: 'counter' } as const;
/** Gauges of each shard. */
export const SHARD_GAUGE = { by: 'shards', kind: 'gauge' } as const;
/** Counters of shards, which CONFIG RESETSTAT resets. */
export const SHARD_COUNTER = { by: 'shards', kind: 'counter', resets: true } as const;
/** Gauges of each thread. */
export const THREAD_GAUGE = { by: 'each', kind: 'gauge' } as const;
