/**
 * The command line of the server.
 */
import { parseArgs } from 'node:util';
import { settingLike } from '../config-names.ts';
import { serverOptions, type OptionRow } from './server-options.ts';
import {
  findSubcommand,
  groupOf,
  splitArguments,
  type FoundSubcommand,
  type SubcommandName,
} from './subcommands.ts';
import { isSettingName, settingNames, type SettingName } from '../settings.ts';
import { closest, type Gathered } from './source.ts';

/** Action that the command line asks for, beside settings. */
export type Action =
  | { readonly kind: 'serve' }
  | { readonly kind: 'print-config' }
  | { readonly kind: 'check-config' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'intrinsic-latency'; readonly seconds: number }
  /** Brings in a snapshot of Redis, then serves. */
  | { readonly kind: 'import-rdb'; readonly file: string; readonly skipsDamaged: boolean }
  | { readonly kind: 'export-rdb'; readonly file: string }
  | { readonly kind: 'check-data' }
  /** Asks a running server with these settings whether it is ready. */
  | { readonly kind: 'probe' }
  /** A task with the data folder of the settings, with the arguments that it reads itself. */
  | { readonly kind: 'data-task'; readonly name: DataTask; readonly args: readonly string[] }
  | { readonly kind: 'data-task-help'; readonly name: DataTask }
  /** A subcommand, with the arguments that it reads itself. */
  | { readonly kind: 'tool'; readonly name: ToolName; readonly args: readonly string[] }
  /** First word of subcommands without a known second one. */
  | { readonly kind: 'group'; readonly word: string; readonly asked: string };

/** Subcommands that need no settings of a server. */
export type ToolName = Exclude<SubcommandName, 'probe' | DataTask>;

export type DataTask = 'backup' | 'restore';

/** A command line, read but not yet judged. */
interface CommandLine {
  readonly action: Action;
  readonly configFile: string | undefined;
  /** In the order given: the setting, or what stands where one should; its value; the option. */
  readonly values: readonly (readonly [name: string, value: string, where: string])[];
  readonly mistakes: readonly string[];
}

const INTRINSIC_SECONDS_MAX = 86_400;

/** Letters that other servers and their clients have for options. */
const letters: Readonly<Record<string, string>> = {
  h: 'help',
  v: 'version',
  p: 'port',
  c: 'config',
  s: 'unix-socket',
  a: 'requirepass',
};

/** Options that are short for a setting. */
const shortOptions: Readonly<Record<string, SettingName>> = settingsBy(
  ({ value }) => value !== undefined,
);

/** Options that set a setting to yes. */
const switches: Readonly<Record<string, SettingName>> = settingsBy(
  ({ value }) => value === undefined,
);

const SKIP = '--skip-damaged';

const valueOptions = serverOptions.flatMap(({ name, value }) => (value === undefined ? [] : name));
const flagOptions = serverOptions.flatMap(({ name, value }) => (value === undefined ? name : []));

/** Options that may be written as a first word without dashes, as in `svc-server check-data`. */
const words = serverOptions.flatMap(({ name, isWord }) => (isWord === true ? name : []));

type OptionConfig = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

const options: OptionConfig = Object.fromEntries([
  ...valueOptions.map((name) => [name, { type: 'string', multiple: true }]),
  ...flagOptions.map((name) => [name, { type: 'boolean' }]),
]) as OptionConfig;

/** Reads the command line, without the program's name. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [word = '', ...rest] = args;
  const found = findSubcommand(args);
  if (found !== undefined) return readSubcommandLine(found);
  if (groupOf(word).length > 0) {
    return { ...NO_SETTINGS, action: { kind: 'group', word, asked: rest[0] ?? '' } };
  }
  return readOptions(words.includes(word) ? [`--${word}`, ...rest] : args);
}

const NO_SETTINGS = { configFile: undefined, values: [], mistakes: [] } as const;

function readSubcommandLine({ name, args }: FoundSubcommand): CommandLine {
  if (name === 'backup' || name === 'restore') return readDataTask(name, args);
  if (name !== 'probe') return { ...NO_SETTINGS, action: { kind: 'tool', name, args } };
  const line = readOptions(args);
  return line.action.kind === 'serve' ? { ...line, action: { kind: 'probe' } } : line;
}

/** A task has options of its own beside those of the server. */
function readDataTask(name: DataTask, args: readonly string[]): CommandLine {
  const { own, server } = splitArguments(name, args);
  if (own.includes('--help')) return { ...NO_SETTINGS, action: { kind: 'data-task-help', name } };
  const line = readOptions(server);
  if (line.action.kind !== 'serve') {
    const mistake = `svc-server ${name} cannot be combined with --${line.action.kind}`;
    return { ...line, mistakes: [...line.mistakes, mistake] };
  }
  return { ...line, action: { kind: 'data-task', name, args: own } };
}

function settingsBy(isOne: (option: OptionRow) => boolean): Record<string, SettingName> {
  const entries = serverOptions.filter(isOne).flatMap(({ name, setting }) => {
    return setting === undefined ? [] : [[name, setting] as const];
  });
  return Object.fromEntries(entries);
}

function readOptions(args: readonly string[]): CommandLine {
  const mistakes: string[] = [];
  const { tokens } = parseArgs({
    args: joined(args),
    options,
    strict: false,
    tokens: true,
  });
  const values: (readonly [string, string, string])[] = [];
  let action: Action = { kind: 'serve' };
  let configFile: string | undefined;
  /** True after a refused option: what follows was meant as its value. */
  let isRefused = false;
  for (const token of tokens) {
    if (token.kind !== 'option') {
      if (token.kind === 'positional' && !isRefused) mistakes.push(strayArgument(token.value));
      continue;
    }
    const mistake = mistakeOf(token.rawName, token.name, token.value);
    const value = token.value ?? '';
    isRefused = mistake !== undefined && token.value === undefined;
    if (mistake !== undefined) mistakes.push(mistake);
    else if (token.name === 'config') configFile = value;
    else if (token.name === 'set') values.push(splitSet(value));
    else if (token.name in shortOptions || token.name in switches) {
      values.push(assignmentOf(token.name, value));
    } else action = actionOf(token.name, value, action);
  }
  const skipsDamaged = tokens.some((token) => token.kind === 'option' && token.rawName === SKIP);
  return { action: withSkip(action, skipsDamaged, mistakes), configFile, values, mistakes };
}

function withSkip(action: Action, skipsDamaged: boolean, mistakes: string[]): Action {
  if (action.kind === 'import-rdb') return { ...action, skipsDamaged };
  if (skipsDamaged) mistakes.push(`${SKIP} needs --import-rdb`);
  return action;
}

/** Takes the settings that the command line gives. */
export function takeCommandLine(gathered: Gathered, line: CommandLine): void {
  for (const mistake of line.mistakes) {
    gathered.mistakes.push(`command line: ${mistake}; --help lists the options`);
  }
  for (const [name, value, where] of line.values) {
    if (isSettingName(name)) gathered.takeText(name, value, 'cli', where);
    else gathered.unknown(`key ${name}`, where, settingLike(name) ?? closest(name, settingNames));
  }
}

/** Writes `--option value` as `--option=value`: only so may a value begin with a dash. */
function joined(args: readonly string[]): string[] {
  const result: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const option = args[index]!;
    const value = args[index + 1];
    if (value !== undefined && option.startsWith('--') && valueOptions.includes(option.slice(2))) {
      result.push(`${option}=${value}`);
      index += 1;
    } else {
      result.push(option);
    }
  }
  return result;
}

function mistakeOf(rawName: string, name: string, value: string | undefined): string | undefined {
  const isLong = rawName.startsWith('--');
  if (isLong && flagOptions.includes(name)) {
    return value === undefined ? undefined : `${rawName} takes no value`;
  }
  if (isLong && valueOptions.includes(name)) {
    return value === undefined ? `${rawName} needs a value` : valueMistake(name, value);
  }
  const suggestion = isLong ? optionLike(name) : letters[name];
  const hint = suggestion === undefined ? '' : `, did you mean --${suggestion}?`;
  return `unknown option ${rawName}${hint}`;
}

/** The option for what a misspelt one, or one of Redis, may stand for. */
function optionLike(name: string): string | undefined {
  const setting = settingLike(name);
  const short = Object.entries(shortOptions).find(([, other]) => other === setting)?.[0];
  if (setting !== undefined) return short ?? `set ${setting}=...`;
  return closest(name, [...valueOptions, ...flagOptions]);
}

function strayArgument(text: string): string {
  const isFile = /\.(conf|toml)$/.test(text);
  // It is not shown: it may be the secret behind a misspelt option.
  return isFile
    ? 'an argument belongs to no option, did you mean --config FILE?'
    : 'an argument belongs to no option';
}

function valueMistake(name: string, value: string): string | undefined {
  if (name === 'set' && !value.includes('=')) return '--set needs section.key=value';
  if (name !== 'intrinsic-latency') return undefined;
  const seconds = Number(value);
  const isGood = Number.isInteger(seconds) && seconds >= 1 && seconds <= INTRINSIC_SECONDS_MAX;
  if (isGood) return undefined;
  return `--intrinsic-latency needs whole seconds from 1 to ${INTRINSIC_SECONDS_MAX}, not ${value}`;
}

function assignmentOf(option: string, value: string): readonly [string, string, string] {
  const where = `command line --${option}`;
  const setting = switches[option];
  return setting === undefined ? [shortOptions[option]!, value, where] : [setting, 'yes', where];
}

function splitSet(text: string): readonly [string, string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals).trim(), unquoted(text.slice(equals + 1)), 'command line --set'];
}

/** Reads a string in quotes as a file of TOML has it; what is no such string stays as it is. */
function unquoted(text: string): string {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (!/^".*"$/.test(text)) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

/** Returns what an option asks for; what was asked for before where it asks for nothing itself. */
function actionOf(name: string, value: string, before: Action): Action {
  switch (name) {
    case 'print-config':
    case 'check-config':
    case 'help':
    case 'version':
    case 'check-data':
      return { kind: name };
    case 'import-rdb':
      return { kind: name, file: value, skipsDamaged: false };
    case 'export-rdb':
      return { kind: name, file: value };
    case 'intrinsic-latency':
      return { kind: name, seconds: Number(value) };
    default:
      return before;
  }
}
