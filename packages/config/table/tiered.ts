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
      'Moves values that do not fit into memory to a disk, if maxmemory-policy is tiered-lru or tiered-lfu.',
  },
  'tiered.directory': {
    kind: text,
    default: 'svc-data/tier',
    effect: 'start',
    isFolder: true,
    meaning:
      'Folder of the warm tier, whose subfolders shard-0 and so on are emptied at each start; empty for tier in the data folder.',
  },
  'tiered.max-bytes': {
    kind: bytes(),
    default: 0,
    effect: 'live',
    meaning: 'Limit of values in the warm tier, in bytes before compression; 0 means no limit.',
  },
  'tiered.when-full': {
    kind: oneOf('evict', 'refuse'),
    default: 'evict',
    effect: 'live',
    meaning:
      'Policy when both memory and the warm tier are full: evict removes the least used keys, refuse refuses writes.',
  },
  'tiered.compression': {
    kind: oneOf('none', 'lz4'),
    default: 'none',
    effect: 'start',
    meaning: 'Compression of values in the warm tier.',
  },
  'tiered.min-value-bytes': {
    kind: integer({ least: 16, most: MIB, unit: 'bytes' }),
    default: 64,
    effect: 'live',
    meaning: 'Minimum size of values that are moved to the warm tier; shorter ones stay in memory.',
  },
  'tiered.fetch-threads': {
    kind: integer({ least: 1, most: 64 }),
    default: 1,
    effect: 'start',
    meaning:
      'Number of threads that write and read the warm tier, each for a part of the shards; at most one for each shard.',
  },
});
