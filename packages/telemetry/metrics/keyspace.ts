/** Metrics of keys and of the memory they take. */

import { fateCounts, fragmentation, usedMemory, type Fragmentation } from '#stats';
import {
  metric,
  ofAllShards,
  ofMain,
  sumOf,
  type MetricDefinition,
  type MetricSource,
} from './definition.ts';

const PARTS = [
  ['records', 'recordBytes'],
  ['index', 'indexBytes'],
  ['blobs', 'blobBytes'],
  ['objects', 'objectBytes'],
] as const;

export const usedBytes = ({ main, shards }: MetricSource): number => usedMemory(main, shards);

/** Resident memory against what is in use. */
export const fragmentationOf = ({ process, main, shards }: MetricSource): Fragmentation =>
  fragmentation(process.rssBytes, main, shards);

function perDatabase(
  name: string,
  help: string,
  of: (source: MetricSource, index: number) => number,
): MetricDefinition {
  const head = { name, help, labels: ['db'] };
  return metric('gauge', head, 'shard pages: databases, summed', (source, samples) => {
    for (let index = 0; index < source.shape.databases; index += 1) {
      const keys = sumOf(source.shards, (page) => page.keys(index));
      // Of databases that nobody uses only the first is told.
      if (keys > 0 || index === 0) samples.value(of(source, index), String(index));
    }
  });
}

export const keyspaceMetrics: readonly MetricDefinition[] = [
  perDatabase('svc_keyspace_keys', 'Keys of each database in use.', ({ shards }, index) =>
    sumOf(shards, (page) => page.keys(index)),
  ),
  perDatabase(
    'svc_keyspace_expiring_keys',
    'Keys with an expiry of each database in use.',
    ({ shards }, index) => sumOf(shards, (page) => page.expires(index)),
  ),
  ofAllShards(
    'counter',
    { name: 'svc_keyspace_hits_total', help: 'Key look-ups that found their key.' },
    'hits',
  ),
  ofAllShards(
    'counter',
    { name: 'svc_keyspace_misses_total', help: 'Key look-ups that found no key.' },
    'misses',
  ),
  ofAllShards(
    'counter',
    { name: 'svc_expired_keys_total', help: 'Keys removed because their time had come.' },
    'expired',
  ),
  ofAllShards(
    'counter',
    {
      name: 'svc_expired_fields_total',
      help: 'Fields of hashes removed because their time had come.',
    },
    'expiredFields',
  ),
  ofAllShards(
    'counter',
    { name: 'svc_evicted_keys_total', help: 'Keys removed to make room.' },
    'evicted',
  ),
  metric(
    'counter',
    {
      name: 'svc_keys_gone_total',
      help: 'Keys and values that have gone, by the reason.',
      labels: ['reason'],
    },
    'shard pages: the counters of fates, summed',
    ({ shards }, samples) => {
      for (const [reason, keys] of fateCounts(shards)) samples.value(keys, reason);
    },
  ),
  ofAllShards('counter', { name: 'svc_key_changes_total', help: 'Changes of keys.' }, 'changes'),
  metric(
    'gauge',
    {
      name: 'svc_memory_used_bytes',
      help: 'Memory that maxmemory limits: keys, values and what clients take.',
      unit: 'bytes',
    },
    'shard pages: usedBytes, summed; main page: clientMemoryBytes',
    (source, samples) => {
      samples.value(usedBytes(source));
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_memory_peak_bytes',
      help: 'Highest value of svc_memory_used_bytes since the start.',
      unit: 'bytes',
    },
    'main page: peakBytes',
    (source, samples) => {
      samples.value(Math.max(source.main.get('peakBytes'), usedBytes(source)));
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_memory_maxmemory_bytes',
      help: 'Limit of svc_memory_used_bytes; 0 is none.',
      unit: 'bytes',
    },
    'setting memory.maxmemory',
    ({ settings }, samples) => {
      samples.value(settings.memoryLimitBytes);
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_memory_part_bytes',
      help: 'Memory of keys and their values, by part.',
      unit: 'bytes',
      labels: ['part'],
    },
    'shard pages: recordBytes, indexBytes, blobBytes, objectBytes, summed',
    ({ shards }, samples) => {
      for (const [part, counter] of PARTS) {
        samples.value(
          sumOf(shards, (page) => page.get(counter)),
          part,
        );
      }
    },
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_memory_startup_bytes',
      help: 'Resident memory of the server without data, measured when all threads ran and before any was read.',
      unit: 'bytes',
    },
    'startupBytes',
  ),
  ofAllShards(
    'gauge',
    {
      name: 'svc_memory_segment_bytes',
      help: 'Slabs that are set aside for records.',
      unit: 'bytes',
    },
    'segmentBytes',
  ),
  metric(
    'gauge',
    {
      name: 'svc_memory_fragmentation_ratio',
      help: 'Resident memory of the process divided by the sum of svc_memory_startup_bytes and svc_memory_used_bytes.',
      unit: 'ratio',
    },
    'the process, svc_memory_startup_bytes and svc_memory_used_bytes',
    (source, samples) => {
      samples.value(fragmentationOf(source).ratio);
    },
  ),
  ofMain(
    'counter',
    { name: 'svc_memory_oom_rejections_total', help: 'Commands refused because memory was full.' },
    'oomRejections',
  ),
];
