/** Intersection, union and difference of sorted sets, answered, counted or stored. */

import { CommandError, errors } from '#base';
import type { Keyspace, RankedTable } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import {
  oneShard,
  type ArgumentDoc,
  type CommandHead,
  type OneShardCommand,
} from '../definition/definition.ts';
import { allOf, countedKeys, countedSpec, keySpec } from '../definition/keys.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import {
  aggregates,
  demandSources,
  difference,
  eachCommon,
  intersection,
  openSources,
  union,
  type Aggregate,
  type Source,
} from './set-operation-result.ts';
import { storeMembers } from './lookup.ts';
import { writeMember, writeMembersHeader } from './member-reply.ts';

interface Operation {
  name: 'ZINTER' | 'ZUNION' | 'ZDIFF';
  summary: string;
  storeSummary: string;
  storeSince: string;
  complexity: string;
  event: KeyEvent;
  weighs: boolean;
  compute: (
    keyspace: Keyspace,
    sources: readonly (Source | undefined)[],
    aggregate: Aggregate,
  ) => RankedTable;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'ZUNION',
    summary: 'Returns the union of sorted sets.',
    storeSummary: 'Stores the union of sorted sets.',
    storeSince: '2.0.0',
    complexity: 'O(N)+O(M*log(M)) for N members in all sets and M in the result.',
    event: events.zunionstore,
    weighs: true,
    compute: union,
  },
  {
    name: 'ZINTER',
    summary: 'Returns the intersection of sorted sets.',
    storeSummary: 'Stores the intersection of sorted sets.',
    storeSince: '2.0.0',
    complexity:
      'O(N*K)+O(M*log(M)) at worst, for K sets of which the smallest has N members, and M in the result.',
    event: events.zinterstore,
    weighs: true,
    compute: intersection,
  },
  {
    name: 'ZDIFF',
    summary: 'Returns the difference of sorted sets: members of the first that no other has.',
    storeSummary: 'Stores the difference of sorted sets: members of the first that no other has.',
    storeSince: '6.2.0',
    complexity: 'O(L + (N-K)*log(N)) at worst, for L members in all sets, N in the first, K left.',
    event: events.zdiffstore,
    weighs: false,
    compute: difference,
  },
];

const keyDocs: readonly ArgumentDoc[] = [
  { name: 'numkeys', type: 'integer' },
  { name: 'key', type: 'key', multiple: true },
];

const weightDocs: readonly ArgumentDoc[] = [
  { name: 'weight', type: 'integer', token: 'WEIGHTS', optional: true, multiple: true },
  {
    name: 'aggregate',
    type: 'oneof',
    token: 'AGGREGATE',
    optional: true,
    arguments: [
      { name: 'sum', type: 'pure-token', token: 'SUM' },
      { name: 'min', type: 'pure-token', token: 'MIN' },
      { name: 'max', type: 'pure-token', token: 'MAX' },
    ],
  },
];

const common = { group: 'sorted-set' } as const satisfies Partial<CommandHead>;

function answering(operation: Operation): OneShardCommand {
  const { name, summary, complexity, weighs } = operation;
  return oneShard({
    ...common,
    name,
    summary,
    since: '6.2.0',
    complexity,
    arity: -3,
    flags: ['readonly'],
    keys: countedKeys(1, 'RO', 'access'),
    args: [
      ...keyDocs,
      ...(weighs ? weightDocs : []),
      { name: 'withscores', type: 'pure-token', token: 'WITHSCORES', optional: true },
    ],
    run(context, args) {
      const { sources, aggregate, withScores } = readSources(context, args, 1, operation, true);
      const { reply } = context;
      const members = operation.compute(context.keyspace, sources, aggregate);
      writeMembersHeader(reply, members.count, withScores);
      for (let more = members.seek(0); more; more = members.next()) {
        members.read();
        writeMember(reply, members, withScores);
      }
    },
  });
}

function storing(operation: Operation): OneShardCommand {
  const { name, storeSummary, storeSince, complexity, event, weighs } = operation;
  return oneShard({
    ...common,
    name: `${name}STORE`,
    summary: storeSummary,
    since: storeSince,
    complexity,
    arity: -4,
    flags: ['write', 'denyoom'],
    keys: allOf(keySpec(1, 'OW', 'update'), countedSpec(2, 'RO', 'access')),
    args: [{ name: 'destination', type: 'key' }, ...keyDocs, ...(weighs ? weightDocs : [])],
    run(context, args) {
      const { sources, aggregate } = readSources(context, args, 2, operation, false);
      const members = operation.compute(context.keyspace, sources, aggregate);
      storeMembers(context, args, 1, members, event);
    },
  });
}

const zintercard = oneShard({
  ...common,
  name: 'ZINTERCARD',
  summary: 'Counts the members of the intersection of sorted sets.',
  since: '7.0.0',
  complexity: 'O(N*K) at worst, for K sets of which the smallest has N members.',
  arity: -3,
  flags: ['readonly'],
  keys: countedKeys(1, 'RO', 'access'),
  args: [...keyDocs, { name: 'limit', type: 'integer', token: 'LIMIT', optional: true }],
  run(context, args) {
    const keys = keyCount(context, args, 1, 'zintercard');
    let limit = 0;
    args.position = 2 + keys;
    while (args.more) {
      if (args.left < 2 || !args.takes('LIMIT')) throw errors.syntax;
      limit = args.roundedAt(args.next(), negativeLimit);
      if (limit < 0) throw negativeLimit;
    }
    let count = 0;
    eachCommon(openSources(context, args, 2, 2 + keys), aggregates.SUM, () => {
      count += 1;
      return count !== limit;
    });
    context.reply.integer(count);
  },
});

export const sortedSetOperations = [
  ...OPERATIONS.flatMap((operation) => [answering(operation), storing(operation)]),
  zintercard,
];

const negativeLimit = new CommandError("ERR LIMIT can't be negative");
const notFloatWeight = new CommandError('ERR weight value is not a float');

/** Returns the number of keys that the argument at `countIndex` names, each of which is judged. */
function keyCount(
  context: ShardContext,
  args: Arguments,
  countIndex: number,
  command: string,
): number {
  const keys = args.roundedAt(countIndex);
  if (keys < 1)
    throw new CommandError(`ERR at least 1 input key is needed for '${command}' command`);
  if (keys > args.count - countIndex - 1) throw errors.syntax;
  demandSources(context, args, countIndex + 1, countIndex + 1 + keys);
  return keys;
}

interface SetOperationSources {
  sources: readonly (Source | undefined)[];
  aggregate: Aggregate;
  withScores: boolean;
}

/** The sources and options after the argument with their number. */
function readSources(
  context: ShardContext,
  args: Arguments,
  countIndex: number,
  { name, weighs }: Operation,
  mayScore: boolean,
): SetOperationSources {
  const command = mayScore ? name.toLowerCase() : `${name.toLowerCase()}store`;
  const keys = keyCount(context, args, countIndex, command);
  const sources = openSources(context, args, countIndex + 1, countIndex + 1 + keys);
  const found: SetOperationSources = { sources, aggregate: aggregates.SUM, withScores: false };
  args.position = countIndex + 1 + keys;
  while (args.more) {
    if (weighs && args.left > keys && args.takes('WEIGHTS')) {
      readWeights(args, sources);
    } else if (weighs && args.left >= 2 && args.takes('AGGREGATE')) {
      found.aggregate = readAggregate(args);
    } else if (mayScore && args.takes('WITHSCORES')) {
      found.withScores = true;
    } else {
      throw errors.syntax;
    }
  }
  return found;
}

function readWeights(args: Arguments, sources: readonly (Source | undefined)[]): void {
  for (const source of sources) {
    const weight = args.double(notFloatWeight);
    if (source !== undefined) source.weight = weight;
  }
}

function readAggregate(args: Arguments): Aggregate {
  for (const name of ['SUM', 'MIN', 'MAX'] as const) if (args.takes(name)) return aggregates[name];
  throw errors.syntax;
}
