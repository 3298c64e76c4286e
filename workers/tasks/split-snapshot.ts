/** Splits the snapshot that a primary sends into batches of keys for the shards. */

export { splitSnapshot } from '#replication';
