/** Scores and ranks of members, and how many there are. */

import { errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead, type OneShardCommand } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { lexRange, scoreRange, type Range } from './bounds.ts';
import { sortedSetToRead } from './lookup.ts';

const zcard = oneShard({
  name: 'ZCARD',
  summary: 'Counts the members of a sorted set.',
  since: '1.2.0',
  complexity: 'O(1)',
  group: 'sorted-set',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    context.reply.integer(sortedSetToRead(context, args)?.count ?? 0);
  },
});

const zscore = oneShard({
  name: 'ZSCORE',
  summary: 'Returns the score of a member.',
  since: '1.2.0',
  complexity: 'O(1)',
  group: 'sorted-set',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string' },
  ],
  run(context, args) {
    const set = sortedSetToRead(context, args);
    if (set?.find(args.source, args.at(2), args.length(2)) !== true) context.reply.nil();
    else context.reply.double(set.score);
  },
});

const zmscore = oneShard({
  name: 'ZMSCORE',
  summary: 'Returns the scores of several members.',
  since: '6.2.0',
  complexity: 'O(N) for N members.',
  group: 'sorted-set',
  arity: -3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string', multiple: true },
  ],
  run(context, args) {
    const { reply } = context;
    const set = sortedSetToRead(context, args);
    reply.arrayHeader(args.count - 2);
    for (let index = 2; index < args.count; index += 1) {
      if (set?.find(args.source, args.at(index), args.length(index)) !== true) reply.nil();
      else reply.double(set.score);
    }
  },
});

const rankHead = {
  since: '2.0.0',
  complexity: 'O(log(N)), N being how many members there are.',
  group: 'sorted-set',
  arity: -3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'member', type: 'string' },
    { name: 'withscore', type: 'pure-token', token: 'WITHSCORE', optional: true },
  ],
  history: [['7.2.0', 'Added WITHSCORE.']],
} as const satisfies Partial<CommandHead>;

const zrank = oneShard({
  ...rankHead,
  name: 'ZRANK',
  summary: 'Returns the rank of a member, counted from the lowest score.',
  run(context, args) {
    answerRank(context, args, 'zrank');
  },
});

const zrevrank = oneShard({
  ...rankHead,
  name: 'ZREVRANK',
  summary: 'Returns the rank of a member, counted from the highest score.',
  run(context, args) {
    answerRank(context, args, 'zrevrank');
  },
});

function counting(
  name: string,
  summary: string,
  since: string,
  end: 'double' | 'string',
  readRange: (args: Arguments, minIndex: number, maxIndex: number) => Range,
): OneShardCommand {
  return oneShard({
    name,
    summary,
    since,
    complexity: 'O(log(N)), N being how many members there are.',
    group: 'sorted-set',
    arity: 4,
    flags: ['readonly', 'fast'],
    keys: oneKey('RO', 'access'),
    args: [
      { name: 'key', type: 'key' },
      { name: 'min', type: end },
      { name: 'max', type: end },
    ],
    run(context, args) {
      const range = readRange(args, 2, 3);
      const set = sortedSetToRead(context, args);
      const found = set === undefined ? undefined : range.ranksIn(set);
      context.reply.integer(found === undefined ? 0 : found.end - found.first);
    },
  });
}

const zcount = counting(
  'ZCOUNT',
  'Counts the members with scores in a range.',
  '2.0.0',
  'double',
  scoreRange,
);

const zlexcount = counting(
  'ZLEXCOUNT',
  'Counts the members in a lexicographic range; all members must have equal scores.',
  '2.8.9',
  'string',
  lexRange,
);

export const sortedSetReading = [zcard, zscore, zmscore, zrank, zrevrank, zcount, zlexcount];

function answerRank(context: ShardContext, args: Arguments, name: 'zrank' | 'zrevrank'): void {
  const { reply } = context;
  if (args.count > 4) throw errors.wrongArguments(name);
  const withScore = args.count === 4;
  if (withScore && !args.spellsAt(3, 'WITHSCORE')) throw errors.syntax;
  const set = sortedSetToRead(context, args);
  if (set?.find(args.source, args.at(2), args.length(2)) !== true) {
    if (withScore) reply.nilArray();
    else reply.nil();
    return;
  }
  const score = withScore ? set.score : 0;
  const { rank } = set;
  if (withScore) reply.arrayHeader(2);
  reply.integer(name === 'zrank' ? rank : set.count - 1 - rank);
  if (withScore) reply.double(score);
}
