/**
 * Settings that shards read, by their names in the table of settings. Shards receive only these: no secret leaves main.
 * A shard that reads another setting must add it here, which the compiler enforces. Types of values come from the table
 * of settings.
 */

import type { SettingsSnapshot } from '#config';

export const shardSettingNames = [
  'memory.active-defrag',
  'memory.active-expire-effort',
  'server.databases',
  'cluster.enabled',
  'cluster.databases',
  'cluster.slot-stats-enabled',
  'encoding.hash-max-listpack-entries',
  'encoding.hash-max-listpack-value',
  'encoding.hll-sparse-max-bytes',
  'hotkeys.window-enabled',
  'hotkeys.window-sample',
  'hotkeys.window-seconds',
  'hotkeys.window-top-k',
  'server.hz',
  'key-prefixes.prefixes',
  'keyfate.max-len',
  'keyfate.overwritten',
  'latency-bands.bands',
  'latency-bands.enabled',
  'latency.monitor-threshold-ms',
  'latency.tracking',
  'memory.lfu-decay-time',
  'memory.lfu-log-factor',
  'encoding.list-compress-depth',
  'encoding.list-max-listpack-size',
  'memory.maxmemory',
  'memory.maxmemory-eviction-tenacity',
  'memory.maxmemory-policy',
  'memory.maxmemory-samples',
  'server.notify-keyspace-events',
  'persistence.durability-mode',
  'persistence.wal-failure-policy',
  'server.proto-max-bulk-len',
  'server.reported-redis-version',
  'scripting.memory-limit',
  'replication.ignore-maxmemory',
  'replication.read-only',
  'encoding.set-max-intset-entries',
  'encoding.set-max-listpack-entries',
  'encoding.set-max-listpack-value',
  'commandlog.large-reply-max-len',
  'commandlog.large-request-max-len',
  'commandlog.reply-larger-than',
  'commandlog.request-larger-than',
  'slowlog.log-slower-than',
  'snapshot.key-save-delay-us',
  'slowlog.max-arg-len',
  'slowlog.max-len',
  'tiered.max-bytes',
  'tiered.min-value-bytes',
  'tiered.when-full',
  'encoding.stream-node-max-bytes',
  'encoding.stream-node-max-entries',
  'streams.idmp-duration',
  'streams.idmp-maxsize',
  'encoding.zset-max-listpack-entries',
  'encoding.zset-max-listpack-value',
] as const satisfies readonly (keyof SettingsSnapshot)[];

type ShardSettingName = (typeof shardSettingNames)[number];

/** Values of all settings that are sent to shards. */
export type ShardSettingValues = Pick<SettingsSnapshot, ShardSettingName>;

/** The names of settings that hold such a value. */
export type ShardSettingOf<Value> = {
  [Name in ShardSettingName]: SettingsSnapshot[Name] extends Value ? Name : never;
}[ShardSettingName];

const known: ReadonlySet<string> = new Set(shardSettingNames);

export function isShardSetting(name: string): name is ShardSettingName {
  return known.has(name);
}

/** Number of databases of a server, which has another setting in a cluster. */
export function databaseCountOf(settings: {
  number(name: 'server.databases' | 'cluster.databases'): number;
  boolean(name: 'cluster.enabled'): boolean;
}): number {
  const name = settings.boolean('cluster.enabled') ? 'cluster.databases' : 'server.databases';
  return settings.number(name);
}

/** Settings of a shard as commands read them; kept current by control frames. */
export interface ShardSettings {
  number(name: ShardSettingOf<number>): number;
  boolean(name: ShardSettingOf<boolean>): boolean;
  string(name: ShardSettingOf<string>): string;
  /** New object after every change: holders of derived values compare it by identity. */
  readonly revision: object;
}
