import { bytes, bytesOrPercent, integer, LONG_MAX, oneOf, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

const INT32_MIN = -(2 ** 31);
const count = integer({ most: LONG_MAX });

/** [memory] and [encoding]: how much may be held, what goes when it is full, and in which form. */
export const memorySettings = rows({
  'memory.maxmemory': {
    kind: bytes({ most: 2n ** 64n - 1n }),
    default: 0,
    effect: 'live',
    config: 'maxmemory',
    meaning:
      'Limit of the memory of the data, in bytes; 0 means no limit. In a container with a memory limit, the default is three quarters of that limit less 192 MiB.',
  },
  'memory.maxmemory-policy': {
    kind: oneOf(
      'volatile-lru',
      'volatile-lrm',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
      'allkeys-lru',
      'allkeys-lrm',
      'allkeys-lfu',
      'allkeys-random',
      'tiered-lru',
      'tiered-lfu',
      'noeviction',
    ),
    default: 'noeviction',
    effect: 'live',
    config: 'maxmemory-policy',
    meaning: 'Policy that selects the keys to evict when maxmemory is reached.',
  },
  'memory.maxmemory-samples': {
    kind: integer({ least: 1, most: 64 }),
    default: 5,
    effect: 'live',
    config: 'maxmemory-samples',
    meaning:
      'Number of keys sampled to select one to evict: more is closer to true LRU or LFU, and slower.',
  },
  'memory.maxmemory-eviction-tenacity': {
    kind: integer({ most: 100 }),
    default: 10,
    effect: 'live',
    config: 'maxmemory-eviction-tenacity',
    meaning:
      'Time for which eviction may delay other commands: 10 is 0.5 ms, each step above adds 15 %, 100 is unlimited.',
  },
  'memory.maxmemory-clients': {
    kind: bytesOrPercent(100),
    default: 0,
    effect: 'live',
    config: 'maxmemory-clients',
    meaning:
      'Limit of all client buffers together, in bytes or as a percentage of maxmemory; 0 means no limit.',
  },
  'memory.lfu-log-factor': {
    kind: integer(),
    default: 10,
    effect: 'live',
    config: 'lfu-log-factor',
    meaning: 'Factor by which the access counter of a key saturates more slowly.',
  },
  'memory.lfu-decay-time': {
    kind: integer({ unit: 'minutes' }),
    default: 1,
    effect: 'live',
    config: 'lfu-decay-time',
    meaning: 'Minutes after which the access counter of an unused key decreases by one.',
  },
  'memory.active-expire-effort': {
    kind: integer({ least: 1, most: 10 }),
    default: 1,
    effect: 'live',
    config: 'active-expire-effort',
    meaning: 'Effort of active expiry, the search for expired keys that no command accesses.',
  },
  'memory.active-defrag': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'activedefrag',
    meaning:
      'Defragments the memory of records in small steps when fragmentation is high; MEMORY PURGE works in any case.',
  },
  'encoding.hash-max-listpack-entries': {
    kind: count,
    default: 512,
    effect: 'live',
    config: 'hash-max-listpack-entries',
    aliases: ['hash-max-ziplist-entries'],
    meaning: 'Maximum number of fields of a packed hash.',
  },
  'encoding.hash-max-listpack-value': {
    kind: bytes(),
    default: 64,
    effect: 'live',
    config: 'hash-max-listpack-value',
    aliases: ['hash-max-ziplist-value'],
    meaning: 'Longest field or value of a packed hash.',
  },
  'encoding.list-max-listpack-size': {
    kind: integer({ least: INT32_MIN }),
    default: -2,
    effect: 'live',
    config: 'list-max-listpack-size',
    aliases: ['list-max-ziplist-size'],
    meaning:
      'Maximum number of entries of one node of a list, or as -1 to -5 its size: 4, 8, 16, 32 or 64 kB.',
  },
  'encoding.list-compress-depth': {
    kind: integer(),
    default: 0,
    effect: 'live',
    config: 'list-compress-depth',
    meaning: 'Number of nodes at either end of a list that stay uncompressed; 0 compresses none.',
  },
  'encoding.set-max-intset-entries': {
    kind: count,
    default: 512,
    effect: 'live',
    config: 'set-max-intset-entries',
    meaning: 'Maximum number of members of a set of integers that is stored as numbers.',
  },
  'encoding.set-max-listpack-entries': {
    kind: count,
    default: 128,
    effect: 'live',
    config: 'set-max-listpack-entries',
    meaning: 'Maximum number of members of a packed set.',
  },
  'encoding.set-max-listpack-value': {
    kind: count,
    default: 64,
    effect: 'live',
    config: 'set-max-listpack-value',
    meaning: 'Longest member of a packed set.',
  },
  'encoding.zset-max-listpack-entries': {
    kind: count,
    default: 128,
    effect: 'live',
    config: 'zset-max-listpack-entries',
    aliases: ['zset-max-ziplist-entries'],
    meaning: 'Maximum number of members of a packed sorted set.',
  },
  'encoding.zset-max-listpack-value': {
    kind: bytes(),
    default: 64,
    effect: 'live',
    config: 'zset-max-listpack-value',
    aliases: ['zset-max-ziplist-value'],
    meaning: 'Longest member of a packed sorted set.',
  },
  'encoding.hll-sparse-max-bytes': {
    kind: bytes(),
    default: 3000,
    effect: 'live',
    config: 'hll-sparse-max-bytes',
    meaning: 'Maximum size of a sparse HyperLogLog, in bytes.',
  },
  'encoding.stream-node-max-bytes': {
    kind: bytes(),
    default: 4096,
    effect: 'live',
    config: 'stream-node-max-bytes',
    meaning: 'Maximum size of one node of a stream, in bytes; 0 means no limit.',
  },
  'encoding.stream-node-max-entries': {
    kind: integer({ most: LONG_MAX }),
    default: 100,
    effect: 'live',
    config: 'stream-node-max-entries',
    meaning: 'Maximum number of entries of one node of a stream; 0 means no limit.',
  },
  'streams.idmp-duration': {
    kind: integer({ least: 1, most: 86_400 }),
    default: 100,
    effect: 'live',
    config: 'stream-idmp-duration',
    meaning:
      'Seconds for which a new stream remembers idempotent ids of XADD IDMP; XCFGSET sets it for a stream.',
  },
  'streams.idmp-maxsize': {
    kind: integer({ least: 1, most: 10_000 }),
    default: 100,
    effect: 'live',
    config: 'stream-idmp-maxsize',
    meaning:
      'Maximum number of idempotent ids of one producer in a new stream; XCFGSET sets it for a stream.',
  },
});
