/** ZPOPMIN, ZPOPMAX, ZMPOP and those that wait: taking members from an end. */

import { errors } from '#base';
import { type SortedSetValue, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { blockingPop, multiPop, type PopFamily } from '../elements/pop-family.ts';
import { removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { sortedSetToWrite } from './lookup.ts';

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
  summary: 'Removes and returns the members with the lowest scores.',
  run(context, args) {
    popOne(context, args, true);
  },
});

const zpopmax = oneShard({
  ...popHead,
  name: 'ZPOPMAX',
  summary: 'Removes and returns the members with the highest scores.',
  run(context, args) {
    popOne(context, args, false);
  },
});

const sortedSets: PopFamily<SortedSetValue> = {
  group: 'sorted-set',
  type: ValueType.zset,
  ends: ['MIN', 'MAX'],
  plain: ['ZPOPMIN', 'ZPOPMAX'],
  width: 2,
  find: sortedSetToWrite,
  popOne(context, set, isLow) {
    pop(context, set, isLow, 1, false);
  },
  popSeveral(context, set, isLow, count) {
    context.reply.arrayHeader(count);
    pop(context, set, isLow, count, true);
  },
  announce: announcePopped,
};

const zmpop = multiPop(sortedSets, false, {
  name: 'ZMPOP',
  summary: 'Removes and returns members at an end of the first sorted set that is not empty.',
  complexity: 'O(K)+O(M*log(N)) for K keys and M members removed out of N.',
});

const bzmpop = multiPop(sortedSets, true, {
  name: 'BZMPOP',
  summary:
    'Removes and returns members at an end of the first sorted set that is not empty; blocks until there is one.',
  complexity: 'O(K)+O(M*log(N)) for K keys and M members removed out of N.',
});

const bzpopmin = blockingPop(sortedSets, true, {
  name: 'BZPOPMIN',
  summary:
    'Removes and returns the member with the lowest score of the first sorted set that is not empty; blocks until there is one.',
  since: '5.0.0',
  complexity: 'O(log(N)) for N members.',
  flags: ['write', 'blocking', 'fast'],
});

const bzpopmax = blockingPop(sortedSets, false, {
  name: 'BZPOPMAX',
  summary:
    'Removes and returns the member with the highest score of the first sorted set that is not empty; blocks until there is one.',
  since: '5.0.0',
  complexity: 'O(log(N)) for N members.',
  flags: ['write', 'blocking', 'fast'],
});

export const sortedSetPopping = [zpopmin, zpopmax, zmpop, bzpopmin, bzpopmax, bzmpop];

function popOne(context: ShardContext, args: Arguments, isLow: boolean): void {
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
  pop(context, set, isLow, count, isNested);
  announcePopped(context, args, 1, set, isLow, count);
}

function pop(
  { reply }: ShardContext,
  set: SortedSetValue,
  isLow: boolean,
  count: number,
  isNested: boolean,
): void {
  for (let left = count; left > 0; left -= 1) {
    set.seek(isLow ? 0 : set.count - 1);
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
  index: number,
  set: SortedSetValue,
  isLow: boolean,
  popped: number,
): void {
  const event = isLow ? events.zpopmin : events.zpopmax;
  takenAt(context, args, index, event, popped, removeIfEmpty(context, set));
}
