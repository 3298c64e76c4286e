/** ZRANDMEMBER: members by chance. */

import { errors } from '#base';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { demandRepeatable, elementCount } from '../elements/element-count.ts';
import { oneKey } from '../definition/keys.ts';
import { sortedSetToRead } from './lookup.ts';
import { writeMember, writeMembersHeader } from './member-reply.ts';

const zrandmember = oneShard({
  name: 'ZRANDMEMBER',
  summary: 'Returns one or more random members of a sorted set.',
  since: '6.2.0',
  complexity: 'O(N*log(M)) for N members in the reply out of M.',
  group: 'sorted-set',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'options',
      type: 'block',
      optional: true,
      arguments: [
        { name: 'count', type: 'integer' },
        { name: 'withscores', type: 'pure-token', token: 'WITHSCORES', optional: true },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    if (args.count > 2) {
      answerSeveral(context, args);
      return;
    }
    const { reply } = context;
    const set = sortedSetToRead(context, args);
    if (set === undefined) {
      reply.nil();
      return;
    }
    draw(set, () => context.random());
    reply.bulk(set.bytes, set.at, set.length);
  },
});

export const sortedSetDrawing = [zrandmember];

/** With scores, twice the count must be a 64-bit integer. */
const COUNT_WITH_SCORES_MAX = 2 ** 62;

function answerSeveral(context: ShardContext, args: Arguments): void {
  const { reply } = context;
  const random = (): number => context.random();
  const wanted = elementCount(args, 2);
  const withScores = args.count > 3;
  if (args.count > 4 || (withScores && !args.spellsAt(3, 'WITHSCORES'))) throw errors.syntax;
  if (withScores && Math.abs(wanted) >= COUNT_WITH_SCORES_MAX) throw errors.outOfRange;
  const set = sortedSetToRead(context, args);
  if (set === undefined || wanted === 0) {
    reply.arrayHeader(0);
    return;
  }
  if (wanted < 0) {
    demandRepeatable(wanted);
    writeMembersHeader(reply, -wanted, withScores);
    for (let nth = 0; nth < -wanted; nth += 1) {
      draw(set, random);
      writeMember(reply, set, withScores);
    }
    return;
  }
  const count = Math.min(wanted, set.count);
  writeMembersHeader(reply, count, withScores);
  eachDistinct(set, count, random, () => writeMember(reply, set, withScores));
}

function draw(set: SortedSetValue, random: () => number): void {
  set.seek(Math.floor(random() * set.count));
  set.read();
}

/** Single draws are cheaper than a walk if at most one of this many members is wanted. */
const WALK_PARTS = 3;

/** Reads `count` distinct random members; all selections are equally likely. */
function eachDistinct(
  set: SortedSetValue,
  count: number,
  random: () => number,
  visit: () => void,
): void {
  const size = set.count;
  if (count * WALK_PARTS <= size) {
    const drawn = new Set<number>();
    while (drawn.size < count) {
      const rank = Math.floor(random() * size);
      if (drawn.has(rank)) continue;
      drawn.add(rank);
      set.seek(rank);
      set.read();
      visit();
    }
    return;
  }
  let wanted = count;
  let left = size;
  // Downwards, as Redis answers a whole sorted set.
  for (let more = set.seek(size - 1); more && wanted > 0; more = set.prev()) {
    if (random() * left < wanted) {
      set.read();
      visit();
      wanted -= 1;
    }
    left -= 1;
  }
}
