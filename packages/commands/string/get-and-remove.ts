/** GETDEL and GETEX: reading a string and deciding how long it lives on. */

import type { Ref } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { timeOptions } from '../keyspace/expiry/time-forms.ts';
import { changedAt, findString } from '../elements/lookup.ts';
import { StringOptions } from './expiry.ts';

const optionsScratch = new StringOptions();

const getdel = oneShard({
  name: 'GETDEL',
  summary: 'Returns the string value of a key and removes the key.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    const ref = findString(context, args, 1);
    if (ref === 0) {
      context.reply.nil();
      return;
    }
    answerValue(context, ref);
    remove(context, args, ref);
  },
});

const getex = oneShard({
  name: 'GETEX',
  summary: 'Returns the string value of a key and sets or removes its expiry.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'string',
  arity: -2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [...timeOptions, { name: 'persist', type: 'pure-token', token: 'PERSIST' }],
    },
  ],
  run(context, args) {
    optionsScratch.read(args, 2, 'getex');
    const ref = findString(context, args, 1);
    if (ref === 0) {
      context.reply.nil();
      return;
    }
    // The time is judged only now: a missing key hides a wrong one, as in Redis.
    const expireAt = optionsScratch.expireAt(args, context.nowMs, 'getex');
    answerValue(context, ref);
    if (optionsScratch.persist) persist(context, args, ref);
    else if (expireAt !== -1) expire(context, args, ref, expireAt);
  },
});

export const stringGetAndRemove = [getdel, getex];

function answerValue({ keyspace, reply }: ShardContext, ref: Ref): void {
  const value = keyspace.value(ref);
  reply.bulk(value.bytes, value.at, value.length, value.view);
}

function remove(context: ShardContext, args: Arguments, ref: Ref): void {
  context.keyspace.removeRef(ref);
  if (context.isReplicated) context.logAs(['DEL', args.copy(1)]);
  changedAt(context, args, 1, events.del);
}

function persist(context: ShardContext, args: Arguments, ref: Ref): void {
  if (context.keyspace.expireAt(ref) === -1) return;
  context.keyspace.setExpireAt(ref, -1);
  if (context.isReplicated) context.logAs(['PERSIST', args.copy(1)]);
  changedAt(context, args, 1, events.persist);
}

function expire(context: ShardContext, args: Arguments, ref: Ref, expireAt: number): void {
  if (optionsScratch.isAbsolute && context.isOver(expireAt)) {
    remove(context, args, ref);
    return;
  }
  context.keyspace.setExpireAt(ref, expireAt);
  if (context.isReplicated) context.logAs(['PEXPIREAT', args.copy(1), String(expireAt)]);
  changedAt(context, args, 1, events.expire);
}
