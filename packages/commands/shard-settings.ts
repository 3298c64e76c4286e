/**
 * Settings that shards read, by the names that CONFIG knows them by.
 *
 * Shards are told these and no others: nothing that is secret leaves main. To read one more is to add it here, which the
 * compiler asks for.
 */

/** Kinds of settings: how many values each has, and of which type. */
export const shardSettingKinds = {
  activedefrag: 'boolean',
  'active-expire-effort': 'number',
  databases: 'number',
  'hash-max-listpack-entries': 'number',
  'hash-max-listpack-value': 'number',
  'hll-sparse-max-bytes': 'number',
  'hotkeys-window-enabled': 'boolean',
  'hotkeys-window-sample': 'number',
  'hotkeys-window-seconds': 'number',
  'hotkeys-window-top-k': 'number',
  hz: 'number',
  'key-prefixes': 'strings',
  'keyfate-max-len': 'number',
  'keyfate-overwritten': 'boolean',
  'latency-bands': 'numbers',
  'latency-bands-enabled': 'boolean',
  'latency-monitor-threshold': 'number',
  'latency-tracking': 'boolean',
  'lfu-decay-time': 'number',
  'lfu-log-factor': 'number',
  'list-compress-depth': 'number',
  'list-max-listpack-size': 'number',
  maxmemory: 'number',
  'maxmemory-eviction-tenacity': 'number',
  'maxmemory-policy': 'string',
  'maxmemory-samples': 'number',
  'notify-keyspace-events': 'string',
  'persistence-durability-mode': 'string',
  'persistence-wal-failure-policy': 'string',
  'proto-max-bulk-len': 'number',
  'set-max-intset-entries': 'number',
  'set-max-listpack-entries': 'number',
  'set-max-listpack-value': 'number',
  'slowlog-log-slower-than': 'number',
  'slowlog-max-arg-len': 'number',
  'slowlog-max-len': 'number',
  'stream-node-max-bytes': 'number',
  'stream-node-max-entries': 'number',
  'zset-max-listpack-entries': 'number',
  'zset-max-listpack-value': 'number',
} as const;

type Kinds = typeof shardSettingKinds;

export type ShardSettingName = keyof Kinds;

/** The names of settings of one kind. */
export type ShardSettingOf<Kind extends Kinds[ShardSettingName]> = {
  [Name in ShardSettingName]: Kinds[Name] extends Kind ? Name : never;
}[ShardSettingName];

export function isShardSetting(name: string): name is ShardSettingName {
  return Object.hasOwn(shardSettingKinds, name);
}

/** Settings of a shard as commands read them; kept current by control frames. */
export interface ShardSettings {
  number(name: ShardSettingOf<'number'>): number;
  boolean(name: ShardSettingOf<'boolean'>): boolean;
  string(name: ShardSettingOf<'string'>): string;
  /** Another object after every change: whoever keeps what settings say compares it. */
  readonly revision: object;
}
