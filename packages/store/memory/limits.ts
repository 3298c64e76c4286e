/** The sizes that the store is built of, and where they stop. */
import { BULK_BYTES_MAX } from '#base';

/** A reference counts in these: every cell begins at a multiple of it. */
export const UNIT_BYTES = 8;
/** One ArrayBuffer. Small enough to be zeroed and to come empty, large enough to be few. */
export const SEGMENT_BYTES = 1024 * 1024;
/** The part of a segment that holds cells of one size. */
export const SLAB_BYTES = 64 * 1024;
export const SLABS_PER_SEGMENT = SEGMENT_BYTES / SLAB_BYTES;
/** Unused at the head of each slab, so that no cell has reference 0 and 64-byte cells sit on cache lines. */
export const SLAB_HEAD_BYTES = 64;
/** Number of segments that a reference can address: 32 GiB of records in one database of one shard. */
export const SEGMENTS_MAX = 2 ** 15;

/** Largest cell: eight to a slab. A record that does not fit keeps its value outside. */
export const CELL_BYTES_MAX = 8184;
/** Longer keys live outside their record. */
export const KEY_INLINE_BYTES_MAX = 2048;
/** A value that shrinks below this comes back into its record. */
export const VALUE_RETURN_BYTES = 4096;
/** Longest key or value: a bulk string, and a field of BITFIELD that begins with its last byte. */
export const VALUE_BYTES_MAX = BULK_BYTES_MAX + 8;
/** Most bytes that a value that outgrows its place gets in advance. */
export const GROWTH_BYTES_MAX = 1024 * 1024;
/** Bytes that Node keeps beside those of a Uint8Array with its own buffer (measured on Node 20). */
export const BLOB_OVERHEAD_BYTES = 208;
/** Bytes that the table of large values keeps for each: a pointer and a number. */
export const OUTSIDE_SLOT_BYTES = 16;

/** Slots of a full-grown index block; a cursor of SCAN names one of them with its low ten bits. */
export const BLOCK_BITS = 10;
/** Slots of the largest block: 16 million keys that a split cannot part. */
export const BLOCK_BITS_MAX = 24;
/** Slots of a new index, so that many small databases cost little. */
export const TINY_BLOCK_BITS = 4;
/** The tiny index grows by this many bits at a time, without reading a key. */
export const TINY_GROWTH_BITS = 2;
/** Blocks allocated together. */
export const BLOCKS_PER_CHUNK_BITS = 5;
/** Share of a block's slots that may be taken. Probe lengths grow fast beyond. */
export const BLOCK_LOAD_MAX = 0.85;
/** Bits of the hash that choose a directory entry, at most: 2^20 entries are 900 million keys. */
export const DIRECTORY_BITS_MAX = 20;
/** A directory may be this many times larger than the blocks need before a block grows instead. */
export const DIRECTORY_SLACK = 8;
/** SCAN gives up on a nearly empty index after this many slots per wanted key. */
export const SCAN_SLOTS_PER_KEY = 10;
/** Tries at random slots before a random look-up walks. */
export const RANDOM_TRIES_MAX = 64;

/** Best candidates that eviction remembers between calls. */
export const EVICTION_POOL_ENTRIES = 16;
/** Longest key that a pool entry keeps without allocating. */
export const EVICTION_POOL_KEY_BYTES = 255;
/** The access counter of a new key under LFU, so that it is not evicted before its second access. */
export const LFU_INITIAL = 5;

/** Keys looked at before active expiry asks the clock again. */
export const EXPIRE_SAMPLE_COUNT = 20;
/** Active expiry stays with a database while more than this share of a sample was expired. */
export const EXPIRE_AGAIN_SHARE = 0.1;

/** Defragmentation begins above this ratio and this waste, and ends below the second ratio. */
export const DEFRAG_BEGIN_RATIO = 1.15;
export const DEFRAG_END_RATIO = 1.05;
export const DEFRAG_WASTE_BYTES_MIN = 1024 * 1024;
/** Cells looked at before defragmentation asks the clock again. */
export const DEFRAG_STEP_CELLS = 32;

/** Copies up to this length are loops; above, a view and a block copy are faster (measured). */
export const LOOP_COPY_BYTES_MAX = 128;
/** Size of a copy that takes about a millisecond; longer ones are copied incrementally. */
export const LONG_COPY_BYTES = 1024 * 1024;
