/** Settings as CONFIG and the debug pages read and change them, as a module of main. */

import { errors, type Logger, systemClock } from '#base';
import { clientFields, databaseCountOf, type SettingsPort } from '#commands';
import { ConfigCommandError, isSettingName, Settings } from '#config';
import type { ActionAnswer, SettingCheckAnswer } from '#http';
import {
  type Composed,
  MainModule,
  type Modules,
  type OpsLink,
  SettingLog,
  SettingsBroadcast,
  TwoPhaseSettings,
} from '#main';
import type { Router } from '#router';
import type { Access } from '#access';

interface SettingsModuleOptions {
  readonly settings: Settings;
  readonly modules: Pick<Modules, 'settings'>;
  readonly router: Router;
  readonly beginTurn: () => void;
  readonly ops: OpsLink;
  readonly access: Pick<Access, 'linesToKeep'>;
  readonly log: Logger;
}

export function settingsModule(
  options: SettingsModuleOptions,
): Composed<
  object,
  'settings' | 'databaseCount' | 'availabilityZone',
  'set-setting' | 'check-setting'
> {
  const { settings, modules, router, beginTurn, log } = options;
  const settingLog = new SettingLog({ log, nowMs: () => systemClock.wallMs() });
  const twoPhaseSettings = new TwoPhaseSettings(settings, modules.settings, (changes, by) => {
    settingLog.changed(changes, by);
  });
  const broadcast = new SettingsBroadcast(settings, router, beginTurn);
  const parts = { ...options, twoPhaseSettings, broadcast };
  const module = new MainModule({
    name: 'settings',
    hooks: {
      tick: (nowMs) => {
        settingLog.tick(nowMs);
      },
    },
    ports: {
      settings: settingsPort(parts),
      get databaseCount() {
        return databaseCountOf(settings);
      },
      get availabilityZone() {
        return settings.string('server.availability-zone');
      },
    },
    answers: {
      'set-setting': ({ name, value }) => setSetting(parts, name, value),
      'check-setting': ({ name, value }) => checkSetting(parts, name, value),
    },
  });
  return { module, parts: {} };
}

const NO_SETTING = 'there is no such setting';

interface SettingsParts extends SettingsModuleOptions {
  readonly twoPhaseSettings: TwoPhaseSettings;
  readonly broadcast: SettingsBroadcast;
}

function settingsPort({
  settings,
  twoPhaseSettings,
  ops,
  broadcast,
  access,
}: SettingsParts): SettingsPort {
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
    set: (pairs, mayWait, client) =>
      answering(() => twoPhaseSettings.set(pairs, mayWait, clientFields(client))),
    shown: async (mayWait) => {
      if (mayWait) await twoPhaseSettings.settled();
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

/** Returns what a change over HTTP would do, without making it. */
function checkSetting(
  { twoPhaseSettings, settings }: SettingsParts,
  name: string,
  value: string,
): SettingCheckAnswer {
  if (!isSettingName(name)) return { problem: NO_SETTING, check: null };
  try {
    twoPhaseSettings.judge([Settings.pair(name, value)]);
    return { problem: '', check: { name, ...settings.preview(name, value) } };
  } catch (error) {
    if (error instanceof ConfigCommandError) return { problem: error.message, check: null };
    throw error;
  }
}

/** Changes a setting over HTTP; returns why it is not changed, or null. */
async function setSetting(
  { twoPhaseSettings, ops }: SettingsParts,
  name: string,
  value: string,
): Promise<ActionAnswer> {
  if (!isSettingName(name)) return NO_SETTING;
  try {
    await twoPhaseSettings.set([Settings.pair(name, value)], true, { over: 'http' });
    await twoPhaseSettings.settled();
  } catch (error) {
    if (error instanceof ConfigCommandError) return error.message;
    throw error;
  }
  await ops.settingsShown();
  return null;
}
