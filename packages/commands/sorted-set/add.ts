/** ZADD and ZINCRBY: members and their scores. */

import { CommandError, errors } from '#base';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { newSortedSet, sortedSetToWrite } from './lookup.ts';

const zadd = oneShard({
  name: 'ZADD',
  summary: 'Adds members to a sorted set, or updates their scores.',
  since: '1.2.0',
  complexity: 'O(log(N)) for each member, N being how many there are.',
  group: 'sorted-set',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  field: 3,
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'condition',
      type: 'oneof',
      since: '3.0.2',
      optional: true,
      arguments: [
        { name: 'nx', type: 'pure-token', token: 'NX' },
        { name: 'xx', type: 'pure-token', token: 'XX' },
      ],
    },
    {
      name: 'comparison',
      type: 'oneof',
      since: '6.2.0',
      optional: true,
      arguments: [
        { name: 'gt', type: 'pure-token', token: 'GT' },
        { name: 'lt', type: 'pure-token', token: 'LT' },
      ],
    },
    { name: 'change', type: 'pure-token', token: 'CH', since: '3.0.2', optional: true },
    { name: 'increment', type: 'pure-token', token: 'INCR', since: '3.0.2', optional: true },
    {
      name: 'data',
      type: 'block',
      multiple: true,
      arguments: [
        { name: 'score', type: 'double' },
        { name: 'member', type: 'string' },
      ],
    },
  ],
  history: [
    ['2.4.0', 'Accepts several members.'],
    ['3.0.2', 'Added XX, NX, CH and INCR.'],
    ['6.2.0', 'Added GT and LT.'],
  ],
  run(context, args) {
    readOptions(args);
    const pairs = args.left / 2;
    if (pairs === 0 || !Number.isInteger(pairs)) throw errors.syntax;
    judgeOptions(pairs);
    addMembers(context, args, args.position, pairs);
  },
});

const zincrby = oneShard({
  name: 'ZINCRBY',
  summary: 'Adds a number to the score of a member; the score of a missing member counts as 0.',
  since: '1.2.0',
  complexity: 'O(log(N)), N being how many members there are.',
  group: 'sorted-set',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  field: 3,
  args: [
    { name: 'key', type: 'key' },
    { name: 'increment', type: 'integer' },
    { name: 'member', type: 'string' },
  ],
  run(context, args) {
    readOptions(args);
    // Redis reads ZADD's options here too, and an option leaves no pair after it.
    if (args.position > 2) throw errors.syntax;
    options.increments = true;
    addMembers(context, args, 2, 1);
  },
});

export const sortedSetAdding = [zadd, zincrby];

const onlyNewAndOld = new CommandError('ERR XX and NX options at the same time are not compatible');
const contraryOptions = new CommandError(
  'ERR GT, LT, and/or NX options at the same time are not compatible',
);
const onePairOnly = new CommandError('ERR INCR option supports a single increment-element pair');
const notANumber = new CommandError('ERR resulting score is not a number (NaN)');

/** The options of the command that is being run. */
const options = {
  onlyNew: false,
  onlyOld: false,
  onlyGreater: false,
  onlyLess: false,
  countsChanges: false,
  increments: false,
};

/** The scores of the command that is being run: all are read before anything is changed. */
let scoresScratch = new Float64Array(16);

function clearOptions(): void {
  options.onlyNew = false;
  options.onlyOld = false;
  options.onlyGreater = false;
  options.onlyLess = false;
  options.countsChanges = false;
  options.increments = false;
}

function readOptions(args: Arguments): void {
  clearOptions();
  args.position = 2;
  for (;;) {
    if (args.takes('NX')) options.onlyNew = true;
    else if (args.takes('XX')) options.onlyOld = true;
    else if (args.takes('CH')) options.countsChanges = true;
    else if (args.takes('INCR')) options.increments = true;
    else if (args.takes('GT')) options.onlyGreater = true;
    else if (args.takes('LT')) options.onlyLess = true;
    else return;
  }
}

function judgeOptions(pairs: number): void {
  const { onlyNew, onlyOld, onlyGreater, onlyLess, increments } = options;
  if (onlyNew && onlyOld) throw onlyNewAndOld;
  if (Number(onlyNew) + Number(onlyGreater) + Number(onlyLess) > 1) throw contraryOptions;
  if (increments && pairs > 1) throw onePairOnly;
}

function readScores(args: Arguments, first: number, pairs: number): void {
  if (pairs > scoresScratch.length) scoresScratch = new Float64Array(pairs);
  for (let pair = 0; pair < pairs; pair += 1) scoresScratch[pair] = args.doubleAt(first + pair * 2);
}

/** Adds the pairs of scores and members from argument `first` on. */
function addMembers(context: ShardContext, args: Arguments, first: number, pairs: number): void {
  readScores(args, first, pairs);
  putMembers(context, args, first + 1, 2, pairs);
}

/** Takes over ZADD's options NX, XX and CH from another command. */
export function setAddOptions(onlyNew: boolean, onlyOld: boolean, countsChanges: boolean): void {
  clearOptions();
  options.onlyNew = onlyNew;
  options.onlyOld = onlyOld;
  options.countsChanges = countsChanges;
}

/** Sets the score of a member that `putScoredMembers` adds. */
export function setScore(pair: number, score: number): void {
  if (pair >= scoresScratch.length) {
    const larger = new Float64Array(pair * 2);
    larger.set(scoresScratch);
    scoresScratch = larger;
  }
  scoresScratch[pair] = score;
}

/** Adds the members of every `stride`-th argument from `member` on, with the scores that were set. */
export function putMembers(
  context: ShardContext,
  args: Arguments,
  member: number,
  stride: number,
  pairs: number,
): void {
  const { reply } = context;
  const { increments, countsChanges } = options;
  let set = sortedSetToWrite(context, args);
  if (set === undefined && options.onlyOld) {
    if (increments) reply.nil();
    else reply.integer(0);
    return;
  }
  set ??= newSortedSet(context, args, args.piece(member), pairs);
  set.expect(pairs);

  let added = 0;
  let updated = 0;
  let last: Outcome = 'kept';
  for (let pair = 0; pair < pairs; pair += 1) {
    last = put(set, args, member + pair * stride, scoresScratch[pair]!);
    if (last === 'added') added += 1;
    else if (last === 'updated') updated += 1;
  }
  set.fit();
  if (added + updated > 0) {
    const event = increments ? events.zincr : events.zadd;
    changedAt(context, args, 1, event, added + updated);
  }
  if (!increments) reply.integer(countsChanges ? added + updated : added);
  else if (last === 'kept') reply.nil();
  else reply.double(reachedScratch);
}

/** Outcome for a member: `same` has the score that it had, `kept` was not to be touched. */
type Outcome = 'added' | 'updated' | 'same' | 'kept';

/** The score that the last member got. */
let reachedScratch = 0;

function put(set: SortedSetValue, args: Arguments, index: number, given: number): Outcome {
  const { source } = args;
  const at = args.at(index);
  const length = args.length(index);
  reachedScratch = given;
  if (!set.find(source, at, length)) {
    if (options.onlyOld) return 'kept';
    set.add(source, at, length, given);
    return 'added';
  }
  if (options.onlyNew) return 'kept';
  const before = set.score;
  const score = options.increments ? before + given : given;
  if (Number.isNaN(score)) throw notANumber;
  if (options.onlyLess && score >= before) return 'kept';
  if (options.onlyGreater && score <= before) return 'kept';
  reachedScratch = score;
  if (score === before) return 'same';
  set.update(source, at, length, score);
  return 'updated';
}
