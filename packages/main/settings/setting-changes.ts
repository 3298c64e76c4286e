/** Every setting that is changed while the server runs, as a line of the log. */

import type { Logger } from '#base';
import { rowOf, settingNames, type Settings } from '#config';

/** Logs all changes of settings from now on. Values of secrets are omitted. */
export function logSettingChanges(settings: Settings, log: Pick<Logger, 'debug'>): void {
  for (const name of settingNames) {
    const { kind, isSecret } = rowOf(name);
    settings.onChange(name, (value) => {
      const fields = { name, value: isSecret === true ? '(hidden)' : kind.format(value) };
      log.debug('setting-changed', 'Setting changed', fields);
    });
  }
}
