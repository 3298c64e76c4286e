/** URLs of the threads' entries. Nothing else knows them. */

/** The entry of a shard's thread. */
export const shardWorkerUrl = new URL('./shard.js', import.meta.url);

/** The entry of a front thread. */
export const frontWorkerUrl = new URL('./front.js', import.meta.url);

/** The entry of the ops thread. */
export const opsWorkerUrl = new URL('./ops.js', import.meta.url);

/** The entry of the disk thread. */
export const diskWorkerUrl = new URL('./disk.js', import.meta.url);

/** The entry of a thread that serves the warm tier. */
export const tierWorkerUrl = new URL('./tier.js', import.meta.url);

/** The task that packs a diagnostic bundle. */
export const bundleTaskUrl = new URL('./tasks/bundle.js', import.meta.url);

/** The process that writes data for another number of shards. */
export const redistributionUrl = new URL('./tasks/redistribute.js', import.meta.url);

/** The task that splits the snapshot of a primary. */
export const snapshotSplitUrl = new URL('./tasks/split-snapshot.js', import.meta.url);

/** The task that measures what latency the machine causes. */
export const latencyTestUrl = new URL('./tasks/latency-test.js', import.meta.url);

/** The task that names the sources in a profile. */
export const positionsTaskUrl = new URL('./tasks/name-positions.js', import.meta.url);

/** The entry of a thread that makes a load. */
export const loadWorkerUrl = new URL('./load.js', import.meta.url);
