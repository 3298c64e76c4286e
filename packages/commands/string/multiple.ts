/** Storing several strings at once. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { byKey, oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { keyValuePairs } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { findToWrite, notifyAt } from '../elements/lookup.ts';
import { allOk } from '../definition/merge.ts';
import { timeOptions } from '../keyspace/expiry/time-forms.ts';
import { StringOptions } from './expiry.ts';
import { storeString } from './write.ts';

const pairs: readonly ArgumentDoc[] = [
  {
    name: 'data',
    type: 'block',
    multiple: true,
    arguments: [
      { name: 'key', type: 'key' },
      { name: 'value', type: 'string' },
    ],
  },
];

const mset = byKey({
  name: 'MSET',
  summary: 'Stores several strings under several keys at once.',
  since: '1.0.1',
  complexity: 'O(N) for N keys.',
  group: 'string',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: keyValuePairs('OW', 'update'),
  keyStride: 2,
  args: pairs,
  run(context, args) {
    storePairs(context, args, 'mset');
    return null;
  },
  merge: allOk,
});

const msetnx = oneShard({
  name: 'MSETNX',
  summary: 'Stores several strings at once if none of the keys exists.',
  since: '1.0.1',
  complexity: 'O(N) for N keys.',
  group: 'string',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: keyValuePairs('OW', 'insert'),
  args: pairs,
  run(context, args) {
    demandPairs(args, 'msetnx');
    for (let index = 1; index < args.count; index += 2) {
      if (findToWrite(context, args, index) === 0) continue;
      context.reply.integer(0);
      return;
    }
    storePairs(context, args, 'msetnx');
    context.reply.integer(1);
  },
});

const optionsScratch = new StringOptions();

const PAIRS_INDEX = 2;
const PAIRS_MAX = 2 ** 31 - 1;
const badPairCount = new CommandError('ERR invalid numkeys value');
const tooFewPairs = new CommandError('ERR wrong number of key-value pairs');

const msetex = oneShard({
  name: 'MSETEX',
  summary: 'Stores several strings at once with a common expiry: all or none of them.',
  since: '8.4.0',
  complexity: 'O(N) for N keys.',
  group: 'string',
  arity: -4,
  flags: ['write', 'denyoom'],
  keys: {
    specs: [
      {
        begin: { index: 1 },
        find: { countAt: 0, firstKey: 1, step: 2 },
        access: 'OW',
        use: ['update'],
      },
    ],
  },
  tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'],
  args: [
    { name: 'numkeys', type: 'integer' },
    ...pairs,
    {
      name: 'condition',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'nx', type: 'pure-token', token: 'NX' },
        { name: 'xx', type: 'pure-token', token: 'XX' },
      ],
    },
    {
      name: 'expiration',
      type: 'oneof',
      optional: true,
      arguments: [...timeOptions, { name: 'keepttl', type: 'pure-token', token: 'KEEPTTL' }],
    },
  ],
  run(context, args) {
    const end = endOfPairs(args);
    optionsScratch.read(args, end, 'msetex');
    const expireAt = optionsScratch.expireAt(args, context.nowMs, 'msetex');
    const isDue = maySetAll(context, args, end);
    if (isDue) setAll(context, args, end, expireAt);
    context.reply.integer(isDue ? 1 : 0);
  },
});

export const stringMultiple = [mset, msetnx, msetex];

/** Index behind the pairs of MSETEX. */
function endOfPairs(args: Arguments): number {
  const count = args.roundedAt(1, badPairCount);
  if (count < 1 || count > PAIRS_MAX) throw badPairCount;
  const end = PAIRS_INDEX + 2 * count;
  if (end > args.count) throw tooFewPairs;
  return end;
}

/** True when NX or XX let all keys be set. */
function maySetAll(context: ShardContext, args: Arguments, end: number): boolean {
  const { onlyNew, onlyExisting } = optionsScratch;
  if (!onlyNew && !onlyExisting) return true;
  for (let index = PAIRS_INDEX; index < end; index += 2) {
    if ((findToWrite(context, args, index) === 0) !== onlyNew) return false;
  }
  return true;
}

function setAll(context: ShardContext, args: Arguments, end: number, expireAt: number): void {
  const { keyspace } = context;
  const { keepTtl } = optionsScratch;
  for (let index = PAIRS_INDEX; index < end; index += 2) {
    const old = keepTtl ? findToWrite(context, args, index) : 0;
    const kept = old === 0 ? -1 : keyspace.expireAt(old);
    const stored = storeString(context, args, index, index + 1);
    if (kept !== -1) keyspace.setExpireAt(stored, kept);
    if (expireAt === -1) continue;
    keyspace.setExpireAt(stored, expireAt);
    notifyAt(context, args, index, events.expire);
  }
  if (context.isReplicated) replicateAll(context, args, end, expireAt);
}

/** Replicates the strings in commands that every version knows. */
function replicateAll(context: ShardContext, args: Arguments, end: number, expireAt: number): void {
  const words = Array.from({ length: end - PAIRS_INDEX }, (_, nth) => args.copy(PAIRS_INDEX + nth));
  const options = expireAt === -1 ? ['KEEPTTL'] : ['PXAT', String(expireAt)];
  if (expireAt === -1 && !optionsScratch.keepTtl) {
    context.logAs(['MSET', ...words]);
    return;
  }
  for (let nth = 0; nth < words.length; nth += 2) {
    context.logAs(['SET', words[nth]!, words[nth + 1]!, ...options]);
  }
}

function demandPairs(args: Arguments, command: string): void {
  if (args.count % 2 === 0) throw errors.wrongArguments(command);
}

function storePairs(context: ShardContext, args: Arguments, command: string): void {
  demandPairs(args, command);
  for (let index = 1; index < args.count; index += 2) storeString(context, args, index, index + 1);
}
