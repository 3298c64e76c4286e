import { bytes, integer, oneOf, text, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

const MIB = 1024 ** 2;

/** Settings of the warm tier: the disk that takes values for which memory has no room. */
export const tieredSettings = rows({
  'tiered.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning:
      'Keeps values for which memory has no room on a disk, where maxmemory-policy is tiered-lru or tiered-lfu.',
  },
  'tiered.directory': {
    kind: text,
    default: 'svc-data/tier',
    effect: 'start',
    isFolder: true,
    meaning:
      'Folder of the warm tier, in which shard-0 and so on are emptied at each start; without one, tier in the data folder.',
  },
  'tiered.max-bytes': {
    kind: bytes(),
    default: 0,
    effect: 'live',
    meaning: 'Bytes that values may take on the disk, before compression; 0 means no limit.',
  },
  'tiered.when-full': {
    kind: oneOf('evict', 'refuse'),
    default: 'evict',
    effect: 'live',
    meaning:
      'Way on when neither memory nor the tier has room: evict removes keys that were not used for long, refuse refuses writes.',
  },
  'tiered.compression': {
    kind: oneOf('none', 'lz4'),
    default: 'none',
    effect: 'start',
    meaning: 'Compression of what is written to the tier.',
  },
  'tiered.min-value-bytes': {
    kind: integer({ least: 16, most: MIB, unit: 'bytes' }),
    default: 64,
    effect: 'live',
    meaning: 'Values that are shorter stay in memory.',
  },
  'tiered.fetch-threads': {
    kind: integer({ least: 1, most: 64 }),
    default: 1,
    effect: 'start',
    meaning:
      'Threads that write and read the tier, each for its share of the shards; more than shards are none.',
  },
});
