/** Rows of a page for users: the counts of each user in the thread of the page. */

import { USER_QUANTITIES, type UserFieldName } from '#quantities';

/** Fields of a user's row by their names. */
export const UserField = Object.fromEntries(
  USER_QUANTITIES.map(({ field }, index) => [field, index]),
) as Readonly<Record<UserFieldName, number>>;
export const USER_FIELDS = USER_QUANTITIES.length;

/** Fields that CONFIG RESETSTAT sets back. */
export const USER_RESETS: readonly number[] = USER_QUANTITIES.filter(
  ({ kind }) => kind === 'counter',
).map(({ field }) => UserField[field]);

/**
 * Row of the default user. It is not counted: what is not another user's is its own. Of bytes, main has the totals there as
 * they were when they were last shared out among users.
 */
export const DEFAULT_USER_ROW = 0;
/** Row of all users for whom there is no row of their own, and of names that no user has. */
export const OTHER_USERS_ROW = 1;
/** Users with rows of their own, the two above included. */
export const USER_ROWS = 1_024;
