/** Counts of users, read from the pages of main and the shards. The default user's are what is left of the totals. */

import { USER_QUANTITIES, type UserFieldName, type UserQuantity } from '#quantities';
import { TICKS_PER_US } from './histogram.ts';
import type { Page } from './page.ts';
import { DEFAULT_USER_ROW, OTHER_USERS_ROW, USER_ROWS, UserField } from './user-rows.ts';

/** Counts of a user, over all threads. */
export type UserCounts = Readonly<Record<UserFieldName, number>>;

/** Pages that users are counted on, and the commands that those count. */
export interface UserPages {
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly commandCount: number;
}

type Mutable = Record<UserFieldName, number>;

const ROWS: readonly (UserQuantity & { readonly field: UserFieldName })[] = USER_QUANTITIES;

/** No counts at all. */
export function noUserCounts(): UserCounts {
  return Object.fromEntries(ROWS.map(({ field }) => [field, 0])) as Mutable;
}

/** The sum of counts, or their difference by the sign -1. */
export function plusUserCounts(one: UserCounts, other: UserCounts, sign: 1 | -1 = 1): UserCounts {
  const sum = Object.fromEntries(
    ROWS.map(({ field }) => [field, one[field] + sign * other[field]]),
  );
  return sum as Mutable;
}

/** Counts of a user with a row of its own, over all threads. */
export function userCountsOfRow(row: number, { main, shards }: UserPages): UserCounts {
  return countsOnPages(row, [main, ...shards]);
}

function countsOnPages(row: number, pages: readonly Page[]): UserCounts {
  const counts = noUserCounts() as Mutable;
  for (const quantity of ROWS) {
    for (const page of pages) counts[quantity.field] += rowValue(page, row, quantity);
  }
  return counts;
}

/** A field of a user's row, with times in microseconds. */
function rowValue(page: Page, row: number, { field, unit }: (typeof ROWS)[number]): number {
  const value = page.user(row, UserField[field]);
  return unit === 'us' ? value / TICKS_PER_US : value;
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

/** Returns the counts of the default user on one page. */
function defaultUserCountsOn(page: Page, pages: UserPages): UserCounts {
  return leftOf(userTotalsOn(page, pages), page);
}

function leftOf(totals: UserCounts, page: Page): UserCounts {
  const left = { ...totals };
  for (let row = OTHER_USERS_ROW; row < USER_ROWS; row += 1) {
    for (const quantity of ROWS) left[quantity.field] -= rowValue(page, row, quantity);
  }
  return left;
}

/** Counts of all users on one page. */
function userTotalsOn(page: Page, { main, commandCount }: UserPages): Mutable {
  const counts = noUserCounts() as Mutable;
  for (const { field, total, by } of ROWS) {
    if (by === 'main' && page !== main) continue;
    if (total === 'command-times') counts[field] = commandTimesUs(page, commandCount);
    else if (total === 'default-row') counts[field] = page.user(DEFAULT_USER_ROW, UserField[field]);
    else counts[field] = page.get(total);
  }
  return counts;
}

function commandTimesUs(page: Page, commandCount: number): number {
  let ticks = 0;
  for (let id = 0; id < commandCount; id += 1) ticks += page.command(id, 'ticks');
  return ticks / TICKS_PER_US;
}

interface Known {
  readonly totals: UserCounts;
  readonly counts: UserCounts;
}

/**
 * Counts of the default user for a thread that reads while others count: they never decrease, except when all are reset
 * (CONFIG RESETSTAT). A reading in between may be a little low while other users are busy.
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
    for (const { field, kind } of ROWS) {
      const hasRestarted = known === undefined || totals[field] < known.totals[field];
      const least = hasRestarted || kind === 'gauge' ? 0 : known.counts[field];
      counts[field] = Math.max(least, now[field]);
    }
    this.#known.set(page, { totals, counts });
    return counts;
  }
}
