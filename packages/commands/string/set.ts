/** Storing whole strings under one key. */

import { type Ref, ValueType } from '#store';
import type { Arguments, ArgumentSource } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { keySpec, oneKey, type KeyHandling } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { findString, findToWrite, holds, notifyAt } from '../elements/lookup.ts';
import { conditionAt, conditionDocs, meets } from './conditions/condition.ts';
import { endOf, spanOf, StringOptions } from './expiry.ts';
import { storeString } from './write.ts';

const optionsScratch = new StringOptions();

const keyAndValue: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'value', type: 'string' },
];

const set = oneShard({
  name: 'SET',
  summary: 'Stores a string under a key, replacing a value of any type.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: {
    specs: [
      {
        ...keySpec(1, 'RW', ['access', 'update']),
        variable: setAccess,
        notes: 'Read and accessed only because of GET or a condition on the value.',
      },
    ],
  },
  args: [
    ...keyAndValue,
    {
      name: 'condition',
      type: 'oneof',
      since: '2.6.12',
      optional: true,
      arguments: [
        { name: 'nx', type: 'pure-token', token: 'NX' },
        { name: 'xx', type: 'pure-token', token: 'XX' },
        ...conditionDocs.map((doc) => ({ ...doc, since: '8.4.0' })),
      ],
    },
    { name: 'get', type: 'pure-token', token: 'GET', since: '6.2.0', optional: true },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'seconds', type: 'integer', token: 'EX', since: '2.6.12' },
        { name: 'milliseconds', type: 'integer', token: 'PX', since: '2.6.12' },
        { name: 'unix-time-seconds', type: 'unix-time', token: 'EXAT', since: '6.2.0' },
        { name: 'unix-time-milliseconds', type: 'unix-time', token: 'PXAT', since: '6.2.0' },
        { name: 'keepttl', type: 'pure-token', token: 'KEEPTTL', since: '6.0.0' },
      ],
    },
  ],
  history: [
    ['2.6.12', 'Added EX, PX, NX and XX.'],
    ['6.0.0', 'Added KEEPTTL.'],
    ['6.2.0', 'Added GET, EXAT and PXAT.'],
    ['7.0.0', 'NX and GET may be combined.'],
    ['8.4.0', 'Added IFEQ, IFNE, IFDEQ and IFDNE.'],
  ],
  run(context, args) {
    if (args.count === 3) {
      storeString(context, args, 1, 2);
      context.reply.ok();
    } else {
      setWithOptions(context, args);
    }
  },
});

/** The old value is looked at because of GET or a condition on it. */
function setAccess(args: ArgumentSource): KeyHandling {
  for (let index = 3; index < args.count; index += 1) {
    const isRead = args.spellsAt(index, 'GET') || conditionAt(args, index) !== undefined;
    if (isRead) return { access: 'RW', use: ['access', 'update'] };
  }
  return { access: 'OW', use: ['update'] };
}

function setWithOptions(context: ShardContext, args: Arguments): void {
  const { keyspace, reply } = context;
  optionsScratch.read(args, 3, 'set');
  const { answersOld, condition, keepTtl } = optionsScratch;
  const expireAt = optionsScratch.expireAt(args, context.nowMs, 'set');
  const ref = answersOld ? findString(context, args, 1) : findToWrite(context, args, 1);
  const isDue = maySet(context, args, ref);
  if (answersOld) answerOld(context, ref);
  if (!isDue) {
    if (!answersOld) reply.nil();
    return;
  }
  const kept = keepTtl && ref !== 0 ? keyspace.expireAt(ref) : -1;
  const stored = storeString(context, args, 1, 2);
  if (kept !== -1) keyspace.setExpireAt(stored, kept);
  if (expireAt !== -1) expireStored(context, args, stored, { expireAt, valueIndex: 2 });
  else if (condition !== undefined) replicateUnconditionally(context, args);
  if (!answersOld) reply.ok();
}

/** True when the options let the key of `ref` be set; 0 when there is none. */
function maySet(context: ShardContext, args: Arguments, ref: Ref): boolean {
  const { onlyNew, onlyExisting, condition } = optionsScratch;
  if (condition === undefined) return ref === 0 ? !onlyExisting : !onlyNew;
  if (!holds(context, ref, ValueType.string)) return !condition.form.wantsSame;
  return meets(context, args, ref, condition);
}

/** Replicas of other versions do not know the condition, which was met. */
function replicateUnconditionally(context: ShardContext, args: Arguments): void {
  if (!context.isReplicated) return;
  const words = ['SET', args.copy(1), args.copy(2)];
  if (optionsScratch.keepTtl) words.push('KEEPTTL');
  context.logAs(words);
}

/** Replies with the string that the key holds. */
function answerOld(context: ShardContext, ref: Ref): void {
  if (ref === 0) {
    context.reply.nil();
  } else {
    const value = context.keyspace.value(ref);
    context.reply.bulk(value.bytes, value.at, value.length, value.view);
  }
}

/** Sets the expiry of the string that was stored from an argument. */
function expireStored(
  context: ShardContext,
  args: Arguments,
  ref: Ref,
  { expireAt, valueIndex }: { expireAt: number; valueIndex: number },
): void {
  context.keyspace.setExpireAt(ref, expireAt);
  notifyAt(context, args, 1, events.expire);
  if (!context.isReplicated) return;
  context.logAs(['SET', args.copy(1), args.copy(valueIndex), 'PXAT', String(expireAt)]);
}

const setnx = oneShard({
  name: 'SETNX',
  leavesValues: true,
  summary: 'Stores a string under a key that does not exist yet.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('OW', 'insert'),
  args: keyAndValue,
  deprecated: { since: '2.6.12', replacedBy: '`SET` with the `NX` argument' },
  run(context, args) {
    const isNew = findToWrite(context, args, 1) === 0;
    if (isNew) storeString(context, args, 1, 2);
    context.reply.integer(isNew ? 1 : 0);
  },
});

const setex = oneShard({
  name: 'SETEX',
  summary: 'Stores a string that expires after a number of seconds.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 4,
  flags: ['write', 'denyoom'],
  keys: oneKey('OW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'seconds', type: 'integer' },
    { name: 'value', type: 'string' },
  ],
  deprecated: { since: '2.6.12', replacedBy: '`SET` with the `EX` argument' },
  run(context, args) {
    setExpiring(context, args, 1000, 'setex');
  },
});

const psetex = oneShard({
  name: 'PSETEX',
  summary: 'Stores a string that expires after a number of milliseconds.',
  since: '2.6.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 4,
  flags: ['write', 'denyoom'],
  keys: oneKey('OW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'milliseconds', type: 'integer' },
    { name: 'value', type: 'string' },
  ],
  deprecated: { since: '2.6.12', replacedBy: '`SET` with the `PX` argument' },
  run(context, args) {
    setExpiring(context, args, 1, 'psetex');
  },
});

function setExpiring(
  context: ShardContext,
  args: Arguments,
  unitMs: number,
  command: string,
): void {
  const expireAt = endOf(spanOf(args, 2, unitMs, command), context.nowMs, command);
  expireStored(context, args, storeString(context, args, 1, 3), { expireAt, valueIndex: 3 });
  context.reply.ok();
}

const getset = oneShard({
  name: 'GETSET',
  summary: 'Stores a string under a key; returns the previous string.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: keyAndValue,
  deprecated: { since: '6.2.0', replacedBy: '`SET` with the `!GET` argument' },
  run(context, args) {
    answerOld(context, findString(context, args, 1));
    storeString(context, args, 1, 2);
  },
});

export const stringSetting = [set, setnx, setex, psetex, getset];
