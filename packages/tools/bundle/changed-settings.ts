/** Settings of a bundle that differ from the defaults. */

import { Settings } from '#config';

/** A setting with another value than the default of this version. */
export interface ChangedSetting {
  readonly name: string;
  /** Values as TOML. */
  readonly value: string;
  /** Null for a setting that this version does not have. */
  readonly default: string | null;
}

/** Returns the settings of a configuration as the server writes it, in its order. */
export function changedSettings(toml: string): ChangedSetting[] {
  const defaults = new Map(settingsIn(new Settings().toToml({ hideSecrets: true })));
  return settingsIn(toml)
    .map(([name, value]) => ({ name, value, default: defaults.get(name) ?? null }))
    .filter((each) => each.value !== each.default);
}

/** Reads TOML with a section in a line of its own, and one setting a line. */
function settingsIn(toml: string): (readonly [name: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  let section = '';
  for (const line of toml.split('\n')) {
    const [, header] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, key, value] = /^([\w-]+) = (.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (key !== undefined && value !== undefined) found.push([`${section}.${key}`, value]);
  }
  return found;
}
