/** Rows of a page for users: what each has done, as far as the thread of the page counts it. */

/** Fields of a user's row. Connections are a gauge; the others only grow. */
export const UserField = {
  commands: 0,
  errors: 1,
  ticks: 2,
  bytesIn: 3,
  bytesOut: 4,
  deniedAuth: 5,
  deniedCommand: 6,
  deniedKey: 7,
  deniedChannel: 8,
  limitedCommands: 9,
  limitedBytes: 10,
  connections: 11,
} as const;
export const USER_FIELDS = 12;

/**
 * Row of the default user. It is not counted: what is not another user's is its own. Of bytes, main has the totals there as
 * they were when they were last shared out among users.
 */
export const DEFAULT_USER_ROW = 0;
/** Row of all users for whom there is no row of their own, and of names that no user has. */
export const OTHER_USERS_ROW = 1;
/** Users with rows of their own, the two above included. */
export const USER_ROWS = 1_024;
