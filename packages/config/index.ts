export { secrecyOfNames } from './config-names.ts';
export { helpText, type Action } from './sources/command-line.ts';
export { variableOf } from './sources/environment.ts';
export { type Value } from './kinds.ts';
export { ConfigError, load, loadFromProcess, type Loaded, type LoadInput } from './load.ts';
export { redisReference } from './redis/redis-reference.ts';
export { renderToml } from './render.ts';
export {
  ConfigCommandError,
  failed as configSetFailed,
  Settings,
  type SettingEntry,
} from './runtime.ts';
export {
  configName,
  isSettingName,
  rowOf,
  settingNames,
  type ConfigValues,
  type NameOf,
  type SettingName,
  type SettingsSnapshot,
  type ValueOf,
} from './settings.ts';
export { type Origin } from './sources/source.ts';
export type { ConfigWarning } from './config-warning.ts';
