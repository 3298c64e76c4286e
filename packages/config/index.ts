export { frontCountOf } from './front-count.ts';
export { secrecyOfNames } from './config-names.ts';
export { readServiceManager } from './sources/service-manager.ts';
export { groupHelp, helpText, subcommandHelp } from './sources/help.ts';
export { groupOf, readSubcommand, subcommand, subcommandNames } from './sources/subcommands.ts';
export { serverOptions } from './sources/server-options.ts';
export {
  ConfigError,
  isTool,
  load,
  loadFromProcess,
  type Loaded,
  type ToolAction,
} from './load.ts';
export { redisReference } from './redis/redis-reference.ts';
export { renderToml } from './render.ts';
export { ConfigCommandError, failed as configSetFailed, Settings } from './runtime.ts';
export {
  configName,
  isSettingName,
  rowOf,
  settingNames,
  type SettingName,
  type SettingsSnapshot,
} from './settings.ts';
export type { Value } from './kinds.ts';
export type { ConfigWarning } from './config-warning.ts';
export { BUILD, REDIS_VERSION, VERSION } from './version.ts';
export type { DataTask, ToolName } from './sources/command-line.ts';
