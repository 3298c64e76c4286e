/** Counts of each existing user, and of all others together, from the rows of the threads. */

import { DEFAULT_USER, type Users } from '#acl';
import {
  defaultUserCounts,
  noUserCounts,
  OTHER_USERS_ROW,
  plusUserCounts,
  type UserCounts,
  userCountsOfRow,
  type UserPages,
} from '#stats';
import type { UserRows } from './user-rows.ts';

export interface CountedUsers {
  /** Counts by the name of the user, in the order of names; users without counts of their own are not there. */
  readonly own: ReadonlyMap<string, UserCounts>;
  /** Counts of all other users together, including deleted ones; undefined if there are none. */
  readonly others: UserCounts | undefined;
}

export function countedUsers(users: Users, rows: UserRows, pages: UserPages): CountedUsers {
  const left = new Set(rows.taken);
  const own = new Map<string, UserCounts>();
  for (const { name, row } of users.all) {
    if (name === DEFAULT_USER) own.set(name, defaultUserCounts(pages));
    else if (row !== OTHER_USERS_ROW) own.set(name, userCountsOfRow(row, pages));
    if (row !== OTHER_USERS_ROW) left.delete(row);
  }
  const others = [...left]
    .map((row) => userCountsOfRow(row, pages))
    .reduce((sum, counts) => plusUserCounts(sum, counts), noUserCounts());
  const areThere = users.all.some(({ row }) => row === OTHER_USERS_ROW);
  const haveCounts = Object.values(others).some((value) => value > 0);
  return { own, others: areThere || haveCounts ? others : undefined };
}
