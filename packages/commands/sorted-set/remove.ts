/** ZREM and the ZREMRANGEBY commands: taking members out. */

import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard, type OneShardCommand } from '../definition/definition.ts';
import { elementRemoval } from '../elements/element-removal.ts';
import { oneKey } from '../definition/keys.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import { removeIfEmpty, takenAt } from '../elements/lookup.ts';
import { lexRange, rankRange, scoreRange, type Range } from './bounds.ts';
import { sortedSetToWrite } from './lookup.ts';

const zrem = elementRemoval(
  {
    name: 'ZREM',
    summary: 'Removes members from a sorted set; returns the number of members removed.',
    since: '1.2.0',
    complexity: 'O(M*log(N)) for M members out of N.',
    group: 'sorted-set',
  },
  {
    element: 'member',
    event: events.zrem,
    find: sortedSetToWrite,
    remove(set, bytes, at, length) {
      if (!set.find(bytes, at, length)) return false;
      set.remove();
      return true;
    },
  },
);

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
      if (set !== undefined && removed > 0) {
        takenAt(context, args, 1, event, removed, removeIfEmpty(context, set));
      }
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
  event: events.zremrangebyrank,
  readRange: rankRange,
});

const zremrangebyscore = rangeRemoval({
  name: 'ZREMRANGEBYSCORE',
  summary: 'Removes the members with scores in a range.',
  since: '1.2.0',
  names: ['min', 'max'],
  type: 'double',
  event: events.zremrangebyscore,
  readRange: scoreRange,
});

const zremrangebylex = rangeRemoval({
  name: 'ZREMRANGEBYLEX',
  summary: 'Removes the members in a lexicographic range; all members must have equal scores.',
  since: '2.8.9',
  names: ['min', 'max'],
  type: 'string',
  event: events.zremrangebylex,
  readRange: lexRange,
});

export const sortedSetRemoval = [zrem, zremrangebyrank, zremrangebyscore, zremrangebylex];

function removeRange(set: SortedSetValue, range: Range): number {
  const { first, end } = range.ranksIn(set);
  set.removeRange(first, end - first);
  return end - first;
}
