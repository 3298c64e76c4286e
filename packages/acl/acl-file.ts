/** Files of users: a line `user NAME RULE ...` for each, as Redis writes and reads them. Each character is a byte. */

import { mergeSelectors } from './rules/merge-selectors.ts';
import { RuleError } from './rules/rule-faults.ts';
import { hasSpaces } from './rules/selector.ts';
import { shownRule } from './rules/shown-rule.ts';
import type { UserRules } from './rules/user-rules.ts';

interface ReadOptions {
  /** Names the file in messages. */
  readonly file: string;
  /** Makes rules of a new user. */
  readonly newRules: () => UserRules;
}

/** Users of a file, by name; or all that is wrong with it, in Redis' words with the rule after them. */
type ReadUsers = { readonly users: ReadonlyMap<string, UserRules> } | { readonly mistakes: string };

const UNCHANGED =
  'WARNING: ACL errors detected, no change to the previously active ACL rules was performed';

export function readAclFile(text: string, options: ReadOptions): ReadUsers {
  const users = new Map<string, UserRules>();
  const mistakes: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    if (trimmed !== '') mistakes.push(...readLine(trimmed, index + 1, users, options));
  }
  if (mistakes.length > 0) return { mistakes: mistakes.join('') + UNCHANGED };
  return { users };
}

/** Reads one line into `users`, or answers what is wrong with it. */
function readLine(
  line: string,
  number: number,
  users: Map<string, UserRules>,
  { file, newRules }: ReadOptions,
): readonly string[] {
  const where = `${file}:${number}`;
  const [head, name, ...words] = line.split(' ');
  if (head !== 'user' || name === undefined) {
    return [`${where} should start with user keyword followed by the username. `];
  }
  if (hasSpaces(name)) {
    return [`'${where}: username '${name}' contains invalid characters. `];
  }
  if (users.has(name)) {
    return [`${where}: WARNING: Duplicate user '${name}' found on line ${number}. `];
  }
  const merged = mergeSelectors(words);
  if ('unmatched' in merged) {
    const start = shownRule(merged.unmatched)!;
    return [`${where}: Unmatched parenthesis in selector definition (it begins with '${start}'). `];
  }
  const rules = newRules();
  users.set(name, rules);
  return applyAll(rules, merged.rules, where);
}

function applyAll(rules: UserRules, words: readonly string[], where: string): readonly string[] {
  const mistakes: string[] = [];
  let isBroken = false;
  for (const [index, word] of words.entries()) {
    const rule = word.replaceAll(/^[\t\r\n]+|[\t\r\n]+$/g, '');
    try {
      rules.apply(rule);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      if (error.fault === 'unknown') {
        mistakes.push(`${where}: Error in applying operation '${rule}': ${error.message}. `);
      } else if (!isBroken) {
        // Those after the first may only follow from it.
        isBroken = true;
        mistakes.push(`${where}: ${error.message} (${placeOf(rule, index)}). `);
      }
    }
  }
  return mistakes;
}

function placeOf(rule: string, index: number): string {
  const shown = shownRule(rule);
  return `rule ${index + 1}${shown === undefined ? '' : `: '${shown}'`}`;
}

/** Text of a file with users in their order. */
export function aclFileOf(
  users: Iterable<{ readonly name: string; readonly rules: UserRules }>,
): string {
  return [...users].map(({ name, rules }) => `user ${name} ${rules.line}\n`).join('');
}
