/** ZPOPMIN, ZPOPMAX, ZMPOP and those that wait: taking members from an end. */

import { errors } from '#base';
import { ValueType, type SortedSetValue } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type CommandHead, type OneShardCommand } from '../definition.ts';
import { countedKeys, keysToEnd, oneKey } from '../keys.ts';
import { readMultiPop, type MultiPop } from '../multi-pop.ts';
import { secondsAt } from '../timeout.ts';
import { takenAt } from '../keyspace/lookup.ts';
import { sortedSetEvents } from './events.ts';
import { removeIfEmpty, sortedSetToWrite } from './lookup.ts';

const popHead = {
  since: '5.0.0',
  complexity: 'O(log(N)*M) for M members removed out of N.',
  group: 'sorted-set',
  arity: -2,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'count', type: 'integer', optional: true },
  ],
} as const satisfies Partial<CommandHead>;

const zpopmin = oneShard({
  ...popHead,
  name: 'ZPOPMIN',
  summary: 'Removes the members with the lowest scores and answers them.',
  run(context, args) {
    popOne(context, args, 'min');
  },
});

const zpopmax = oneShard({
  ...popHead,
  name: 'ZPOPMAX',
  summary: 'Removes the members with the highest scores and answers them.',
  run(context, args) {
    popOne(context, args, 'max');
  },
});

const multiPopArgs = [
  { name: 'numkeys', type: 'integer' },
  { name: 'key', type: 'key', multiple: true },
  {
    name: 'where',
    type: 'oneof',
    arguments: [
      { name: 'min', type: 'pure-token', token: 'MIN' },
      { name: 'max', type: 'pure-token', token: 'MAX' },
    ],
  },
  { name: 'count', type: 'integer', token: 'COUNT', optional: true },
] as const satisfies CommandHead['args'];

const zmpop = oneShard({
  name: 'ZMPOP',
  summary: 'Removes members from an end of the first sorted set that is not empty.',
  since: '7.0.0',
  complexity: 'O(K)+O(M*log(N)) for K keys and M members removed out of N.',
  group: 'sorted-set',
  arity: -4,
  flags: ['write'],
  keys: countedKeys(1, 'RW', ['access', 'delete']),
  acrossShards: 'first',
  args: [...multiPopArgs],
  run(context, args) {
    if (!popFirst(context, args, readMultiPop(args, 1, ['MIN', 'MAX']))) context.reply.nilArray();
  },
});

const blockingPopHead = {
  since: '5.0.0',
  complexity: 'O(log(N)) for N members.',
  group: 'sorted-set',
  arity: -3,
  flags: ['write', 'blocking', 'fast'],
  keys: keysToEnd('RW', ['access', 'delete'], 1, 1),
  acrossShards: 'first',
  args: [
    { name: 'key', type: 'key', multiple: true },
    { name: 'timeout', type: 'double' },
  ],
  history: [['6.0.0', 'The timeout may have a fraction.']],
} as const satisfies Partial<CommandHead> & Pick<OneShardCommand, 'acrossShards'>;

const bzpopmin = oneShard({
  ...blockingPopHead,
  name: 'BZPOPMIN',
  summary: 'Removes the member with the lowest score of the first sorted set, or waits for one.',
  run(context, args) {
    blockingPop(context, args, 'min');
  },
});

const bzpopmax = oneShard({
  ...blockingPopHead,
  name: 'BZPOPMAX',
  summary: 'Removes the member with the highest score of the first sorted set, or waits for one.',
  run(context, args) {
    blockingPop(context, args, 'max');
  },
});

const bzmpop = oneShard({
  name: 'BZMPOP',
  summary: 'Removes members from an end of the first sorted set, or waits for one.',
  since: '7.0.0',
  complexity: 'O(K)+O(M*log(N)) for K keys and M members removed out of N.',
  group: 'sorted-set',
  arity: -5,
  flags: ['write', 'blocking'],
  keys: countedKeys(2, 'RW', ['access', 'delete']),
  acrossShards: 'first',
  args: [{ name: 'timeout', type: 'double' }, ...multiPopArgs],
  run(context, args) {
    const request = readMultiPop(args, 2, ['MIN', 'MAX']);
    const timeoutMs = secondsAt(args, 1, context.nowMs);
    if (popFirst(context, args, request)) return;
    waitForSortedSet(context, timeoutMs);
  },
});

export const sortedSetPopping = [zpopmin, zpopmax, zmpop, bzpopmin, bzpopmax, bzmpop];

type End = 'min' | 'max';

/** The client waits until a sorted set is there to be popped, where it may. */
function waitForSortedSet(context: ShardContext, timeoutMs: number): void {
  if (context.mayBlock) context.block({ timeoutMs, type: ValueType.zset });
  else context.reply.nilArray();
}

function blockingPop(context: ShardContext, args: Arguments, end: End): void {
  const last = args.count - 1;
  const timeoutMs = secondsAt(args, last, context.nowMs);
  for (let index = 1; index < last; index += 1) {
    const set = sortedSetToWrite(context, args, index);
    if (set === undefined) continue;
    const { reply } = context;
    reply.arrayHeader(3);
    reply.bulk(args.source, args.at(index), args.length(index));
    pop(context, set, end, 1, false);
    announcePopped(context, args, end, 1, index);
    return;
  }
  waitForSortedSet(context, timeoutMs);
}

/** Pops from the first sorted set that there is; false when there is none. */
function popFirst(
  context: ShardContext,
  args: Arguments,
  { first, end, isFirstEnd, count }: MultiPop,
): boolean {
  const { reply } = context;
  const where: End = isFirstEnd ? 'min' : 'max';
  for (let index = first; index < end; index += 1) {
    const set = sortedSetToWrite(context, args, index);
    if (set === undefined) continue;
    const popped = Math.min(count, set.count);
    reply.arrayHeader(2);
    reply.bulk(args.source, args.at(index), args.length(index));
    reply.arrayHeader(popped);
    pop(context, set, where, popped, true);
    announcePopped(context, args, where, popped, index);
    return true;
  }
  return false;
}

function popOne(context: ShardContext, args: Arguments, end: End): void {
  const { reply } = context;
  if (args.count > 3) throw errors.syntax;
  const hasCount = args.count === 3;
  const wanted = hasCount ? args.roundedAt(2, errors.notPositive) : 1;
  if (wanted < 0) throw errors.notPositive;
  const set = sortedSetToWrite(context, args);
  if (set === undefined || wanted === 0) {
    reply.arrayHeader(0);
    return;
  }
  const count = Math.min(wanted, set.count);
  const isNested = hasCount && reply.protocol === 3;
  reply.arrayHeader(isNested ? count : count * 2);
  pop(context, set, end, count, isNested);
  announcePopped(context, args, end, count);
}

function pop(
  { reply }: ShardContext,
  set: SortedSetValue,
  end: End,
  count: number,
  isNested: boolean,
): void {
  for (let left = count; left > 0; left -= 1) {
    set.seek(end === 'min' ? 0 : set.count - 1);
    if (isNested) reply.arrayHeader(2);
    const { score } = set;
    set.read();
    reply.bulk(set.bytes, set.at, set.length);
    reply.double(score);
    set.remove();
  }
}

function announcePopped(
  context: ShardContext,
  args: Arguments,
  end: End,
  popped: number,
  index = 1,
): void {
  const event = end === 'min' ? sortedSetEvents.zpopmin : sortedSetEvents.zpopmax;
  takenAt(context, args, index, event, popped, removeIfEmpty(context));
}
