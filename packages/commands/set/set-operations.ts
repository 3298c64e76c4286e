/** Intersection, union and difference of sets, answered, counted or stored. */

import { CommandError, errors } from '#base';
import { oneShard, type CommandHead, type OneShardCommand } from '../definition/definition.ts';
import { allOf, countedKeys, keysToEnd, keySpec } from '../definition/keys.ts';
import { events, type KeyEvent } from '../contexts/events.ts';
import { answerMembers, storeMembers } from './set-operation-output.ts';
import {
  difference,
  intersect,
  openAll,
  union,
  type SetOperation,
} from './set-operation-result.ts';

interface Operation {
  name: string;
  summary: string;
  storeSummary: string;
  compute: SetOperation;
  event: KeyEvent;
  complexity: string;
}

const common = { since: '1.0.0', group: 'set' } as const satisfies Partial<CommandHead>;

function answering({ name, summary, compute, complexity }: Operation): OneShardCommand {
  return oneShard({
    ...common,
    name,
    summary,
    complexity,
    arity: -2,
    flags: ['readonly'],
    keys: keysToEnd('RO', 'access'),
    args: [{ name: 'key', type: 'key', multiple: true }],
    tips: ['nondeterministic_output_order'],
    run(context, args) {
      const sets = openAll(context, args, 1, args.count);
      answerMembers(context, compute(context.keyspace, sets).members);
    },
  });
}

function storing({ name, storeSummary, compute, event, complexity }: Operation): OneShardCommand {
  const sources = keysToEnd('RO', 'access', 2).specs;
  return oneShard({
    ...common,
    name: `${name}STORE`,
    summary: storeSummary,
    complexity,
    arity: -3,
    flags: ['write', 'denyoom'],
    keys: allOf(keySpec(1, 'OW', 'update'), ...sources),
    args: [
      { name: 'destination', type: 'key' },
      { name: 'key', type: 'key', multiple: true },
    ],
    run(context, args) {
      const sets = openAll(context, args, 2, args.count);
      storeMembers(context, args, compute(context.keyspace, sets), event);
    },
  });
}

const intersection: Operation = {
  name: 'SINTER',
  summary: 'Returns the intersection of sets.',
  storeSummary: 'Stores the intersection of sets.',
  compute: intersect,
  event: events.sinterstore,
  complexity: 'O(N*M) at worst, for M sets of which the smallest has N members.',
};

const joining: Operation = {
  name: 'SUNION',
  summary: 'Returns the union of sets.',
  storeSummary: 'Stores the union of sets.',
  compute: union,
  event: events.sunionstore,
  complexity: 'O(N) for N members in all sets.',
};

const subtraction: Operation = {
  name: 'SDIFF',
  summary: 'Returns the difference of sets: members of the first that no other has.',
  storeSummary: 'Stores the difference of sets: members of the first that no other has.',
  compute: difference,
  event: events.sdiffstore,
  complexity: 'O(N) for N members in all sets.',
};

const noKeyCount = new CommandError('ERR numkeys should be greater than 0');
const tooManyKeys = new CommandError("ERR Number of keys can't be greater than number of args");
const negativeLimit = new CommandError("ERR LIMIT can't be negative");

const sintercard = oneShard({
  name: 'SINTERCARD',
  summary: 'Counts the members of the intersection of sets.',
  since: '7.0.0',
  complexity: 'O(N*M) at worst, for M sets of which the smallest has N members.',
  group: 'set',
  arity: -3,
  flags: ['readonly'],
  keys: countedKeys(1, 'RO', 'access'),
  args: [
    { name: 'numkeys', type: 'integer' },
    { name: 'key', type: 'key', multiple: true },
    { name: 'limit', type: 'integer', token: 'LIMIT', optional: true },
  ],
  run(context, args) {
    const keys = args.roundedAt(1, noKeyCount);
    if (keys < 1) throw noKeyCount;
    if (keys > args.count - 2) throw tooManyKeys;
    let limit = 0;
    args.position = 2 + keys;
    while (args.more) {
      if (args.left < 2 || !args.takes('LIMIT')) throw errors.syntax;
      limit = args.roundedAt(args.next(), negativeLimit);
      if (limit < 0) throw negativeLimit;
    }
    const sets = openAll(context, args, 2, 2 + keys);
    const most = limit === 0 ? Infinity : limit;
    context.reply.integer(intersect(context.keyspace, sets, most).members.count);
  },
});

export const setOperations = [
  ...[intersection, joining, subtraction].flatMap((each) => [answering(each), storing(each)]),
  sintercard,
];
