/**
 * Reads a configuration file in the format of Redis: directives under the names of CONFIG, `include`, repeated lines.
 * Directives without a meaning here are ignored with one warning. Directives that this version lacks and that the user
 * relies on (renamed commands, modules) are refused, so that the lack is noticed at once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { globMatches } from '#base';
import { targets, type Target } from '../config-names.ts';
import { constantNamed } from '../constants.ts';
import { ValueError } from '../kinds.ts';
import { redisNames, whyUnknown } from './redis-reference.ts';
import { closest, type Gathered } from '../sources/source.ts';
import { userLine, USERS } from '../user-kind.ts';

/** Files included in each other beyond this are a circle. */
const INCLUDE_DEPTH_MAX = 16;

/** Directives that are not settings, and must not be ignored. */
const lacking: Readonly<Record<string, string>> = {
  'rename-command':
    'Commands cannot be renamed; ACL rules take one away, such as: user default -config.',
  loadmodule: 'There are no modules.',
};

/** Directives of which each line adds to those before. */
const adding = ['save', 'client-output-buffer-limit'];

/** Directives that name files or folders, which Redis looks for in its data folder. */
const PLACES: readonly string[] = [
  ...['logfile', 'unixsocket', 'aclfile', 'tls-cert-file', 'tls-key-file'],
  ...['tls-ca-cert-file', 'tls-ca-cert-dir', 'tls-dh-params-file'],
  ...['tls-client-cert-file', 'tls-client-key-file'],
];

/** Directive of a user, whose lines are those of one setting. */
const USER = 'user';

interface Directive {
  readonly name: string;
  readonly words: readonly string[];
  /** File and line. */
  readonly where: string;
}

/** True for a file in the format of Redis: by its name, unless it has a section, as TOML does. */
export function isRedisFile(file: string): boolean {
  if (path.extname(file) !== '.conf') return false;
  try {
    return !/^[ \t]*\[/m.test(readFileSync(file, 'latin1'));
  } catch {
    return true;
  }
}

/** Reads the settings of a file; `shownAs` is its name in messages. */
export function takeRedisFile(gathered: Gathered, file: string, shownAs: string): void {
  takeRedisText(gathered, textOf(gathered, file, shownAs), shownAs);
}

/** Reads the settings of a text in this format. */
export function takeRedisText(gathered: Gathered, text: string, shownAs: string): void {
  const directives = readDirectives(gathered, text, shownAs, 0);
  const namesByReason = new Map<string, string[]>();
  takeUsers(gathered, directives);
  for (const directive of lastOfEach(withClientCertificates(withRedisMeaning(directives)))) {
    if (directive.name === USER) continue;
    const reason = takeDirective(gathered, directive);
    if (reason === undefined) continue;
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), directive.name]);
  }
  if (namesByReason.size === 0) return;
  const list = [...namesByReason].map(
    ([reason, names]) => `${reason.replace(/\.$/, '')} (${names.join(', ')}).`,
  );
  gathered.warnings.push({
    event: 'directives-passed-over',
    severity: 'warn',
    message: `${shownAs}: some directives have no meaning here. ${list.join(' ')}`,
  });
}

/** Takes the users, a directive for each. */
function takeUsers(gathered: Gathered, directives: readonly Directive[]): void {
  const lines = new Map<string, string>();
  for (const { name: directive, words, where } of directives) {
    if (directive !== USER) continue;
    const [name, ...rules] = words;
    if (name === undefined) gathered.mistakes.push(`${where}: user needs a name`);
    else if (lines.has(name)) {
      gathered.mistakes.push(
        `${where}: Duplicate user found. A user can only be defined once in config files`,
      );
    } else lines.set(name, userLine(name, rules));
  }
  if (lines.size === 0) return;
  gathered.takeValue(USERS, [...lines.values()], 'file');
}

function readDirectives(
  gathered: Gathered,
  text: string,
  shownAs: string,
  depth: number,
): readonly Directive[] {
  return text.split('\n').flatMap((line, index): readonly Directive[] => {
    const where = `${shownAs}:${index + 1}`;
    if (/^\s*(#|$)/.test(line)) return [];
    const [name = '', ...words] = wordsOf(line) ?? [];
    if (name === '') {
      gathered.mistakes.push(`${where}: the quotes do not match`);
      return [];
    }
    if (name.toLowerCase() !== 'include') return [{ name: name.toLowerCase(), words, where }];
    if (depth === INCLUDE_DEPTH_MAX) {
      gathered.mistakes.push(`${where}: files include each other without end`);
      return [];
    }
    const included = words.flatMap((pattern) => filesLike(asText(pattern)));
    return included.flatMap((each) =>
      readDirectives(gathered, textOf(gathered, each, each), each, depth + 1),
    );
  });
}

function textOf(gathered: Gathered, file: string, shownAs: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    gathered.mistakes.push(`${shownAs}: cannot be read: ${(error as Error).message}`);
    return '';
  }
}

/** Text whose UTF-8 was read byte by byte. */
function asText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The files that a pattern stands for, in order; a pattern without stars is a name, there or not. */
function filesLike(pattern: string): readonly string[] {
  const folder = path.dirname(pattern);
  const last = Buffer.from(path.basename(pattern));
  if (!/[[*?]/.test(pattern)) return [pattern];
  try {
    const names = readdirSync(folder).filter((name) => globMatches(last, Buffer.from(name)));
    return names.sort().map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

/** The words of a line, as Redis splits it; undefined where quotes do not match. */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  const word = /\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\'|[^'])*)'|([^\s"']+))(?=\s|$)/y;
  const rest = line.trimEnd();
  while (word.lastIndex < rest.length) {
    const [, double, single, plain] = word.exec(rest) ?? [];
    if (double !== undefined) words.push(unescaped(double));
    else if (single !== undefined) words.push(single.replaceAll("\\'", "'"));
    else if (plain !== undefined) words.push(plain);
    else return undefined;
  }
  return words;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\x([\da-f]{2})|\\(.)/gi, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Gives directives the meaning that Redis gives them, where two names here are one matter, or one name is two. */
function withRedisMeaning(directives: readonly Directive[]): readonly Directive[] {
  const points = joined(directives.filter(({ name }) => name === 'save'));
  const savesNothing = points?.words.every((word) => word === '') === true;
  const dir = directives.findLast(({ name }) => name === 'dir')?.words[0];
  return directives.flatMap((directive): readonly Directive[] => {
    const { name, words } = directive;
    // Without its log Redis keeps its snapshots, which here need the log.
    if (name === 'appendonly' && words[0]?.toLowerCase() === 'no')
      return savesNothing ? [directive] : [];
    // Redis works in its data folder.
    const isPlace = PLACES.includes(name);
    const [place = ''] = words;
    if (!isPlace || dir === undefined || place === '' || path.isAbsolute(place)) return [directive];
    return [{ ...directive, words: [path.join(dir, place)] }];
  });
}

/** In Redis, TLS clients need a certificate unless the file allows them to have none. */
function withClientCertificates(directives: readonly Directive[]): readonly Directive[] {
  const port = directives.findLast(({ name }) => name === 'tls-port');
  if (port === undefined || port.words[0] === '0') return directives;
  if (directives.some(({ name }) => name === 'tls-auth-clients')) return directives;
  return [...directives, { ...port, name: 'tls-auth-clients', words: ['yes'] }];
}

/** The later line wins, but where lines add up. */
function lastOfEach(directives: readonly Directive[]): readonly Directive[] {
  const byTarget = new Map<Target | string, Directive[]>();
  for (const directive of directives) {
    const key = targets.get(directive.name) ?? directive.name;
    const others = adding.includes(directive.name) ? (byTarget.get(key) ?? []) : [];
    byTarget.set(key, [...others, directive]);
  }
  return [...byTarget.values()].map((each) => joined(each)!);
}

/** Lines that add up as one; an empty `save` takes back those before it. */
function joined(directives: readonly Directive[]): Directive | undefined {
  const last = directives.at(-1);
  if (last === undefined) return undefined;
  const from = directives.findLastIndex(({ words }) => words.length === 1 && words[0] === '');
  return { ...last, words: directives.slice(Math.max(0, from)).flatMap(({ words }) => words) };
}

/** Takes one directive, or answers why it is passed over. */
function takeDirective(gathered: Gathered, directive: Directive): string | undefined {
  const { name, where } = directive;
  const target = targets.get(name);
  const lack = lacking[name];
  if (lack !== undefined) gathered.mistakes.push(`${where}: ${name} is not allowed. ${lack}`);
  else if (target === undefined) return passOver(gathered, directive);
  else if (target.settings.length === 0) return takeConstant(gathered, directive);
  else takeSettings(gathered, directive, target);
  return undefined;
}

function passOver(gathered: Gathered, { name, where }: Directive): string | undefined {
  const reason = whyUnknown(name);
  if (reason !== undefined) return reason;
  const hint = closest(name, [...targets.keys(), ...redisNames]);
  gathered.unknown(`directive ${name}`, where, hint);
  return undefined;
}

function takeConstant(gathered: Gathered, { name, words, where }: Directive): string | undefined {
  const constant = constantNamed(name);
  if (constant === undefined || words.join(' ').toLowerCase() === constant.value) return undefined;
  if (constant.isReliedOn !== true) return constant.reason;
  gathered.mistakes.push(`${where}: ${name} is not allowed. ${constant.reason}`);
  return undefined;
}

function takeSettings(gathered: Gathered, { name, words, where }: Directive, target: Target): void {
  const bytes = words.join(' ');
  // Passwords are compared byte by byte; all else is text, as in TOML.
  const text = target.isSecret ? bytes : asText(bytes);
  try {
    for (const [setting, value] of target.assign(text)) {
      gathered.takeValue(setting, value, 'file');
    }
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const shown = target.isSecret ? '(hidden)' : text;
    gathered.mistakes.push(`${where}: ${name} ${shown} is not allowed: ${error.message}`);
  }
}

/** Line above those that a rewrite adds, in Redis' words. */
const REWRITE_HEAD = '# Generated by CONFIG REWRITE';

/** The text with other values for some names: the last line of a name is changed, those before go, and new ones are added. */
export function rewriteRedisFile(
  text: string,
  values: readonly { readonly name: string; readonly text: string }[],
  users?: readonly string[],
): string {
  let lines = text.replace(/\n$/, '').split('\n');
  if (users !== undefined) lines = withUsers(lines, users);
  for (const value of values) {
    const target = targets.get(value.name);
    const isMeant = (line: string): boolean => {
      const [name = ''] = /^\s*#/.test(line) ? [] : (wordsOf(line) ?? []);
      return name !== '' && targets.get(name.toLowerCase()) === target;
    };
    const last = lines.findLastIndex(isMeant);
    const written = `${value.name} ${quoted(value.text)}`;
    if (last === -1) {
      lines = [...lines, ...(lines.includes(REWRITE_HEAD) ? [] : [REWRITE_HEAD]), written];
    } else {
      lines = lines.flatMap((line, index) => {
        if (index === last) return [written];
        return isMeant(line) ? [] : [line];
      });
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Lines with other users in the place of those that they have. */
function withUsers(lines: readonly string[], users: readonly string[]): string[] {
  const isUser = (line: string): boolean => /^\s*user\s/i.test(line);
  const at = lines.findIndex(isUser);
  const written = users.map((user) => `${USER} ${user}`);
  const others = lines.filter((line) => !isUser(line));
  if (at === -1) return [...others, REWRITE_HEAD, ...written];
  return [...others.slice(0, at), ...written, ...others.slice(at)];
}

/** Words as they can be read again; text with anything unusual in quotes. */
function quoted(text: string): string {
  if (/^[^\s"'\\\p{Cc}]+( [^\s"'\\\p{Cc}]+)*$/u.test(text)) return text;
  const escaped = text.replaceAll(/["\\]/g, '\\$&').replaceAll(/\p{Cc}/gu, (char) => {
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}
