/** ZRANGE in all its forms: by rank, by score and by member, answered or stored. */

import { CommandError, errors } from '#base';
import { RankedTable, type SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc, type CommandHead } from '../definition/definition.ts';
import { allOf, keySpec, oneKey } from '../definition/keys.ts';
import { lexRange, rankRange, scoreRange, type Range } from './bounds.ts';
import { events } from '../contexts/events.ts';
import { sortedSetToRead, storeMembers } from './lookup.ts';
import { writeMember, writeMembersHeader } from './member-reply.ts';

const limitDoc: ArgumentDoc = {
  name: 'limit',
  type: 'block',
  token: 'LIMIT',
  optional: true,
  arguments: [
    { name: 'offset', type: 'integer' },
    { name: 'count', type: 'integer' },
  ],
};

const withScoresDoc: ArgumentDoc = {
  name: 'withscores',
  type: 'pure-token',
  token: 'WITHSCORES',
  optional: true,
};

const sortDocs: readonly ArgumentDoc[] = [
  {
    name: 'sortby',
    type: 'oneof',
    optional: true,
    arguments: [
      { name: 'byscore', type: 'pure-token', token: 'BYSCORE' },
      { name: 'bylex', type: 'pure-token', token: 'BYLEX' },
    ],
  },
  { name: 'rev', type: 'pure-token', token: 'REV', optional: true },
  limitDoc,
];
/** ZRANGE was there before them. */
const laterSortDocs = sortDocs.map((doc) => ({ ...doc, since: '6.2.0' }));

const rangeHead = {
  complexity: 'O(log(N)+M) for M members in the reply out of N.',
  group: 'sorted-set',
  arity: -4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
} as const satisfies Partial<CommandHead>;

function between(
  first: string,
  last: string,
  type: ArgumentDoc['type'],
  ...rest: readonly ArgumentDoc[]
): readonly ArgumentDoc[] {
  return [{ name: 'key', type: 'key' }, { name: first, type }, { name: last, type }, ...rest];
}

const zrange = oneShard({
  ...rangeHead,
  name: 'ZRANGE',
  summary: 'Returns the members in a range of ranks, scores or members.',
  since: '1.2.0',
  args: between('start', 'stop', 'string', ...laterSortDocs, withScoresDoc),
  history: [['6.2.0', 'Added REV, BYSCORE, BYLEX and LIMIT.']],
  run(context, args) {
    answerRange(context, args, 'any', 'any');
  },
});

const zrevrange = oneShard({
  ...rangeHead,
  name: 'ZREVRANGE',
  summary: 'Returns the members in a range of ranks, highest score first.',
  since: '1.2.0',
  args: between('start', 'stop', 'integer', withScoresDoc),
  deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with `REV`' },
  run(context, args) {
    answerRange(context, args, 'rank', 'down');
  },
});

const zrangebyscore = oneShard({
  ...rangeHead,
  name: 'ZRANGEBYSCORE',
  summary: 'Returns the members with scores in a range.',
  since: '1.0.5',
  args: between('min', 'max', 'double', { ...withScoresDoc, since: '2.0.0' }, limitDoc),
  deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with `BYSCORE`' },
  history: [['2.0.0', 'Added WITHSCORES.']],
  run(context, args) {
    answerRange(context, args, 'score', 'up');
  },
});

const zrevrangebyscore = oneShard({
  ...rangeHead,
  name: 'ZREVRANGEBYSCORE',
  summary: 'Returns the members with scores in a range, highest score first.',
  since: '2.2.0',
  args: between('max', 'min', 'double', withScoresDoc, limitDoc),
  deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with `REV` and `BYSCORE`' },
  history: [['2.1.6', 'Both ends can be exclusive.']],
  run(context, args) {
    answerRange(context, args, 'score', 'down');
  },
});

const zrangebylex = oneShard({
  ...rangeHead,
  name: 'ZRANGEBYLEX',
  summary: 'Returns the members in a lexicographic range; all members must have equal scores.',
  since: '2.8.9',
  args: between('min', 'max', 'string', limitDoc),
  deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with `BYLEX`' },
  run(context, args) {
    answerRange(context, args, 'lex', 'up');
  },
});

const zrevrangebylex = oneShard({
  ...rangeHead,
  name: 'ZREVRANGEBYLEX',
  summary: 'Returns the members in a lexicographic range, last member first.',
  since: '2.8.9',
  args: between('max', 'min', 'string', limitDoc),
  deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with `REV` and `BYLEX`' },
  run(context, args) {
    answerRange(context, args, 'lex', 'down');
  },
});

const zrangestore = oneShard({
  name: 'ZRANGESTORE',
  summary: 'Stores the members in a range of a sorted set under another key.',
  since: '6.2.0',
  complexity: 'O(log(N)+M) for M members stored out of N.',
  group: 'sorted-set',
  arity: -5,
  flags: ['write', 'denyoom'],
  keys: allOf(keySpec(1, 'OW', 'update'), keySpec(2, 'RO', 'access')),
  args: [
    { name: 'dst', type: 'key' },
    { name: 'src', type: 'key' },
    { name: 'min', type: 'string' },
    { name: 'max', type: 'string' },
    ...sortDocs,
  ],
  run(context, args) {
    const query = readQuery(args, 2, 'any', 'any', false);
    const set = sortedSetToRead(context, args, 2);
    const members = new RankedTable(context.keyspace.createTable(true));
    if (set !== undefined) copyRange(context, set, query, members);
    storeMembers(context, args, 1, members, events.zrangestore);
  },
});

export const sortedSetRanges = [
  zrange,
  zrevrange,
  zrangebyscore,
  zrevrangebyscore,
  zrangebylex,
  zrevrangebylex,
  zrangestore,
];

const limitNeedsRange = new CommandError(
  'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
);
const noLexScores = new CommandError(
  'ERR syntax error, WITHSCORES not supported in combination with BYLEX',
);

type By = 'rank' | 'score' | 'lex';
type Direction = 'up' | 'down';

/** Query of a command. */
interface Query {
  range: Range;
  by: By;
  isDown: boolean;
  withScores: boolean;
  offset: number;
  /** Negative: all. */
  limit: number;
}

function answerRange(
  context: ShardContext,
  args: Arguments,
  by: By | 'any',
  direction: Direction | 'any',
): void {
  const query = readQuery(args, 1, by, direction, true);
  const set = sortedSetToRead(context, args);
  const { reply } = context;
  if (set === undefined) {
    reply.arrayHeader(0);
    return;
  }
  const { withScores } = query;
  if (withScores) {
    walk(
      set,
      query,
      () => writeMember(reply, set, true),
      (count) => writeMembersHeader(reply, count, true),
    );
    return;
  }
  const { start, count } = placed(set, query);
  reply.arrayHeader(count);
  set.each(start, count, query.isDown, reply);
}

/** Reads the options after the range, and then the range; `keyIndex` is where the key stands. */
function readQuery(
  args: Arguments,
  keyIndex: number,
  by: By | 'any',
  direction: Direction | 'any',
  mayScore: boolean,
): Query {
  const found = { by, direction, withScores: false, offset: 0, limit: -1 };
  args.position = keyIndex + 3;
  while (args.more) readOption(args, found, mayScore);
  const chosen = found.by === 'any' ? 'rank' : found.by;
  if (found.limit !== -1 && chosen === 'rank') throw limitNeedsRange;
  if (found.withScores && chosen === 'lex') throw noLexScores;
  const isDown = found.direction === 'down';
  // Downwards, the range is given with its highest end first.
  const isTurned = isDown && chosen !== 'rank';
  const minIndex = keyIndex + (isTurned ? 2 : 1);
  const maxIndex = keyIndex + (isTurned ? 1 : 2);
  const range = READERS[chosen](args, minIndex, maxIndex);
  const { withScores, offset, limit } = found;
  return { range, by: chosen, isDown, withScores, offset, limit };
}

const READERS = { rank: rankRange, score: scoreRange, lex: lexRange } as const;

interface FoundOptions {
  by: By | 'any';
  direction: Direction | 'any';
  withScores: boolean;
  offset: number;
  limit: number;
}

function readOption(args: Arguments, found: FoundOptions, mayScore: boolean): void {
  if (mayScore && args.takes('WITHSCORES')) {
    found.withScores = true;
  } else if (args.left >= 3 && args.takes('LIMIT')) {
    found.offset = args.roundedAt(args.next());
    found.limit = args.roundedAt(args.next());
  } else if (found.direction === 'any' && args.takes('REV')) {
    found.direction = 'down';
  } else if (found.by === 'any' && args.takes('BYLEX')) {
    found.by = 'lex';
  } else if (found.by === 'any' && args.takes('BYSCORE')) {
    found.by = 'score';
  } else {
    throw errors.syntax;
  }
}

/** Says how many members there are and calls back at each, with the member read. */
function walk(
  set: SortedSetValue,
  query: Query,
  visit: () => void,
  begin?: (count: number) => void,
): void {
  const { start, count } = placed(set, query);
  begin?.(count);
  if (count === 0) return;
  let more = set.seek(start);
  for (let left = count; more && left > 0; left -= 1) {
    set.read();
    visit();
    more = query.isDown ? set.prev() : set.next();
  }
}

/** Adds the members of a range to others. */
function copyRange(
  { settings }: ShardContext,
  set: SortedSetValue,
  query: Query,
  members: RankedTable,
): void {
  const entries = settings.number('encoding.zset-max-listpack-entries');
  const valueBytes = settings.number('encoding.zset-max-listpack-value');
  // Redis stores into a listpack as long as that may do, and a listpack has no negative zero.
  let isPacked = true;
  walk(
    set,
    query,
    () => {
      const { bytes, at, length, score } = set;
      isPacked &&= length <= valueBytes && members.count < entries;
      members.add(bytes, at, length, isPacked && score === 0 ? 0 : score);
    },
    (count) => {
      if (query.by === 'rank') isPacked = count <= entries;
    },
  );
}

/** The rank of the first member in walking order, and how many follow with it. */
function placed(set: SortedSetValue, query: Query): { start: number; count: number } {
  const { range, by, isDown, offset, limit } = query;
  const { first, end } = range.ranksIn(set);
  const size = end - first;
  if (by === 'rank') {
    return { start: isDown ? set.count - 1 - first : first, count: size };
  }
  const most = limit < 0 ? size : limit;
  if (offset >= 0) {
    const count = Math.max(Math.min(size - offset, most), 0);
    return { start: isDown ? end - 1 - offset : first + offset, count };
  }
  // A negative offset returns nothing from a listpack, and counts from the far end of a skip list, as in Redis 7.4.
  if (set.isPacked || -offset > size) return { start: 0, count: 0 };
  const count = Math.min(-offset, most);
  return { start: isDown ? first - offset - 1 : end + offset, count };
}
