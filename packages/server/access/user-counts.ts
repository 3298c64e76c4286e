/** Counts of users, read from the pages of all threads. The default user's are what is left of the totals. */

import type { UserCounts } from '#commands';
import { OTHER_USERS_ROW, TICKS_PER_US, UserField, type Page } from '#stats';
import { commandTable } from '#commands';
import { DEFAULT_USER, type Users } from '#acl';
import type { UserRows } from './user-rows.ts';

/** Stands for all users without counts of their own, and those who are gone. No user can be called so. */
const OTHER_USERS = '(others)';

type Field = keyof UserCounts;
type Mutable = { -readonly [name in Field]: number };

const FIELDS: readonly (readonly [name: Field, field: number])[] = [
  ['connections', UserField.connections],
  ['commands', UserField.commands],
  ['errors', UserField.errors],
  ['timeUs', UserField.ticks],
  ['bytesIn', UserField.bytesIn],
  ['bytesOut', UserField.bytesOut],
  ['deniedAuth', UserField.deniedAuth],
  ['deniedCommand', UserField.deniedCommand],
  ['deniedKey', UserField.deniedKey],
  ['deniedChannel', UserField.deniedChannel],
  ['limitedCommands', UserField.limitedCommands],
  ['limitedBytes', UserField.limitedBytes],
];

interface UserCountsOptions {
  readonly users: Users;
  readonly rows: UserRows;
  readonly main: Page;
  readonly shards: readonly Page[];
}

/** Counts by user, in the order of their names; the others behind them where there are any. */
export function userCounts(options: UserCountsOptions): ReadonlyMap<string, UserCounts> {
  const { users, rows, main, shards } = options;
  const pages = [main, ...shards];
  const rest = totals(main, pages);
  const others = zero();
  const own = new Map<number, UserCounts>();
  for (const row of rows.taken) {
    const counts = ofRow(row, pages);
    own.set(row, counts);
    add(rest, counts, -1);
  }
  const counts = new Map<string, UserCounts>();
  for (const user of users.all) {
    if (user.name === DEFAULT_USER) counts.set(user.name, rest);
    else if (user.row !== OTHER_USERS_ROW) counts.set(user.name, own.get(user.row)!);
    own.delete(user.row);
  }
  const hasOthers = users.all.some(({ row }) => row === OTHER_USERS_ROW);
  // Those that are left belong to nobody who is there.
  for (const left of own.values()) add(others, left, 1);
  if (hasOthers) add(others, ofRow(OTHER_USERS_ROW, pages), 1);
  if (hasOthers || Object.values(others).some((value) => value > 0)) {
    counts.set(OTHER_USERS, others);
  }
  return counts;
}

function zero(): Mutable {
  return Object.fromEntries(FIELDS.map(([name]) => [name, 0])) as Mutable;
}

function add(to: Mutable, counts: UserCounts, sign: 1 | -1): void {
  for (const [name] of FIELDS) to[name] += sign * counts[name];
}

function ofRow(row: number, pages: readonly Page[]): UserCounts {
  const counts = zero();
  for (const [name, field] of FIELDS) {
    for (const page of pages) counts[name] += page.user(row, field);
  }
  counts.timeUs /= TICKS_PER_US;
  return counts;
}

/** Counts of the whole server, as other surfaces tell them. */
function totals(main: Page, pages: readonly Page[]): Mutable {
  const sum = (counter: Parameters<Page['get']>[0]): number =>
    pages.reduce((total, page) => total + page.get(counter), 0);
  let ticks = 0;
  for (const { id } of commandTable.entries) {
    for (const page of pages) ticks += page.command(id, 'ticks');
  }
  return {
    connections: main.get('connections'),
    commands: main.get('commands'),
    errors: sum('errors'),
    timeUs: ticks / TICKS_PER_US,
    bytesIn: main.get('bytesRead'),
    bytesOut: main.get('bytesWritten'),
    deniedAuth: sum('aclDeniedAuth'),
    deniedCommand: sum('aclDeniedCommand'),
    deniedKey: sum('aclDeniedKey'),
    deniedChannel: sum('aclDeniedChannel'),
    limitedCommands: main.get('limitedCommands'),
    limitedBytes: main.get('limitedBytes'),
  };
}
