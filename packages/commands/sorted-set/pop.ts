/** ZPOPMIN, ZPOPMAX and ZMPOP: taking members from an end. */

import { errors } from '#base';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type CommandHead } from '../definition.ts';
import { countedKeys, oneKey } from '../keys.ts';
import { readMultiPop } from '../multi-pop.ts';
import { sortedSetEvents } from './events.ts';
import { removeIfEmpty, sortedSetToWrite } from './lookup.ts';
import { announceRemoved } from './remove.ts';

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

export const zpopmin = oneShard({
  ...popHead,
  name: 'ZPOPMIN',
  summary: 'Removes the members with the lowest scores and answers them.',
  run(context, args) {
    popOne(context, args, 'min');
  },
});

export const zpopmax = oneShard({
  ...popHead,
  name: 'ZPOPMAX',
  summary: 'Removes the members with the highest scores and answers them.',
  run(context, args) {
    popOne(context, args, 'max');
  },
});

export const zmpop = oneShard({
  name: 'ZMPOP',
  summary: 'Removes members from an end of the first sorted set that is not empty.',
  since: '7.0.0',
  complexity: 'O(K)+O(M*log(N)) for K keys and M members removed out of N.',
  group: 'sorted-set',
  arity: -4,
  flags: ['write'],
  keys: countedKeys(1, 'RW', ['access', 'delete']),
  args: [
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
  ],
  run(context, args) {
    const { reply } = context;
    const { first, end, isFirstEnd, count } = readMultiPop(args, ['MIN', 'MAX']);
    const where: End = isFirstEnd ? 'min' : 'max';
    for (let index = first; index < end; index += 1) {
      const set = sortedSetToWrite(context, args, index);
      if (set === undefined) continue;
      const popped = Math.min(count, set.count);
      reply.arrayHeader(2);
      reply.bulk(args.source, args.at(index), args.length(index));
      reply.arrayHeader(popped);
      pop(context, set, where, popped, true);
      announcePopped(context, args, where, index);
      return;
    }
    reply.nilArray();
  },
});

export const sortedSetPopping = [zpopmin, zpopmax, zmpop];

type End = 'min' | 'max';

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
  announcePopped(context, args, end, 1);
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

function announcePopped(context: ShardContext, args: Arguments, end: End, index: number): void {
  const event = end === 'min' ? sortedSetEvents.zpopmin : sortedSetEvents.zpopmax;
  announceRemoved(context, args, event, removeIfEmpty(context), index);
}
