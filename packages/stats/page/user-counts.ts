/** Counts of users, read from the pages of main and the shards. The default user's are what is left of the totals. */

import { TICKS_PER_US } from './histogram.ts';
import type { Page } from './page.ts';
import { DEFAULT_USER_ROW, OTHER_USERS_ROW, USER_ROWS, UserField } from './user-rows.ts';

/** Counts of a user. Connections are a gauge; the others only grow. */
export interface UserCounts {
  /** Open connections. */
  readonly connections: number;
  readonly commands: number;
  readonly errors: number;
  /** Time of its commands in microseconds. */
  readonly timeUs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly deniedAuth: number;
  readonly deniedCommand: number;
  readonly deniedKey: number;
  readonly deniedChannel: number;
  /** Commands refused by a rate limit, of commands and of bytes. */
  readonly limitedCommands: number;
  readonly limitedBytes: number;
}

/** Pages that users are counted on, and the commands that those count. */
export interface UserPages {
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly commandCount: number;
}

type Mutable = { -readonly [name in keyof UserCounts]: number };

const FIELDS: readonly (readonly [name: keyof UserCounts, field: number])[] = [
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

/** No counts at all. */
export function noUserCounts(): UserCounts {
  return Object.fromEntries(FIELDS.map(([name]) => [name, 0])) as Mutable;
}

/** The sum of counts, or their difference by the sign -1. */
export function plusUserCounts(one: UserCounts, other: UserCounts, sign: 1 | -1 = 1): UserCounts {
  const sum = Object.fromEntries(FIELDS.map(([name]) => [name, one[name] + sign * other[name]]));
  return sum as Mutable;
}

/** Counts of a user with a row of its own, over all threads. */
export function userCountsOfRow(row: number, { main, shards }: UserPages): UserCounts {
  return countsOnPages(row, [main, ...shards]);
}

function countsOnPages(row: number, pages: readonly Page[]): UserCounts {
  const counts = noUserCounts() as Mutable;
  for (const [name, field] of FIELDS) {
    for (const page of pages) counts[name] += page.user(row, field);
  }
  counts.timeUs /= TICKS_PER_US;
  return counts;
}

/**
 * Counts of the default user over all threads: what no row has of the totals. Rows are read behind the totals: what other
 * users do meanwhile is never taken for the default user's.
 */
export function defaultUserCounts(pages: UserPages): UserCounts {
  return [pages.main, ...pages.shards]
    .map((page) => defaultUserCountsOn(page, pages))
    .reduce((sum, counts) => plusUserCounts(sum, counts));
}

/** The same on one page. */
function defaultUserCountsOn(page: Page, pages: UserPages): UserCounts {
  return leftOf(userTotalsOn(page, pages), page);
}

function leftOf(totals: UserCounts, page: Page): UserCounts {
  const left = { ...totals };
  for (let row = OTHER_USERS_ROW; row < USER_ROWS; row += 1) {
    for (const [name, field] of FIELDS) {
      const value = page.user(row, field);
      left[name] -= name === 'timeUs' ? value / TICKS_PER_US : value;
    }
  }
  return left;
}

/** Counts of all users on one page. */
function userTotalsOn(page: Page, { main, commandCount }: UserPages): Mutable {
  const counts = noUserCounts() as Mutable;
  for (let id = 0; id < commandCount; id += 1) counts.timeUs += page.command(id, 'ticks');
  counts.timeUs /= TICKS_PER_US;
  counts.errors = page.get('errors');
  counts.deniedAuth = page.get('aclDeniedAuth');
  counts.deniedCommand = page.get('aclDeniedCommand');
  counts.deniedKey = page.get('aclDeniedKey');
  counts.deniedChannel = page.get('aclDeniedChannel');
  if (page !== main) return counts;
  counts.connections = page.get('connections');
  counts.commands = page.get('commands');
  // Of these, what was shared out among the users the last time.
  counts.bytesIn = page.user(DEFAULT_USER_ROW, UserField.bytesIn);
  counts.bytesOut = page.user(DEFAULT_USER_ROW, UserField.bytesOut);
  counts.limitedCommands = page.get('limitedCommands');
  counts.limitedBytes = page.get('limitedBytes');
  return counts;
}

interface Known {
  readonly totals: UserCounts;
  readonly counts: UserCounts;
}

/**
 * Counts of the default user for a thread that reads while others count: none ever shrinks unless they all begin anew
 * (CONFIG RESETSTAT). What is read in between is a little less than it was before, where other users were busy.
 */
export class DefaultUserReader {
  readonly #pages: UserPages;
  readonly #known = new Map<Page, Known>();

  constructor(pages: UserPages) {
    this.#pages = pages;
  }

  read(): UserCounts {
    const { main, shards } = this.#pages;
    return [main, ...shards]
      .map((page) => this.#readPage(page))
      .reduce((sum, counts) => plusUserCounts(sum, counts));
  }

  #readPage(page: Page): UserCounts {
    const totals = userTotalsOn(page, this.#pages);
    const now = leftOf(totals, page);
    const known = this.#known.get(page);
    const counts = noUserCounts() as Mutable;
    for (const [name] of FIELDS) {
      const hasBegunAnew = known === undefined || totals[name] < known.totals[name];
      const least = hasBegunAnew || name === 'connections' ? 0 : known.counts[name];
      counts[name] = Math.max(least, now[name]);
    }
    this.#known.set(page, { totals, counts });
    return counts;
  }
}
