/** Settings on their way to the shards. */

import { configName, settingNames, type Settings } from '#config';
import type { SettingValue } from '#link';

/** What shards are told: every setting under the name that CONFIG knows it by. */
export function shardSettings(settings: Settings): Record<string, SettingValue> {
  return Object.fromEntries(
    settingNames.map((name) => [configName(name), settings.get(name) as SettingValue]),
  );
}
