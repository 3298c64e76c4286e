/** Quantities of users: denials, and commands refused by rate limits. */

import { MAIN_COUNTER, MAIN_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const DENIED = {
  by: 'all',
  kind: 'counter',
  resets: true,
  help: 'Denials by reason: failed logins, and commands, keys and channels that the user may not use.',
  metric: 'svc_acl_denied_total',
} as const;

const LIMITED = {
  ...MAIN_COUNTER,
  help: 'Commands refused by a rate limit of their user.',
  metric: 'svc_ratelimit_rejections_total',
} as const;

export const ACCESS_QUANTITIES = {
  denied: [
    {
      ...DENIED,
      counter: 'aclDeniedAuth',
      label: ['reason', 'auth'],
      info: 'acl_access_denied_auth',
      exporter: 'redis_acl_access_denied_auth_total',
    },
    {
      ...DENIED,
      counter: 'aclDeniedCommand',
      label: ['reason', 'command'],
      info: 'acl_access_denied_cmd',
      exporter: 'redis_acl_access_denied_cmd_total',
    },
    {
      ...DENIED,
      counter: 'aclDeniedKey',
      label: ['reason', 'key'],
      info: 'acl_access_denied_key',
      exporter: 'redis_acl_access_denied_key_total',
    },
    {
      ...DENIED,
      counter: 'aclDeniedChannel',
      label: ['reason', 'channel'],
      info: 'acl_access_denied_channel',
      exporter: 'redis_acl_access_denied_channel_total',
    },
  ],
  users: [{ ...MAIN_GAUGE, counter: 'users', help: 'Configured users.', metric: 'svc_acl_users' }],
  limitedUsers: [
    {
      ...MAIN_GAUGE,
      counter: 'limitedUsers',
      help: 'Users with a rate limit.',
      info: 'ratelimit_users_configured',
      metric: 'svc_ratelimit_users',
    },
  ],
  limited: [
    {
      ...LIMITED,
      counter: 'limitedCommands',
      label: ['limit', 'commands'],
      info: 'ratelimit_total_commands_rejected',
    },
    {
      ...LIMITED,
      counter: 'limitedBytes',
      label: ['limit', 'bytes'],
      info: 'ratelimit_total_bytes_rejected',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
