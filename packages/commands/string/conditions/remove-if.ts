/** DELEX and DELIFEQ: removing a key if its string is as expected. */

import { CommandError, errors } from '#base';
import { type Ref, ValueType } from '#store';
import type { Arguments, ArgumentSource } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { oneShard } from '../../definition/definition.ts';
import { keySpec, oneKey, type KeyHandling } from '../../definition/keys.ts';
import { events } from '../../contexts/events.ts';
import { changedAt, findStringToWrite, findToWrite } from '../../elements/lookup.ts';
import { conditionAt, conditionDocs, meets, sameAs } from './condition.ts';

const CONDITION_INDEX = 2;
const ARGUMENTS_WITH_CONDITION = 4;

const notString = new CommandError('ERR Key should be of string type if conditions are specified');
const unknownCondition = new CommandError('ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE');

const delex = oneShard({
  name: 'DELEX',
  summary: 'Removes a key, if its string or the digest of that is as expected.',
  since: '8.4.0',
  complexity: 'O(N) for a string of N bytes.',
  group: 'string',
  arity: -2,
  flags: ['write', 'fast'],
  keys: { specs: [{ ...keySpec(1, 'RW', 'delete'), variable: delexAccess }] },
  args: [
    { name: 'key', type: 'key' },
    { name: 'condition', type: 'oneof', optional: true, arguments: conditionDocs },
  ],
  run(context, args) {
    const hasCondition = args.count !== CONDITION_INDEX;
    if (hasCondition && args.count !== ARGUMENTS_WITH_CONDITION) {
      throw errors.wrongArguments('delex');
    }
    const ref = findToWrite(context, args, 1);
    const isDue = ref !== 0 && (!hasCondition || meetsCondition(context, args, ref));
    replyRemoved(context, args, ref, isDue);
  },
});

/** Without a condition the value is not read. */
function delexAccess(args: ArgumentSource): KeyHandling {
  const access = args.count === CONDITION_INDEX ? 'RM' : 'RW';
  return { access, use: access === 'RM' ? ['delete'] : ['access', 'delete'] };
}

function meetsCondition(context: ShardContext, args: Arguments, ref: Ref): boolean {
  if (context.keyspace.type(ref) !== ValueType.string) throw notString;
  const condition = conditionAt(args, CONDITION_INDEX);
  if (condition === undefined) throw unknownCondition;
  return meets(context, args, ref, condition);
}

const delifeq = oneShard({
  name: 'DELIFEQ',
  summary: 'Removes a key if its string is the given one.',
  since: '9.0.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 3,
  flags: ['write', 'fast'],
  keys: oneKey('RW', ['access', 'delete']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'value', type: 'string' },
  ],
  run(context, args) {
    const ref = findStringToWrite(context, args, 1);
    replyRemoved(context, args, ref, ref !== 0 && sameAs(context, args, ref, 2));
  },
});

export const stringRemovals = [delex, delifeq];

function replyRemoved(context: ShardContext, args: Arguments, ref: Ref, isDue: boolean): void {
  if (isDue) {
    context.keyspace.removeRef(ref);
    // Replicas of other versions know neither command.
    if (context.isReplicated) context.logAs(['DEL', args.copy(1)]);
    changedAt(context, args, 1, events.del);
  }
  context.reply.integer(isDue ? 1 : 0);
}
