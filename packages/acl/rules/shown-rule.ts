/** Rules as logs and files' errors may show them. */

/**
 * A rule without secrets: of passwords and hashes the mark alone, of a selector its beginning. Undefined for another word,
 * which may be a part of a password that has spaces.
 */
export function shownRule(rule: string): string | undefined {
  if (/^([-+~%&]|ratelimit:)/i.test(rule)) return rule;
  if (/^[<>#!]/.test(rule)) return `${rule[0]!}(redacted)`;
  if (!rule.startsWith('(')) return undefined;
  const [first = ''] = rule.slice(1).split(' ', 1);
  return `(${shownRule(first) ?? ''}...`;
}
