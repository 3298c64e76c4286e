/** Settings as CONFIG reads and changes them. */

import { errors } from '#base';
import type { SettingsPort } from '#commands';
import { ConfigCommandError, type Settings } from '#config';
import type { LateSettings, OpsLink, SettingsBroadcast } from '#main';
import type { Access } from '#access';

interface SettingsPortOptions {
  readonly settings: Settings;
  readonly lateSettings: LateSettings;
  readonly ops: OpsLink;
  readonly broadcast: SettingsBroadcast;
  readonly access: Pick<Access, 'linesToKeep'>;
}

export function settingsPort({
  settings,
  lateSettings,
  ops,
  broadcast,
  access,
}: SettingsPortOptions): SettingsPort {
  const answering = <Done>(act: () => Done): Done => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ConfigCommandError)) throw error;
      throw errors.config(error.message);
    }
  };
  return {
    get: (patterns) => settings.configGet(patterns),
    set: (pairs, mayWait) => answering(() => lateSettings.set(pairs, mayWait)),
    shown: async (mayWait) => {
      if (mayWait) await lateSettings.settled();
      await Promise.all([ops.settingsShown(), broadcast.applied()]);
    },
    rewrite: () => {
      answering(() => {
        const users = access.linesToKeep;
        if (users !== undefined) settings.holdUsers(users);
        settings.rewrite();
      });
    },
  };
}
