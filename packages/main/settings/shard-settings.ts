/** Settings on their way to the shards: those that shards read, and none that is secret. */

import { machineLimits } from '#base';
import { isShardSetting, type ShardSettingValues } from '#commands';
import { frontCountOf, type SettingName, settingNames, type Settings } from '#config';
import { settingsAppliedCall } from '#stats';
import type { Router } from '#router';

/** Settings that shards receive, at the start and whenever they change. */
export const settingsOfShards: readonly SettingName[] = settingNames.filter(isShardSetting);

/** Returns the values of settings that shards receive. */
export function shardSettings(settings: Settings): ShardSettingValues {
  return Object.fromEntries(
    settingsOfShards.map((name) => [name, settings.get(name)]),
  ) as unknown as ShardSettingValues;
}

/** Hands every change of a setting on to the shards, in order with the commands. */
export class SettingsBroadcast {
  readonly #router: Router;
  /** True if settings were sent, and their application was not waited for since. */
  #isPending = false;

  constructor(settings: Settings, router: Router, beginTurn: () => void) {
    this.#router = router;
    for (const name of settingsOfShards) {
      settings.onChange(name, () => {
        const values = { [name]: settings.get(name) };
        router.broadcast({ kind: 'settings', values });
        this.#isPending = true;
        beginTurn();
      });
    }
  }

  /** Settles when the shards' pages show what the settings have done; a stuck shard is not waited for. */
  async applied(): Promise<void> {
    if (!this.#isPending) return;
    this.#isPending = false;
    await this.#router.shardCalls.ask(settingsAppliedCall, null);
  }
}

/** Threads that hold the data; unless it is set, one less than processors that may be used. */
export function shardCountOf(settings: Settings): number {
  const wanted = settings.number('server.shards');
  const fronts = frontCountOf(settings);
  return wanted > 0 ? wanted : Math.max(1, machineLimits().processors - 1 - fronts);
}
