/**
 * Determines from a script's source whether it can only access its declared keys: each call names its command by a
 * constant string, and its key by `KEYS[n]`. Such a script needs no other shard, and so no barrier. Other scripts may
 * be harmless as well, but run alone.
 */

import { commandTable } from '#commands';

/** Names by which a script could get at functions or keys in ways that its text does not show. */
const OPAQUE = new Set(['loadstring', 'load', 'getfenv', 'setfenv', '_G', 'server']);
/** Fields of `redis` that touch no keys. */
const HARMLESS = new Set([
  ...['error_reply', 'status_reply', 'sha1hex', 'log', 'setresp', 'replicate_commands', 'set_repl'],
  ...['LOG_DEBUG', 'LOG_VERBOSE', 'LOG_NOTICE', 'LOG_WARNING', 'REPL_ALL', 'REPL_NONE', 'REPL_AOF'],
]);
/** Commands without keys that a shard executes itself. */
const KEYLESS = new Set(['TIME', 'ECHO', 'PING']);

const TOKEN =
  /\s+|--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[A-Za-z_]\w*|\d[\w.]*|==|~=|[<>]=|\.\.\.?|[\s\S]/y;
/** A longer source is not looked at. */
const SOURCE_LENGTH_MAX = 64 * 1024;

/** True when the script can only access its declared keys. */
export function staysOnItsKeys(source: string): boolean {
  if (source.length > SOURCE_LENGTH_MAX) return false;
  const tokens = tokensOf(source);
  return tokens.every((token, nth) => {
    if (OPAQUE.has(token)) return false;
    // A field of a table may have the name.
    if (token === 'redis') return isHarmless(tokens, nth);
    return token !== 'KEYS' || isRead(tokens, nth);
  });
}

/** Tokens that have a meaning: no comments and no white space. */
function tokensOf(source: string): readonly string[] {
  const text = source.startsWith('#!') ? source.slice(source.indexOf('\n') + 1) : source;
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    if (token.trim() !== '' && !token.startsWith('--')) tokens.push(token);
  }
  return tokens;
}

/** True when `KEYS` is indexed or counted at a place, and not changed or given away. */
function isRead(tokens: readonly string[], nth: number): boolean {
  if (tokens[nth - 1] === '#') return tokens[nth + 1] !== '[';
  if (tokens[nth + 1] !== '[') return false;
  let depth = 0;
  let end = nth + 1;
  do {
    if (tokens[end] === '[') depth += 1;
    if (tokens[end] === ']') depth -= 1;
    end += 1;
  } while (depth > 0 && end < tokens.length);
  // In a list of targets as well.
  return tokens[end] !== '=' && tokens[end] !== ',' ? true : isInCall(tokens, nth);
}

/** True when the place is behind a bracket of a call that is open there: then a comma separates arguments. */
function isInCall(tokens: readonly string[], nth: number): boolean {
  let depth = 0;
  for (let at = nth - 1; at >= 0 && tokens[at] !== ';'; at -= 1) {
    if (tokens[at] === ')' || tokens[at] === '}') depth += 1;
    if (tokens[at] !== '(' && tokens[at] !== '{') continue;
    if (depth === 0) return true;
    depth -= 1;
  }
  return false;
}

/** True when the use of `redis` at a position accesses no keys, or a declared one. */
function isHarmless(tokens: readonly string[], nth: number): boolean {
  const [dot, field = '', open, command = '', comma] = tokens.slice(nth + 1);
  if (dot !== '.') return false;
  if (HARMLESS.has(field)) return true;
  if ((field !== 'call' && field !== 'pcall') || open !== '(' || !/^["']\w+["']$/.test(command)) {
    return false;
  }
  const name = command.slice(1, -1).toUpperCase();
  return KEYLESS.has(name) || (comma === ',' && isDeclaredKey(name, tokens.slice(nth + 6)));
}

/** True when the arguments after a command's name start with a declared key, and it takes no other. */
function isDeclaredKey(
  name: string,
  [keys, left, index = '', right, after]: readonly string[],
): boolean {
  if (keys !== 'KEYS' || left !== '[' || !/^\w+$/.test(index) || right !== ']') return false;
  return (after === ',' || after === ')') && takesOneKey(name, after);
}

/** True when the command has one key, its first argument; `after` is the token behind that. */
function takesOneKey(name: string, after: string): boolean {
  const entry = commandTable.byName(name);
  if (entry === undefined || entry.otherKeys !== undefined || !entry.hasKeys) return false;
  if (entry.firstArgumentIsKey) return entry.route === 'oneShard' || entry.route === 'byKey';
  // DEL, EXISTS and their like with one key.
  return entry.route === 'byKey' && after === ')';
}
