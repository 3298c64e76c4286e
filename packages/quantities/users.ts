/** Quantities of users: what is counted for each, in a row of each thread's page. Those of all users add up to the server's. */

import type { Counter } from './table.ts';

/** One thing that is counted for each user. */
export interface UserQuantity {
  /** Field of a user's row, and of its counts. */
  readonly field: string;
  /** A counter only grows, but for CONFIG RESETSTAT. */
  readonly kind: 'counter' | 'gauge';
  /** Times are counted in ticks and reported in microseconds, by metrics in seconds. */
  readonly unit?: 'us' | 'bytes';
  /**
   * Total over all users on a page: a counter, the times of all commands, or the default user's row, where main leaves
   * the bytes that were shared out among users. The rest that no other user has belongs to the default user.
   */
  readonly total: Counter | 'command-times' | 'default-row';
  /** Threads whose pages have that total. */
  readonly by: 'main' | 'all';
  /** Metric with the label `user`; several rows may be samples of one, distinguished by another label. */
  readonly metric: string;
  readonly label?: readonly [name: string, value: string];
  /** Help of the metric, one sentence. */
  readonly help: string;
  /** Field of ACL STATS. */
  readonly stats: string;
  /** Path in the report of a user: `denied.auth`. */
  readonly api: string;
}

const DENIED = {
  kind: 'counter',
  by: 'all',
  metric: 'svc_user_denied_total',
  help: 'Denials by user and reason: failed logins, and commands, keys and channels that the user may not use.',
} as const;

const LIMITED = {
  kind: 'counter',
  by: 'main',
  metric: 'svc_user_limited_total',
  help: 'Commands refused by a rate limit, by user and limit.',
} as const;

/** In the order of ACL STATS and of the report. */
export const USER_QUANTITIES = [
  {
    field: 'connections',
    kind: 'gauge',
    total: 'connections',
    by: 'main',
    metric: 'svc_user_connections',
    help: 'Open client connections, by user.',
    stats: 'connections',
    api: 'connections',
  },
  {
    field: 'commands',
    kind: 'counter',
    total: 'commands',
    by: 'main',
    metric: 'svc_user_commands_total',
    help: 'Executed commands, by user.',
    stats: 'commands',
    api: 'commands',
  },
  {
    field: 'errors',
    kind: 'counter',
    total: 'errors',
    by: 'all',
    metric: 'svc_user_errors_total',
    help: 'Error replies, by user.',
    stats: 'errors',
    api: 'errors',
  },
  {
    field: 'timeUs',
    kind: 'counter',
    unit: 'us',
    total: 'command-times',
    by: 'all',
    metric: 'svc_user_seconds_total',
    help: 'Execution time of commands, by user.',
    stats: 'time-us',
    api: 'time_us',
  },
  {
    field: 'bytesIn',
    kind: 'counter',
    unit: 'bytes',
    total: 'default-row',
    by: 'main',
    metric: 'svc_user_input_bytes_total',
    help: 'Bytes read from clients, by user.',
    stats: 'bytes-in',
    api: 'bytes_in',
  },
  {
    field: 'bytesOut',
    kind: 'counter',
    unit: 'bytes',
    total: 'default-row',
    by: 'main',
    metric: 'svc_user_output_bytes_total',
    help: 'Bytes written to clients, by user.',
    stats: 'bytes-out',
    api: 'bytes_out',
  },
  {
    ...DENIED,
    field: 'deniedAuth',
    total: 'aclDeniedAuth',
    label: ['reason', 'auth'],
    stats: 'denied-auth',
    api: 'denied.auth',
  },
  {
    ...DENIED,
    field: 'deniedCommand',
    total: 'aclDeniedCommand',
    label: ['reason', 'command'],
    stats: 'denied-command',
    api: 'denied.command',
  },
  {
    ...DENIED,
    field: 'deniedKey',
    total: 'aclDeniedKey',
    label: ['reason', 'key'],
    stats: 'denied-key',
    api: 'denied.key',
  },
  {
    ...DENIED,
    field: 'deniedChannel',
    total: 'aclDeniedChannel',
    label: ['reason', 'channel'],
    stats: 'denied-channel',
    api: 'denied.channel',
  },
  {
    ...LIMITED,
    field: 'limitedCommands',
    total: 'limitedCommands',
    label: ['limit', 'commands'],
    stats: 'limited-commands',
    api: 'limited.commands',
  },
  {
    ...LIMITED,
    field: 'limitedBytes',
    total: 'limitedBytes',
    label: ['limit', 'bytes'],
    stats: 'limited-bytes',
    api: 'limited.bytes',
  },
] as const satisfies readonly UserQuantity[];

type Row = (typeof USER_QUANTITIES)[number];

export type UserFieldName = Row['field'];

/** Paths in the report of a user. */
export type UserPath = Row['api'];
