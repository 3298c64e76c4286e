/** Times to live of keys. */

import { oneShard, type OneShardCommand } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import {
  MILLISECONDS,
  SECONDS,
  UNIX_MILLISECONDS,
  UNIX_SECONDS,
  type TimeForm,
} from './time-forms.ts';
import { peekToRead } from '../../elements/lookup.ts';

function lifetime(
  name: string,
  since: string,
  { unitMs, absolute }: TimeForm,
  summary: string,
): OneShardCommand {
  return oneShard({
    name,
    summary,
    since,
    complexity: 'O(1)',
    group: 'generic',
    arity: 2,
    flags: ['readonly', 'fast'],
    keys: oneKey('RO', 'access'),
    leavesValues: true,
    args: [{ name: 'key', type: 'key' }],
    ...(absolute
      ? {}
      : {
          tips: ['nondeterministic_output'],
          history: [['2.8.0', 'The reply for a missing key is -2.']] as const,
        }),
    run(context, args) {
      const ref = peekToRead(context, args, 1);
      const expireAt = ref === 0 ? MISSING : context.keyspace.expireAt(ref);
      if (expireAt < 0) {
        context.reply.integer(expireAt);
        return;
      }
      const value = Math.max(absolute ? expireAt : expireAt - context.nowMs, 0);
      context.reply.integer(unitMs === 1000 ? Math.floor((value + 500) / 1000) : value);
    },
  });
}

/** The reply for a key that does not exist; -1 stands for one without an end. */
const MISSING = -2;

const ttl = lifetime('TTL', '1.0.0', SECONDS, 'Returns the time to live of a key, in seconds.');
const pttl = lifetime(
  'PTTL',
  '2.6.0',
  MILLISECONDS,
  'Returns the time to live of a key, in milliseconds.',
);
const expiretime = lifetime(
  'EXPIRETIME',
  '7.0.0',
  UNIX_SECONDS,
  'Returns the expiry of a key as Unix time in seconds.',
);
const pexpiretime = lifetime(
  'PEXPIRETIME',
  '7.0.0',
  UNIX_MILLISECONDS,
  'Returns the expiry of a key as Unix time in milliseconds.',
);

export const keyLifetimes = [ttl, pttl, expiretime, pexpiretime];
