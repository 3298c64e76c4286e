/** Quantities of memory, in bytes. */

import { MAIN_COUNTER, MAIN_GAUGE, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const PART = {
  ...SHARD_GAUGE,
  unit: 'bytes',
  help: 'Memory of keys and their values, by part.',
  metric: 'svc_memory_part_bytes',
} as const;

export const MEMORY_QUANTITIES = {
  /** Memory of the keys of one shard; used memory has that of clients too, and is worked out in `status/used-memory.ts`. */
  byShard: [
    {
      ...SHARD_GAUGE,
      counter: 'usedBytes',
      unit: 'bytes',
      perShard: true,
      help: 'Memory of the keys of each shard.',
      shards: 'memory_bytes',
      metric: 'svc_shard_memory_bytes',
    },
    { ...SHARD_GAUGE, counter: 'peakBytes', unit: 'bytes', shards: 'peak_memory_bytes' },
  ],
  parts: [
    { ...PART, counter: 'recordBytes', label: ['part', 'records'] },
    { ...PART, counter: 'indexBytes', label: ['part', 'index'] },
    { ...PART, counter: 'blobBytes', label: ['part', 'blobs'] },
    { ...PART, counter: 'objectBytes', label: ['part', 'objects'] },
  ],
  startup: [
    {
      ...MAIN_GAUGE,
      counter: 'startupBytes',
      unit: 'bytes',
      help: 'Resident memory of the server without data, measured after the start of all threads and before the recovery.',
      info: 'used_memory_startup',
      metric: 'svc_memory_startup_bytes',
      exporter: 'redis_memory_used_startup_bytes',
    },
  ],
  segments: [
    {
      ...SHARD_GAUGE,
      counter: 'segmentBytes',
      unit: 'bytes',
      moves: true,
      help: 'Memory of slabs allocated for records.',
      metric: 'svc_memory_segment_bytes',
    },
  ],
  refused: [
    {
      ...MAIN_COUNTER,
      counter: 'oomRejections',
      help: 'Commands refused because memory was full.',
      info: 'oom_rejections',
      metric: 'svc_memory_oom_rejections_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
