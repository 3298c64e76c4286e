/** ZREM and the ZREMRANGEBY commands: taking members out. */

import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments.ts';
import { oneShard, type OneShardCommand } from '../definition.ts';
import { oneKey } from '../keys.ts';
import type { KeyEvent } from '../keyspace/events.ts';
import { takenAt } from '../keyspace/lookup.ts';
import { lexRange, rankRange, scoreRange, type Range } from './bounds.ts';
import { sortedSetEvents } from './events.ts';
import { removeIfEmpty, sortedSetToWrite } from './lookup.ts';

const zrem = oneShard({
  name: 'ZREM',
  summary: 'Removes members from a sorted set; the reply counts those that were there.',
  since: '1.2.0',
  complexity: 'O(M*log(N)) for M members out of N.',
  group: 'sorted-set',
  arity: -3,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'delete'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string', multiple: true },
  ],
  history: [['2.4.0', 'Takes several members.']],
  run(context, args) {
    const set = sortedSetToWrite(context, args);
    let removed = 0;
    let isGone = false;
    for (let index = 2; set !== undefined && index < args.count && !isGone; index += 1) {
      if (!set.find(args.source, args.at(index), args.length(index))) continue;
      set.remove();
      removed += 1;
      isGone = removeIfEmpty(context);
    }
    if (removed > 0) takenAt(context, args, 1, sortedSetEvents.zrem, removed, isGone);
    context.reply.integer(removed);
  },
});

interface RangeRemoval {
  name: string;
  summary: string;
  since: string;
  names: readonly [string, string];
  type: 'integer' | 'double' | 'string';
  event: KeyEvent;
  readRange: (args: Arguments, minIndex: number, maxIndex: number) => Range;
}

function rangeRemoval(removal: RangeRemoval): OneShardCommand {
  const { name, summary, since, names, type, event, readRange } = removal;
  return oneShard({
    name,
    summary,
    since,
    complexity: 'O(log(N)+M) for M members removed out of N.',
    group: 'sorted-set',
    arity: 4,
    flags: ['write'],
    keys: oneKey('RW', 'delete'),
    args: [
      { name: 'key', type: 'key' },
      { name: names[0], type },
      { name: names[1], type },
    ],
    run(context, args) {
      const range = readRange(args, 2, 3);
      const set = sortedSetToWrite(context, args);
      const removed = set === undefined ? 0 : removeRange(set, range);
      if (removed > 0) takenAt(context, args, 1, event, removed, removeIfEmpty(context));
      context.reply.integer(removed);
    },
  });
}

const zremrangebyrank = rangeRemoval({
  name: 'ZREMRANGEBYRANK',
  summary: 'Removes the members in a range of ranks.',
  since: '2.0.0',
  names: ['start', 'stop'],
  type: 'integer',
  event: sortedSetEvents.zremrangebyrank,
  readRange: rankRange,
});

const zremrangebyscore = rangeRemoval({
  name: 'ZREMRANGEBYSCORE',
  summary: 'Removes the members with scores in a range.',
  since: '1.2.0',
  names: ['min', 'max'],
  type: 'double',
  event: sortedSetEvents.zremrangebyscore,
  readRange: scoreRange,
});

const zremrangebylex = rangeRemoval({
  name: 'ZREMRANGEBYLEX',
  summary: 'Removes the members in an alphabetical range, when all have one score.',
  since: '2.8.9',
  names: ['min', 'max'],
  type: 'string',
  event: sortedSetEvents.zremrangebylex,
  readRange: lexRange,
});

export const sortedSetRemoval = [zrem, zremrangebyrank, zremrangebyscore, zremrangebylex];

function removeRange(set: SortedSetValue, range: Range): number {
  const { first, end } = range.ranksIn(set);
  set.removeRange(first, end - first);
  return end - first;
}
