/** Counting up and down: integers of 64 bits that are stored as text. */

import {
  digitCount,
  errors,
  INT64_MAX,
  INT64_MIN,
  parseInteger,
  parseInteger64,
  writeInteger,
} from '#base';
import { KEEP_TTL, type Ref, valueScratch } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, findStringToWrite } from '../elements/lookup.ts';
import { StringForm } from './encoding.ts';

const counterHead = {
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'string',
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
} as const satisfies Partial<CommandHead>;

const incr = oneShard({
  ...counterHead,
  name: 'INCR',
  summary: 'Adds 1 to the integer of a key; a missing key counts as 0.',
  arity: 2,
  args: [{ name: 'key', type: 'key' }],
  run: (context, args) => add(context, args, 1),
});

const decr = oneShard({
  ...counterHead,
  name: 'DECR',
  summary: 'Subtracts 1 from the integer of a key; a missing key counts as 0.',
  arity: 2,
  args: [{ name: 'key', type: 'key' }],
  run: (context, args) => add(context, args, -1),
});

const incrby = oneShard({
  ...counterHead,
  name: 'INCRBY',
  summary: 'Adds a number to the integer of a key; a missing key counts as 0.',
  arity: 3,
  args: [
    { name: 'key', type: 'key' },
    { name: 'increment', type: 'integer' },
  ],
  run(context, args) {
    const increment = args.integerAt(2);
    if (Number.isNaN(increment)) add64(context, args, integer64At(args, 2));
    else add(context, args, increment);
  },
});

const decrby = oneShard({
  ...counterHead,
  name: 'DECRBY',
  summary: 'Subtracts a number from the integer of a key; a missing key counts as 0.',
  arity: 3,
  args: [
    { name: 'key', type: 'key' },
    { name: 'decrement', type: 'integer' },
  ],
  run(context, args) {
    const decrement = args.integerAt(2);
    if (!Number.isNaN(decrement)) {
      add(context, args, decrement === 0 ? 0 : -decrement);
      return;
    }
    const large = integer64At(args, 2);
    if (large === INT64_MIN) throw errors.decrementOverflow;
    add64(context, args, -large);
  },
});

export const stringIncrement = [incr, decr, incrby, decrby];

function integer64At(args: Arguments, index: number): bigint {
  const value = parseInteger64(args.source, args.at(index), args.length(index));
  if (value === undefined) throw errors.notInteger;
  return value;
}

function add(context: ShardContext, args: Arguments, increment: number): void {
  const { keyspace } = context;
  const ref = findStringToWrite(context, args, 1);
  let old = 0;
  if (ref !== 0) {
    const { bytes, at, length } = keyspace.value(ref);
    old = parseInteger(bytes, at, length);
  }
  const sum = old + increment;
  // Not a number stands for text that is no integer and for one beyond 53 bits alike.
  if (!Number.isSafeInteger(sum)) {
    add64(context, args, BigInt(increment));
    return;
  }
  if (ref === 0) storeNew(context, args, sum);
  else rewrite(context, ref, sum);
  changedAt(context, args, 1, events.incrby);
  context.reply.integer(sum);
}

/** Room for the text of any 64-bit integer. */
const digitsScratch = Buffer.alloc(24);

function storeNew(context: ShardContext, args: Arguments, value: number): void {
  const length = writeInteger(value, digitsScratch, 0);
  context.keyspace.set(args.keySpan(1), valueScratch.point(digitsScratch, 0, length));
  createdAt(context, args, 1);
}

/** Writes over the old digits, in place where there are as many new ones. */
function rewrite(context: ShardContext, ref: Ref, value: number): void {
  const { keyspace } = context;
  const length = value < 0 ? 1 + digitCount(-value) : digitCount(value);
  const target = keyspace.length(ref) === length ? ref : keyspace.resize(ref, length);
  if (keyspace.encoding(target) !== StringForm.derived) {
    keyspace.setEncoding(target, StringForm.derived);
  }
  const { bytes, at } = keyspace.value(target);
  writeInteger(value, bytes, at);
}

function add64(context: ShardContext, args: Arguments, increment: bigint): void {
  const { keyspace } = context;
  const ref = findStringToWrite(context, args, 1);
  const { bytes, at, length } = ref === 0 ? ZERO : keyspace.value(ref);
  const old = parseInteger64(bytes, at, length);
  if (old === undefined) throw errors.notInteger;
  const sum = old + increment;
  if (sum < INT64_MIN || sum > INT64_MAX) throw errors.overflow;
  const textBytes = digitsScratch.write(sum.toString(), 'latin1');
  keyspace.set(args.keySpan(1), valueScratch.point(digitsScratch, 0, textBytes), KEEP_TTL);
  if (ref === 0) createdAt(context, args, 1);
  changedAt(context, args, 1, events.incrby);
  context.reply.bigInteger(sum);
}

const ZERO = { bytes: Buffer.from('0'), at: 0, length: 1 };
