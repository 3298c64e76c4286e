/** Metrics of keys and of the memory they take. */

import { KEY_QUANTITIES, MEMORY_QUANTITIES } from '#quantities';
import { fateCounts, fragmentation, type Fragmentation, usedMemory } from '#stats';
import { metric, sumOf, type MetricDefinition, type MetricSource } from '../definition.ts';
import { headOf, metricsOf } from '../quantities.ts';

export const usedBytes = ({ main, shards }: MetricSource): number => usedMemory(main, shards);

/** Resident memory divided by used memory. */
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
      // Of unused databases only the first is reported.
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
  ...metricsOf(
    KEY_QUANTITIES.lookups,
    KEY_QUANTITIES.expired,
    KEY_QUANTITIES.expiredFields,
    KEY_QUANTITIES.expiry,
    KEY_QUANTITIES.evicted,
    KEY_QUANTITIES.eviction,
  ),
  metric(
    'counter',
    { ...headOf(KEY_QUANTITIES.fates[0]), labels: ['reason'] },
    'shard pages: the counters of key fates, summed',
    ({ shards }, samples) => {
      for (const [reason, keys] of fateCounts(shards)) samples.value(keys, reason);
    },
  ),
  ...metricsOf(KEY_QUANTITIES.changes, KEY_QUANTITIES.defragmentation),
  metric(
    'gauge',
    {
      name: 'svc_memory_used_bytes',
      help: 'Memory that counts for maxmemory: keys, values and client buffers.',
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
      name: 'svc_memory_evicts',
      help: '1 while full memory is freed by an eviction policy.',
    },
    'setting memory.maxmemory-policy',
    ({ settings }, samples) => {
      samples.value(Number(settings.evicts));
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
  ...metricsOf(MEMORY_QUANTITIES.parts, MEMORY_QUANTITIES.startup, MEMORY_QUANTITIES.segments),
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
  ...metricsOf(MEMORY_QUANTITIES.refused),
];
