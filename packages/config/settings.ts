/**
 * The table of settings: what can be set, what it means, and by which names.
 *
 * Nothing else knows a default or a bound. From here come validation, CONFIG GET, SET and REWRITE,
 * `--print-config`, `configs/server.toml`, and the names that the compiler accepts.
 */
import type { Value } from './kinds.ts';
import type { Setting } from './setting.ts';
import { clusterSettings } from './table/cluster.ts';
import { commandLogSettings } from './table/command-logs.ts';
import { diagnosticsSettings } from './table/diagnostics.ts';
import { durabilitySettings } from './table/durability.ts';
import { loggingSettings } from './table/logging.ts';
import { memorySettings } from './table/memory.ts';
import { replicaSettings } from './table/replica.ts';
import { primarySettings } from './table/primary.ts';
import { serverSettings } from './table/server.ts';
import { tieredSettings } from './table/tiered.ts';
import { tlsSettings } from './table/tls.ts';

/** Every setting, by `section.key`. */
const settings = {
  ...serverSettings,
  ...tlsSettings,
  ...memorySettings,
  ...tieredSettings,
  ...durabilitySettings,
  ...replicaSettings,
  ...primarySettings,
  ...clusterSettings,
  ...commandLogSettings,
  ...diagnosticsSettings,
  ...loggingSettings,
};

/** The name of a setting, `section.key`. */
export type SettingName = keyof typeof settings;

/** Type of the value of a setting of that name. */
export type ValueOf<Name extends SettingName> = (typeof settings)[Name]['kind'] extends {
  readonly schema: unknown;
  parse(text: string): infer V extends Value;
}
  ? V
  : never;

/** The names of the settings that hold such a value. */
export type NameOf<V extends Value> = {
  [Name in SettingName]: ValueOf<Name> extends V ? Name : never;
}[SettingName];

/** All values at one moment: plain data, fit to be sent to another thread. */
export type SettingsSnapshot = { readonly [Name in SettingName]: ValueOf<Name> };

/** All names, in the order of the table. */
export const settingNames = Object.keys(settings) as SettingName[];

/** The row of a setting, without its exact kind. */
export function rowOf(name: SettingName): Setting {
  return settings[name];
}

/** True if there is a setting of that name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** Section and key of a name; the section of `logging.rotation.max-files` is `logging.rotation`. */
export function sectionAndKey(name: SettingName): readonly [section: string, key: string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** The name CONFIG knows a setting by. */
export function configName(name: SettingName): string {
  return rowOf(name).config ?? name.replaceAll('.', '-');
}
