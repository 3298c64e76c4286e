/** BITOP: a string made of others, bit by bit. */

import { CommandError, errors, type Bytes } from '#base';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard } from '../definition.ts';
import { allOf, keySpec, keysToEnd } from '../keys.ts';
import { events } from '../keyspace/events.ts';
import { changedAt, createdAt, findString, overwrittenAt } from '../keyspace/lookup.ts';
import { StringForm } from '../string/encoding.ts';

type Operation = (a: number, b: number) => number;

const operations = new Map<string, Operation>([
  ['AND', (a, b) => a & b],
  ['OR', (a, b) => a | b],
  ['XOR', (a, b) => a ^ b],
]);

const notTakesOne = new CommandError('ERR BITOP NOT must be called with a single source key.');

export const bitop = oneShard({
  name: 'BITOP',
  summary: 'Combines strings bit by bit and keeps the result.',
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
      ],
    },
    { name: 'destkey', type: 'key', keySpec: 0 },
    { name: 'key', type: 'key', multiple: true, keySpec: 1 },
  ],
  run(context, args) {
    const isNot = args.spellsAt(1, 'NOT');
    const operation = operations.get(args.latin1(1).toUpperCase());
    if (operation === undefined && !isNot) throw errors.syntax;
    if (isNot && args.count !== 4) throw notTakesOne;
    const sources: Bytes[] = [];
    for (let index = 3; index < args.count; index += 1) {
      sources.push(sourceBytes(context, args, index));
    }
    const result = operation === undefined ? inverted(sources[0]!) : combined(sources, operation);
    keep(context, args, result);
    context.reply.integer(result.length);
  },
});

function sourceBytes(context: ShardContext, args: Arguments, index: number): Bytes {
  const ref = findString(context, args, index);
  if (ref === 0) return new Uint8Array(0);
  const { bytes, at, length } = context.keyspace.value(ref);
  return bytes.subarray(at, at + length);
}

function inverted(source: Bytes): Bytes {
  return source.map((byte) => ~byte);
}

/** Shorter strings count as if they went on with zero bytes. */
function combined(sources: readonly Bytes[], operation: Operation): Bytes {
  const [first, ...others] = sources;
  const length = Math.max(...sources.map((source) => source.length));
  const result = new Uint8Array(length);
  if (first !== undefined) result.set(first);
  for (const other of others) {
    for (let index = 0; index < length; index += 1) {
      result[index] = operation(result[index]!, other[index] ?? 0);
    }
  }
  return result;
}

function keep(context: ShardContext, args: Arguments, result: Bytes): void {
  const { keyspace } = context;
  const key = [args.source, args.at(2), args.length(2)] as const;
  if (result.length > 0) {
    const isNew = keyspace.peek(...key) === 0;
    keyspace.setEncoding(keyspace.set(...key, result, 0, result.length), StringForm.raw);
    if (isNew) createdAt(context, args, 2);
    else overwrittenAt(context, args, 2);
    changedAt(context, args, 2, events.set);
  } else if (keyspace.remove(...key)) {
    changedAt(context, args, 2, events.del);
  }
}
