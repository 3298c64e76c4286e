/** Quantities of keys: look-ups, changes and removals. */

import { SHARD_COUNTER, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const GONE = {
  ...SHARD_COUNTER,
  help: 'Removed keys and overwritten values, by reason.',
  metric: 'svc_key_fates_total',
} as const;

/** Removed keys, by number of the key fate. */
const FATES = [
  {
    ...GONE,
    counter: 'fateExpiredActive',
    label: ['reason', 'expired-active'],
    info: 'keyfate_expired_active',
  },
  {
    ...GONE,
    counter: 'fateExpiredLazy',
    label: ['reason', 'expired-lazy'],
    info: 'keyfate_expired_lazy',
  },
  {
    ...GONE,
    counter: 'fateExpiredFields',
    label: ['reason', 'expired-fields'],
    info: 'keyfate_expired_fields',
  },
  { ...GONE, counter: 'fateEvicted', label: ['reason', 'evicted'], info: 'keyfate_evicted' },
  { ...GONE, counter: 'fateDeleted', label: ['reason', 'deleted'], info: 'keyfate_deleted' },
  {
    ...GONE,
    counter: 'fateOverwritten',
    label: ['reason', 'overwritten'],
    info: 'keyfate_overwritten',
  },
  { ...GONE, counter: 'fateMoved', label: ['reason', 'moved'], info: 'keyfate_moved' },
  { ...GONE, counter: 'fateFlushed', label: ['reason', 'flushed'], info: 'keyfate_flushed' },
] as const satisfies readonly Quantity[];

export const KEY_QUANTITIES = {
  expired: [
    {
      ...SHARD_COUNTER,
      counter: 'expired',
      inStore: true,
      help: 'Expired keys removed.',
      info: 'expired_keys',
      status: 'keyspace.expired_keys_total',
      metric: 'svc_expired_keys_total',
      exporter: 'redis_expired_keys_total',
      live: 'expired',
    },
  ],
  expiredFields: [
    {
      ...SHARD_COUNTER,
      counter: 'expiredFields',
      inStore: true,
      help: 'Expired hash fields removed.',
      info: 'expired_subkeys',
      metric: 'svc_expired_fields_total',
      exporter: 'redis_expired_subkeys_total',
    },
  ],
  /** Active expiry. */
  expiry: [
    {
      ...SHARD_COUNTER,
      counter: 'expiredTimeCapReached',
      inStore: true,
      moves: true,
      info: 'expired_time_cap_reached_count',
      exporter: 'redis_expired_time_cap_reached_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'expireUs',
      unit: 'us',
      perShard: true,
      help: 'Time spent on active expiry.',
      info: 'expire_cycle_cpu_milliseconds',
      infoAs: 'whole-ms',
      metric: 'svc_shard_expire_seconds_total',
    },
    /** Sampled share of keys with an expiry that are expired but not yet removed; INFO weights it by shard. */
    { ...SHARD_GAUGE, counter: 'stalePercent', inStore: true },
  ],
  evicted: [
    {
      ...SHARD_COUNTER,
      counter: 'evicted',
      inStore: true,
      help: 'Evicted keys.',
      info: 'evicted_keys',
      status: 'keyspace.evicted_keys_total',
      metric: 'svc_evicted_keys_total',
      exporter: 'redis_evicted_keys_total',
      live: 'evicted',
    },
  ],
  /** Eviction. */
  eviction: [
    {
      ...SHARD_COUNTER,
      counter: 'evictionUs',
      unit: 'us',
      perShard: true,
      help: 'Time spent on eviction.',
      info: 'eviction_cycle_cpu_milliseconds',
      infoAs: 'whole-ms',
      metric: 'svc_shard_eviction_seconds_total',
    },
  ],
  lookups: [
    {
      ...SHARD_COUNTER,
      counter: 'hits',
      help: 'Key look-ups that found their key.',
      info: 'keyspace_hits',
      status: 'keyspace.hits_total',
      metric: 'svc_keyspace_hits_total',
      exporter: 'redis_keyspace_hits_total',
      live: 'hits',
    },
    {
      ...SHARD_COUNTER,
      counter: 'misses',
      help: 'Key look-ups that found no key.',
      info: 'keyspace_misses',
      status: 'keyspace.misses_total',
      metric: 'svc_keyspace_misses_total',
      exporter: 'redis_keyspace_misses_total',
      live: 'misses',
    },
  ],
  fates: FATES,
  changes: [
    {
      counter: 'changes',
      by: 'shards',
      kind: 'counter',
      help: 'Changes of keys.',
      metric: 'svc_key_changes_total',
    },
  ],
  /** Defragmentation. */
  defragmentation: [
    {
      ...SHARD_COUNTER,
      counter: 'defragMoved',
      inStore: true,
      info: 'active_defrag_hits',
      exporter: 'redis_defrag_hits',
    },
    {
      ...SHARD_COUNTER,
      counter: 'defragUs',
      unit: 'us',
      perShard: true,
      help: 'Time spent on defragmentation.',
      info: 'active_defrag_cpu_milliseconds',
      infoAs: 'whole-ms',
      metric: 'svc_shard_defrag_seconds_total',
    },
  ],
  walks: [
    /** Time at which the scan for key sizes ended, and the count of changes when it started. */
    { ...SHARD_GAUGE, counter: 'keySizesUs', unit: 'us' },
    { ...SHARD_GAUGE, counter: 'keySizesChanges' },
    /** Current list of prefixes, and the list that the last scan counted. */
    { ...SHARD_GAUGE, counter: 'prefixesId' },
    { ...SHARD_GAUGE, counter: 'prefixesWalkedId' },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
