import { readFileSync } from 'node:fs';
import { settingNames, type SettingName } from '../settings.ts';
import { closest, type Gathered } from './source.ts';

const PREFIX = 'SVC_';
const FILE_SUFFIX = '_FILE';

/** The settings by the names of their variables. */
const byVariable = new Map(settingNames.map((name) => [variableOf(name), name]));

/** Common misspellings of the names, with one underscore. */
const byOneUnderscore = new Map(
  [...byVariable.keys()].map((variable) => [variable.replaceAll('__', '_'), variable]),
);

/** The environment variable of a setting: `slowlog.max-len` is SVC_SLOWLOG__MAX_LEN. */
export function variableOf(name: SettingName): string {
  return PREFIX + name.replaceAll('.', '__').replaceAll('-', '_').toUpperCase();
}

/**
 * Reads settings from the environment. `<variable>_FILE` names a file with the value, so that a
 * secret need not be in the environment.
 */
export function takeEnvironment(
  gathered: Gathered,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || value === undefined) continue;
    if (variable.includes('__')) takeVariable(gathered, variable, value, environment);
    else warnOfOneUnderscore(gathered, variable);
  }
}

/** Without the double underscore it is no setting: a container host sets SVC_SERVER_PORT and the like. */
function warnOfOneUnderscore(gathered: Gathered, variable: string): void {
  const meant = byOneUnderscore.get(variable);
  if (meant === undefined) return;
  gathered.warnings.push({
    event: 'environment-ignored',
    severity: 'warn',
    message: `environment ${variable} is not read; the variable of that setting is ${meant}, with two underscores.`,
  });
}

function takeVariable(
  gathered: Gathered,
  variable: string,
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const name = byVariable.get(variable);
  if (name !== undefined) {
    gathered.takeText(name, value, 'env', `environment ${variable}`);
    return;
  }
  const plain = variable.slice(0, -FILE_SUFFIX.length);
  const fileName = variable.endsWith(FILE_SUFFIX) ? byVariable.get(plain) : undefined;
  if (fileName === undefined) {
    gathered.unknown('setting', `environment ${variable}`, closest(variable, byVariable.keys()));
  } else if (environment[plain] !== undefined) {
    gathered.mistakes.push(`environment ${variable}: ${plain} is set too; use one of them`);
  } else {
    takeFileOf(gathered, fileName, variable, value);
  }
}

function takeFileOf(gathered: Gathered, name: SettingName, variable: string, file: string): void {
  const where = `environment ${variable}`;
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    gathered.takeText(name, content, 'env', where);
  } catch (error) {
    gathered.mistakes.push(`${where}: cannot read the file: ${(error as Error).message}`);
  }
}
