/** Users that the settings and the ACL file name, as a start takes them and --check-config judges them. */

import { DEFAULT_USER, Users } from '#acl';
import { CommandError } from '#base';
import type { Settings } from '#config';
import { readAclAtStart } from './acl-storage.ts';

/** Sets the initial users; throws an error with the fault and its file and line, or its user. */
export function takeInitialUsers(users: Users, settings: Settings): void {
  const file = settings.string('security.acl-file');
  const lines = settings.list('security.users');
  if (file !== '' && lines.length > 0) {
    throw new Error(
      'security.acl-file and security.users cannot both be set: name users in the ACL file, or in the configuration',
    );
  }
  const password = settings.string('security.requirepass');
  if (password !== '') users.setDefaultPassword(password);
  for (const line of lines) takeLine(users, line);
  if (file === '') return;
  const mistakes = users.load(readAclAtStart(file), file);
  if (mistakes !== undefined) throw new Error(mistakes);
}

function takeLine(users: Users, line: string): void {
  const [name = '', ...rules] = line.split(' ');
  try {
    users.set(name, name === DEFAULT_USER ? ['reset', ...rules] : rules);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // Without its cause, which shows the rule.
    throw new Error(`security.users: user ${name}: ${reasonOf(error, rules)}`);
  }
}

/** Returns the error of invalid rules. An invalid word may be a part of a password: it is identified by its position. */
function reasonOf({ text }: CommandError, rules: readonly string[]): string {
  const [, wrong, reason] = /^ERR Error in ACL SETUSER modifier '(.*)': (.*)$/s.exec(text) ?? [];
  if (wrong === undefined) return text.replace(/^ERR | starting at '.*'/gs, '');
  if (/^([-+~%&]|ratelimit:)/i.test(wrong)) return `rule '${wrong}': ${reason!}`;
  const place = rules.findIndex(
    (rule) => rule !== '' && (wrong.startsWith(rule) || (wrong[0] === '<' && rule[0] === '<')),
  );
  return `rule ${place + 1}: ${reason!}`;
}

/** True when new users may use every channel. */
export function allowsAllChannels(settings: Settings): boolean {
  return settings.string('security.acl-pubsub-default') === 'allchannels';
}

/** Throws the error of a start that would fail. */
export function demandUsers(settings: Settings): void {
  const users = new Users({ allowsAllChannels: () => allowsAllChannels(settings), rowOf: () => 0 });
  takeInitialUsers(users, settings);
}
