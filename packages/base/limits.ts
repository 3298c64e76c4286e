/** Limits that several packages share. Each is Redis' own unless it says otherwise. */

/** Longest inline command, and longest header line of a RESP frame, in bytes. */
export const INLINE_BYTES_MAX = 64 * 1024;
/** Most arguments of one command. */
export const ARGUMENTS_MAX = 2 ** 31 - 1;
/** Most arguments of one command before AUTH. */
export const UNAUTHENTICATED_ARGUMENTS_MAX = 10;
/** Longest bulk string that `proto-max-bulk-len` can allow, in bytes: with its frame it stays below 2^31. */
export const BULK_BYTES_MAX = 2 ** 30;
/** Longest argument before AUTH, in bytes. */
export const UNAUTHENTICATED_BULK_BYTES_MAX = 16_384;
/** Hash slots of the keyspace (Redis Cluster's number). */
export const SLOT_COUNT = 16_384;
/** Most shards one process can have: the router keeps sets of shards in 32-bit masks. */
export const SHARDS_MAX = 31;

/** Key prefixes that may be counted at a time, and the longest of them. */
export const KEY_PREFIXES_MAX = 64;
export const KEY_PREFIX_BYTES_MAX = 64;
