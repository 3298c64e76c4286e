import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { machineLimits, type MachineLimits } from '#base';
import { readCommandLine, takeCommandLine, type Action } from './sources/command-line.ts';
import { takeEnvironment } from './sources/environment.ts';
import { takeTable } from './sources/file-source.ts';
import { isRedisFile, takeRedisFile } from './redis/redis-file.ts';
import { Settings } from './runtime.ts';
import type { SettingName } from './settings.ts';
import { Gathered } from './sources/source.ts';
import { readToml, TomlError } from './sources/toml-file.ts';
import type { ConfigWarning } from './config-warning.ts';
import { defaultMaxMemory, machineWarnings } from './sources/machine-defaults.ts';
import { warningsOf } from './warnings.ts';

const FILE_DEFAULT = 'svc.toml';

/** The world a server is started in. */
export interface LoadInput {
  /** The command line without the program's name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin in. */
  readonly folder: string;
  /** Limits of processors and memory; by default those of this process. */
  readonly limits?: MachineLimits;
}

/** A valid configuration, and the action to perform. */
export interface Loaded {
  readonly settings: Settings;
  readonly action: Action;
  readonly warnings: readonly ConfigWarning[];
}

/** A configuration that does not hold. The message names every mistake, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads this process' own command line and environment. */
export function loadFromProcess(): Loaded {
  return load({ args: process.argv.slice(2), environment: process.env, folder: process.cwd() });
}

/** Brings all sources together: defaults, file, environment, command line; the later wins. */
export function load(input: LoadInput): Loaded {
  const line = readCommandLine(input.args);
  const { action } = line;
  // Help is printed even if the rest of the command line is wrong.
  if (isTool(action)) {
    return { settings: new Settings(), action, warnings: [] };
  }
  const gathered = new Gathered();
  const file = fileOf(line.configFile, input.folder);
  if (file !== undefined && isRedisFile(file)) {
    takeRedisFile(gathered, file, line.configFile ?? file);
  } else if (file !== undefined) takeFile(gathered, file, line.configFile ?? FILE_DEFAULT);
  takeEnvironment(gathered, input.environment);
  takeCommandLine(gathered, line);
  if (gathered.mistakes.length > 0) throw new ConfigError(gathered.mistakes.join('\n'));
  const limits = input.limits ?? machineLimits();
  inContainer(gathered, limits);
  inDataFolder(gathered, 'debug-bundle.directory', 'bundles');
  inDataFolder(gathered, 'tiered.directory', 'tier');
  const settings = new Settings(gathered.values, file);
  demandTokens(settings);
  demandTier(settings);
  demandLogFile(settings);
  const warnings = [
    ...gathered.warnings,
    ...warningsOf(settings),
    ...machineWarnings(settings, limits),
  ];
  return { settings, action, warnings };
}

/** Actions that need no settings. */
export type ToolAction = Extract<
  Action,
  { kind: 'help' | 'version' | 'tool' | 'group' | 'data-task-help' }
>;

/** True for an action that needs no settings. */
export function isTool(action: Action): action is ToolAction {
  return ['help', 'version', 'tool', 'group', 'data-task-help'].includes(action.kind);
}

/** Throws if http.viewer-token would restrict no access. */
function demandTokens(settings: Settings): void {
  const viewerToken = settings.string('http.viewer-token');
  if (viewerToken === '') return;
  const token = settings.string('http.token');
  if (token === '') {
    throw new ConfigError(
      'http.viewer-token is set and http.token is not: every client may then do everything over HTTP; set http.token as well',
    );
  }
  if (token === viewerToken) {
    throw new ConfigError('http.viewer-token and http.token are the same: choose different ones');
  }
}

/** Puts a folder into the data folder, unless it was given another place. */
function inDataFolder({ values }: Gathered, name: SettingName, folder: string): void {
  if (values.get(name)!.origin !== 'default') return;
  const dataFolder = values.get('persistence.data-dir')!.value as string;
  values.set(name, { value: path.join(dataFolder, folder), origin: 'default' });
}

/** Sets the default of maxmemory that a container's limit demands. */
function inContainer({ values }: Gathered, limits: MachineLimits): void {
  if (values.get('memory.maxmemory')!.origin !== 'default') return;
  values.set('memory.maxmemory', { value: defaultMaxMemory(limits), origin: 'default' });
}

/** Throws where values are to be spilled and there is nothing that takes them. */
function demandTier(settings: Settings): void {
  const policy = settings.string('memory.maxmemory-policy');
  if (!policy.startsWith('tiered-') || settings.boolean('tiered.enabled')) return;
  throw new ConfigError(
    `memory.maxmemory-policy is ${policy} and tiered.enabled is not set: there is no disk for values that do not fit into memory; set tiered.enabled as well`,
  );
}

/** Throws if the path of the log file is a folder's, or leads through a file. */
function demandLogFile(settings: Settings): void {
  const file = settings.string('logging.file-path');
  if (file === '') return;
  const fault = (reason: string): never => {
    throw new ConfigError(`logging.file-path is ${file}: ${reason}; give the path of a file`);
  };
  if (file.endsWith('/')) fault('that is the path of a folder');
  try {
    if (statSync(file).isDirectory()) fault('that is a folder');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') fault('a part of it is no folder');
    // One that is not there is made; others, such as a full disk, may be mended while the server runs.
    if (error instanceof ConfigError) throw error;
  }
}

function fileOf(wanted: string | undefined, folder: string): string | undefined {
  if (wanted !== undefined) return path.resolve(folder, wanted);
  const standard = path.resolve(folder, FILE_DEFAULT);
  return existsSync(standard) ? standard : undefined;
}

function takeFile(gathered: Gathered, file: string, shownAs: string): void {
  try {
    takeTable(gathered, readToml(file, shownAs), shownAs);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    gathered.mistakes.push(error.message);
  }
}
