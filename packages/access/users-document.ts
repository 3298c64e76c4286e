/** Users with their permissions and statistics, and the latest denials, for the debug API. */

import { fromLatin1, readable } from '#base';
import { DEFAULT_USER, type User } from '#acl';
import type { DenialReport, UserFigures, UserReport, UsersDocument } from '#api-types';
import { USER_QUANTITIES } from '#quantities';
import type { UserCounts } from '#stats';
import type { Client } from '#router';
import { beginningAsText, mapInTurns } from '#main';
import type { Access } from './access.ts';
import { rulesInWords } from './rules-in-words.ts';

/** Users described before others get their turn. */
const USERS_AT_ONCE = 200;
/** Maximum number of client ids reported for one user. */
const CLIENTS_MAX = 100;
const DENIALS_MAX = 128;
const OBJECT_BYTES_MAX = 1_024;
const HIDDEN = '#(hidden)';

const NO_FIGURES = Object.fromEntries(
  USER_QUANTITIES.map(({ api }) => [api.split('.')[0], null]),
) as { readonly [name in keyof UserFigures]: null };

/** `clients` are all connected clients, oldest first; `count` is the maximum number of users in the document. */
export async function usersDocument(
  access: Access,
  clients: readonly Client[],
  count: number,
): Promise<UsersDocument> {
  const { own, others } = access.counts();
  const { all } = access.users;
  const commandsOf = ({ name }: User): number =>
    name === DEFAULT_USER ? Infinity : (own.get(name)?.commands ?? -1);
  const chosen = all
    .toSorted((a, b) => (commandsOf(a) === commandsOf(b) ? 0 : commandsOf(b) - commandsOf(a)))
    .slice(0, count);
  const idsOf = clientsByUser(clients);
  return {
    users: await mapInTurns(chosen, USERS_AT_ONCE, (user) =>
      userReport(user, own.get(user.name), idsOf.get(user) ?? []),
    ),
    defined: all.length,
    others: others === undefined ? null : figuresOf(others),
    denials: access.log.entries.slice(0, DENIALS_MAX).map(denialReport),
  };
}

function clientsByUser(clients: readonly Client[]): ReadonlyMap<User, readonly number[]> {
  const ids = new Map<User, number[]>();
  for (const { session, id } of clients) {
    const { identity } = session;
    const known = ids.get(identity);
    if (known === undefined) ids.set(identity, [id]);
    else if (known.length < CLIENTS_MAX) known.push(id);
  }
  return ids;
}

function userReport(
  { name, rules }: User,
  counts: UserCounts | undefined,
  clients: readonly number[],
): UserReport {
  const { commands, bytes } = rules.limits;
  return {
    name: textOf(name),
    flags: rules.flags,
    rules: textOf(withoutPasswords(rules.description)),
    rules_in_words: rulesInWords(rules).map(textOf),
    ...(counts === undefined ? NO_FIGURES : figuresOf(counts)),
    limits: { commands_per_sec: commands || null, bytes_per_sec: bytes || null },
    clients,
  };
}

/** No pattern begins as a password does: each has its mark before it. */
function withoutPasswords(rules: string): string {
  return rules
    .split(' ')
    .map((rule) => (rule.startsWith('#') ? HIDDEN : rule))
    .join(' ');
}

/** Counts at the paths that they have in the report. */
function figuresOf(counts: UserCounts): UserFigures {
  const figures: Record<string, number | Record<string, number>> = {};
  for (const { api, field } of USER_QUANTITIES) {
    const [name = '', part] = api.split('.');
    const value = Math.round(counts[field]);
    if (part === undefined) figures[name] = value;
    else
      figures[name] = { ...(figures[name] as Record<string, number> | undefined), [part]: value };
  }
  return figures as unknown as UserFigures;
}

function denialReport(entry: Access['log']['entries'][number]): DenialReport {
  return {
    id: entry.id,
    reason: entry.reason,
    context: entry.context,
    object: objectText(entry.object),
    user: textOf(entry.user),
    count: entry.count,
    client: textOf(entry.client),
    created_time_ms: entry.createdMs,
    updated_time_ms: entry.updatedMs,
  };
}

function objectText(object: string): string {
  if (object.length <= OBJECT_BYTES_MAX) return textOf(object);
  return beginningAsText(fromLatin1(object.slice(0, OBJECT_BYTES_MAX))).key;
}

/** A text that has a character for each byte. */
function textOf(bytes: string): string {
  return readable(fromLatin1(bytes));
}
