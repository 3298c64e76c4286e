/** BITOP: a string made of others, bit by bit. */

import { type Bytes, CommandError, errors } from '#base';
import { valueScratch, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { allOf, keySpec, keysToEnd } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, findString, overwrittenAt } from '../elements/lookup.ts';
import { GIVEN_RAW } from '../string/write.ts';
import { BIT_OPERATIONS, combined, type BitOperation } from './bitwise.ts';

const operations: ReadonlySet<string> = new Set(BIT_OPERATIONS);
/** Operations that compare the first source with the others. */
const COMPARISONS: ReadonlySet<BitOperation> = new Set(['DIFF', 'DIFF1', 'ANDOR']);

const notTakesOne = new CommandError('ERR BITOP NOT must be called with a single source key.');

export const bitop = oneShard({
  name: 'BITOP',
  summary: 'Combines strings bit by bit and stores the result.',
  since: '2.6.0',
  complexity: 'O(N) for N bytes of the longest string.',
  group: 'bitmap',
  arity: -4,
  flags: ['write', 'denyoom'],
  keys: allOf(keySpec(2, 'OW', 'update'), ...keysToEnd('RO', 'access', 3).specs),
  args: [
    {
      name: 'operation',
      type: 'oneof',
      arguments: [
        { name: 'and', type: 'pure-token', token: 'AND' },
        { name: 'or', type: 'pure-token', token: 'OR' },
        { name: 'xor', type: 'pure-token', token: 'XOR' },
        { name: 'not', type: 'pure-token', token: 'NOT' },
        { name: 'diff', type: 'pure-token', token: 'DIFF', since: '8.2.0' },
        { name: 'diff1', type: 'pure-token', token: 'DIFF1', since: '8.2.0' },
        { name: 'andor', type: 'pure-token', token: 'ANDOR', since: '8.2.0' },
        { name: 'one', type: 'pure-token', token: 'ONE', since: '8.2.0' },
      ],
    },
    { name: 'destkey', type: 'key', keySpec: 0 },
    { name: 'key', type: 'key', multiple: true, keySpec: 1 },
  ],
  history: [['8.2.0', 'Added DIFF, DIFF1, ANDOR and ONE.']],
  run(context, args) {
    const operation = args.latin1(1).toUpperCase();
    if (!isOperation(operation)) throw errors.syntax;
    if (operation === 'NOT' && args.count !== 4) throw notTakesOne;
    if (COMPARISONS.has(operation) && args.count < 5) throw tooFewSources(operation);
    const sources: Bytes[] = [];
    for (let index = 3; index < args.count; index += 1) {
      sources.push(sourceBytes(context, args, index));
    }
    const result = combined(operation, sources);
    keep(context, args, result);
    context.reply.integer(result.length);
  },
});

function tooFewSources(operation: BitOperation): CommandError {
  return new CommandError(`ERR BITOP ${operation} must be called with at least two source keys.`);
}

function isOperation(name: string): name is BitOperation {
  return operations.has(name);
}

function sourceBytes(context: ShardContext, args: Arguments, index: number): Bytes {
  const ref = findString(context, args, index);
  if (ref === 0) return new Uint8Array(0);
  const { bytes, at, length } = context.keyspace.value(ref);
  return bytes.subarray(at, at + length);
}

function keep(context: ShardContext, args: Arguments, result: Bytes): void {
  const { keyspace } = context;
  const key = [args.source, args.at(2), args.length(2)] as const;
  if (result.length > 0) {
    const old = keyspace.peek(...key);
    const before = old === 0 ? undefined : keyspace.type(old);
    // The result is the value: it is not copied.
    keyspace.set(args.keySpan(2), valueScratch.all(result), GIVEN_RAW);
    if (before === undefined) createdAt(context, args, 2);
    else overwrittenAt(context, args, 2, { before, after: ValueType.string });
    changedAt(context, args, 2, events.set);
  } else if (keyspace.remove(...key)) {
    changedAt(context, args, 2, events.del);
  }
}
