/** For tests: a command line as arguments, and what rules say of it. */

import { Arguments, type CommandEntry, commandTable } from '#commands';
import { pointedAt } from '#testkit';
import { DEFAULT_USER } from '../user.ts';
import { denialText } from '../denials/denial-words.ts';
import { UserRules } from './user-rules.ts';
import { ALLOWED, indexOf } from '../verdict.ts';

interface Line {
  readonly entry: CommandEntry;
  readonly args: Arguments;
}

/** A line, divided at its blanks. */
function lineOf(line: string): Line {
  const words = line.split(' ');
  const entry =
    commandTable.byName(`${words[0]!}|${words[1] ?? ''}`) ?? commandTable.byName(words[0]!);
  if (entry === undefined) throw new Error(`${line} is no command`);
  return { entry, args: pointedAt(new Arguments(), words) };
}

/** Rules that a user has whose rules were set one after the other. */
export function rulesOf(...rules: readonly string[]): UserRules {
  const user = new UserRules(false);
  for (const rule of rules) user.apply(rule);
  return user;
}

/** OK, or why the line is denied. */
export function judged(rules: UserRules, line: string): string {
  const { entry, args } = lineOf(line);
  const verdict = rules.judge(entry, args);
  if (verdict === ALLOWED) return 'OK';
  return denialText(verdict, DEFAULT_USER, entry, args.latin1(indexOf(verdict)));
}
