/** Rules of a user as sentences, for people. Patterns and names have a character for each byte, as the rules have. */

import type { UserRules } from '#acl';
import type { SelectorDetails } from '#commands';

/** Words of a kind of permission on keys, by the mark before the pattern. */
const KEY_MARKS: readonly (readonly [mark: string, words: string])[] = [
  ['%R~', 'reads'],
  ['%W~', 'writes'],
  ['~', 'reads and writes'],
];

export function rulesInWords(rules: UserRules): readonly string[] {
  const { commands, bytes } = rules.limits;
  return [
    loginWords(rules),
    ...selectorWords(rules.root),
    ...rules.others.flatMap((selector, index) =>
      selectorWords(selector).map((words) => `Or, by selector ${index + 1}: ${words}`),
    ),
    ...(commands > 0
      ? [`At most ${grouped(commands)} commands per second, all connections together.`]
      : []),
    ...(bytes > 0
      ? [`At most ${grouped(bytes)} bytes per second, in and out, all connections together.`]
      : []),
    ...(rules.skipsSanitizing ? ['Values of RESTORE are not inspected.'] : []),
  ];
}

function loginWords({ isEnabled, needsNoPassword, passwords }: UserRules): string {
  if (!isEnabled) return 'May not log in: it is off.';
  if (needsNoPassword) return 'May log in with any password.';
  if (passwords.length === 0) return 'May not log in: it has no password.';
  return passwords.length === 1
    ? 'May log in with its password.'
    : `May log in with any of its ${passwords.length} passwords.`;
}

/** A sentence each for the commands, keys and channels of a selector. */
function selectorWords(selector: SelectorDetails): readonly string[] {
  return [
    `Commands: ${commandWords(selector.commandRules)}.`,
    `Keys: ${keyWords(selector.keyRules)}.`,
    `Channels: ${channelWords(selector.channelRules)}.`,
  ];
}

/** Rules count in their order: `-@all +@read -keys` is none, then with @read, then without keys. */
function commandWords(rules: string): string {
  const [first, ...others] = rules.split(' ');
  const steps: { sign: string; names: string[] }[] = [];
  for (const rule of others) {
    const sign = rule[0]!;
    const last = steps.at(-1);
    if (last?.sign === sign) last.names.push(rule.slice(1));
    else steps.push({ sign, names: [rule.slice(1)] });
  }
  const all = first === '+@all' ? 'all' : 'none';
  return [
    all,
    ...steps.map(
      ({ sign, names }) => `then ${sign === '+' ? 'with' : 'without'} ${names.join(', ')}`,
    ),
  ].join('; ');
}

function keyWords(rules: string): string {
  if (rules === '') return 'none';
  if (rules === '~*') return 'all';
  const patterns = rules.split(' ');
  const byMark = KEY_MARKS.map(([mark, words]) => {
    const of = patterns.filter((pattern) => pattern.startsWith(mark));
    return of.length === 0
      ? ''
      : `${words} ${of.map((each) => each.slice(mark.length)).join(', ')}`;
  });
  return byMark.filter((words) => words !== '').join('; ');
}

function channelWords(rules: string): string {
  if (rules === '') return 'none';
  if (rules === '&*') return 'all';
  return rules
    .split(' ')
    .map((rule) => rule.slice(1))
    .join(', ');
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
