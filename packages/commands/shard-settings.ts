/**
 * Settings that shards read, by the names that CONFIG knows them by.
 *
 * Shards are told these and no others: nothing that is secret leaves main. To read one more is to add it here, which the
 * compiler asks for. Types of values come from the table of settings.
 */

import type { ConfigValues } from '#config';

export const shardSettingNames = [
  'activedefrag',
  'active-expire-effort',
  'databases',
  'hash-max-listpack-entries',
  'hash-max-listpack-value',
  'hll-sparse-max-bytes',
  'hotkeys-window-enabled',
  'hotkeys-window-sample',
  'hotkeys-window-seconds',
  'hotkeys-window-top-k',
  'hz',
  'key-prefixes',
  'keyfate-max-len',
  'keyfate-overwritten',
  'latency-bands',
  'latency-bands-enabled',
  'latency-monitor-threshold',
  'latency-tracking',
  'lfu-decay-time',
  'lfu-log-factor',
  'list-compress-depth',
  'list-max-listpack-size',
  'maxmemory',
  'maxmemory-eviction-tenacity',
  'maxmemory-policy',
  'maxmemory-samples',
  'notify-keyspace-events',
  'persistence-durability-mode',
  'persistence-wal-failure-policy',
  'proto-max-bulk-len',
  'scripting-memory-limit',
  'set-max-intset-entries',
  'set-max-listpack-entries',
  'set-max-listpack-value',
  'slowlog-log-slower-than',
  'slowlog-max-arg-len',
  'slowlog-max-len',
  'stream-node-max-bytes',
  'stream-node-max-entries',
  'zset-max-listpack-entries',
  'zset-max-listpack-value',
] as const satisfies readonly (keyof ConfigValues)[];

type ShardSettingName = (typeof shardSettingNames)[number];

/** Values of all settings that shards are told. */
export type ShardSettingValues = Pick<ConfigValues, ShardSettingName>;

/** The names of settings that hold such a value. */
export type ShardSettingOf<Value> = {
  [Name in ShardSettingName]: ConfigValues[Name] extends Value ? Name : never;
}[ShardSettingName];

const known: ReadonlySet<string> = new Set(shardSettingNames);

export function isShardSetting(name: string): name is ShardSettingName {
  return known.has(name);
}

/** Settings of a shard as commands read them; kept current by control frames. */
export interface ShardSettings {
  number(name: ShardSettingOf<number>): number;
  boolean(name: ShardSettingOf<boolean>): boolean;
  string(name: ShardSettingOf<string>): string;
  /** Another object after every change: whoever keeps what settings say compares it. */
  readonly revision: object;
}
