/** Settings on their way to the shards: those that shards read, and none that is secret. */

import { availableParallelism } from 'node:os';
import { isShardSetting } from '#commands';
import { configName, settingNames, type SettingName, type Settings } from '#config';
import type { SettingValue } from '#link';

/** Settings that shards are told, at the start and whenever they change. */
export const settingsOfShards: readonly SettingName[] = settingNames.filter((name) =>
  isShardSetting(configName(name)),
);

/** What shards are told, under the names that CONFIG knows. */
export function shardSettings(settings: Settings): Record<string, SettingValue> {
  return Object.fromEntries(
    settingsOfShards.map((name) => [configName(name), settings.get(name) as SettingValue]),
  );
}

/** Threads that hold the data; unless it is set, one less than there are cores. */
export function shardCountOf(settings: Settings): number {
  const wanted = settings.number('server.shards');
  return wanted > 0 ? wanted : Math.max(1, availableParallelism() - 1);
}
