/** Every setting that is changed while the server runs, as a line of the log. */

import type { Logger } from '#base';
import { rowOf, settingNames, type Settings } from '#config';

/** Tells the log of all changes from now on. A secret's value is not told. */
export function logSettingChanges(settings: Settings, log: Pick<Logger, 'debug'>): void {
  for (const name of settingNames) {
    const { kind, isSecret } = rowOf(name);
    settings.onChange(name, (value) => {
      const fields = { name, value: isSecret === true ? '(hidden)' : kind.format(value) };
      log.debug('setting-changed', 'Setting changed', fields);
    });
  }
}
