/** Times to live of keys. */

import { oneShard, type OneShardCommand } from '../../definition.ts';
import { oneKey } from '../../keys.ts';
import { peekToRead } from '../lookup.ts';

interface Kind {
  name: string;
  summary: string;
  since: string;
  inSeconds: boolean;
  absolute: boolean;
}

function lifetime({ name, summary, since, inSeconds, absolute }: Kind): OneShardCommand {
  return oneShard({
    name,
    summary,
    since,
    complexity: 'O(1)',
    group: 'generic',
    arity: 2,
    flags: ['readonly', 'fast'],
    keys: oneKey('RO', 'access'),
    args: [{ name: 'key', type: 'key' }],
    ...(absolute
      ? {}
      : {
          tips: ['nondeterministic_output'],
          history: [['2.8.0', 'A missing key is answered with -2.']] as const,
        }),
    run(context, args) {
      const ref = peekToRead(context, args, 1);
      const expireAt = ref === 0 ? MISSING : context.keyspace.expireAt(ref);
      if (expireAt < 0) {
        context.reply.integer(expireAt);
        return;
      }
      const value = Math.max(absolute ? expireAt : expireAt - context.nowMs, 0);
      context.reply.integer(inSeconds ? Math.floor((value + 500) / 1000) : value);
    },
  });
}

/** The reply for a key that does not exist; -1 stands for one without an end. */
const MISSING = -2;

const ttl = lifetime({
  name: 'TTL',
  summary: 'Answers how many seconds a key has to live.',
  since: '1.0.0',
  inSeconds: true,
  absolute: false,
});

const pttl = lifetime({
  name: 'PTTL',
  summary: 'Answers how many milliseconds a key has to live.',
  since: '2.6.0',
  inSeconds: false,
  absolute: false,
});

const expiretime = lifetime({
  name: 'EXPIRETIME',
  summary: 'Answers when a key ends, in seconds of Unix time.',
  since: '7.0.0',
  inSeconds: true,
  absolute: true,
});

const pexpiretime = lifetime({
  name: 'PEXPIRETIME',
  summary: 'Answers when a key ends, in milliseconds of Unix time.',
  since: '7.0.0',
  inSeconds: false,
  absolute: true,
});

export const keyLifetimes = [ttl, pttl, expiretime, pexpiretime];
