/**
 * The kind of value that lists users: a line `NAME RULE ...` for each, in TOML a table with `name` and `rules`. Passwords in
 * plain text are hashed as soon as they are read.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { bytesOf, ValueError, type Kind } from './kinds.ts';

/** Setting of this kind. The server itself changes it (ACL SETUSER and its like do), and in TOML each user may be a table of its own. */
export const USERS = 'security.users';

const table = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[^\s\0]+$/)),
  rules: v.union([v.string(), v.array(v.string())]),
});

const ALLOWED =
  'tables with a name and rules, each name once: { name = "app", rules = "on >password ~app:* +@all" }';

export const users: Kind<readonly string[]> = {
  allowed: ALLOWED,
  schema: v.pipe(v.array(table), v.check(areDistinct), v.transform(linesOf)),
  parse(text) {
    const lines = text === '' ? [] : text.split('\n').map(lineOf);
    const names = lines.map((line) => line.split(' ', 1)[0]);
    if (new Set(names).size !== names.length) throw new ValueError('each user may be named once');
    return lines;
  },
  format: (lines) => lines.join('\n'),
  toml: (lines) => {
    const tables = lines.map((line) => {
      const [name = '', ...rules] = line.split(' ');
      return `{ name = ${quoted(name)}, rules = ${quoted(rules.join(' '))} }`;
    });
    return `[${tables.join(', ')}]`;
  },
  redact: (lines) => lines.map((line) => line.replaceAll(/ [#!][0-9a-f]{64}\b/g, ' #(hidden)')),
};

/** A line of a name and rules, as Redis' directive `user` has them. A character for each byte. */
export function userLine(name: string, rules: readonly string[]): string {
  return [name, ...rules.map(withoutPassword)].join(' ');
}

function lineOf(text: string): string {
  const [name, ...rules] = wordsOf(text);
  if (name === undefined) throw new ValueError('a user needs a name');
  return userLine(name, rules);
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[ \t]+/).filter((word) => word !== '');
}

function withoutPassword(rule: string): string {
  const mark = { '>': '#', '<': '!' }[rule.charAt(0)];
  if (mark === undefined) return rule;
  return mark + createHash('sha256').update(rule.slice(1), 'latin1').digest('hex');
}

type Tables = v.InferOutput<typeof table>[];

function areDistinct(tables: Tables): boolean {
  return new Set(tables.map(({ name }) => name)).size === tables.length;
}

function linesOf(tables: Tables): readonly string[] {
  return tables.map(({ name, rules }) => {
    const text = typeof rules === 'string' ? rules : rules.join(' ');
    return userLine(bytesOf(name), wordsOf(bytesOf(text)));
  });
}

function quoted(text: string): string {
  return JSON.stringify(Buffer.from(text, 'latin1').toString('utf8'));
}
