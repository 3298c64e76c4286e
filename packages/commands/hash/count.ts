/** HINCRBY and HINCRBYFLOAT: counting in a field. The end of the field stays. */

import {
  addLongDoubles,
  CommandError,
  errors,
  formatLongDouble,
  INT64_MAX,
  INT64_MIN,
  type LongDouble,
  parseInteger64,
} from '#base';
import type { HashValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { longDoubleOf } from '../arguments/long-double.ts';
import { oneKey } from '../definition/keys.ts';
import { changedAt } from '../elements/lookup.ts';
import { events } from '../contexts/events.ts';
import { fieldAt, findField, hashToFill, newHash } from './lookup.ts';

const notInteger = new CommandError('ERR hash value is not an integer');
const notFloat = new CommandError('ERR hash value is not a float');
const notFinite = new CommandError('ERR value is NaN or Infinity');

const hincrby = oneShard({
  name: 'HINCRBY',
  summary: 'Adds a number to the integer of a field; a missing field counts as 0.',
  since: '2.0.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'field', type: 'string' },
    { name: 'increment', type: 'integer' },
  ],
  run(context, args) {
    const increment = parseInteger64(args.source, args.at(3), args.length(3));
    if (increment === undefined) throw errors.notInteger;
    const { hash, isThere } = fieldToCount(context, args);
    let old: bigint | undefined = 0n;
    if (isThere) {
      hash.readValue();
      old = parseInteger64(hash.bytes, hash.at, hash.length);
      if (old === undefined) throw notInteger;
    }
    const sum = old + increment;
    if (sum < INT64_MIN || sum > INT64_MAX) throw errors.overflow;
    putText(hash, args, sum.toString());
    changedAt(context, args, 1, events.hincrby);
    context.reply.bigInteger(sum);
  },
});

const hincrbyfloat = oneShard({
  name: 'HINCRBYFLOAT',
  summary: 'Adds a floating-point number to the number of a field; a missing field counts as 0.',
  since: '2.6.0',
  complexity: 'O(1)',
  group: 'hash',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  field: 2,
  args: [
    { name: 'key', type: 'key' },
    { name: 'field', type: 'string' },
    { name: 'increment', type: 'double' },
  ],
  run(context, args) {
    const increment = longDoubleOf(args.source, args.at(3), args.length(3), errors.notFloat);
    if (increment.infinite) throw notFinite;
    const { hash, isThere } = fieldToCount(context, args);
    let sum: LongDouble | undefined = increment;
    if (isThere) {
      hash.readValue();
      sum = addLongDoubles(longDoubleOf(hash.bytes, hash.at, hash.length, notFloat), increment);
    }
    if (sum === undefined || sum.infinite) throw errors.nanOrInfinity;
    const text = formatLongDouble(sum);
    putText(hash, args, text);
    changedAt(context, args, 1, events.hincrbyfloat);
    if (context.isReplicated) reportSum(context, args, hash, text);
    context.reply.text(text, 'latin1');
  },
});

export const hashCounting = [hincrby, hincrbyfloat];

function fieldToCount(
  context: ShardContext,
  args: Arguments,
): { hash: HashValue; isThere: boolean } {
  const hash = hashToFill(context, args);
  const state = findField(context, args, 2);
  return { hash: state === 'gone' ? newHash(context, args) : hash, isThere: state === 'there' };
}

/** Replicates the sum, and the expiry of the field, which setting a field clears. */
function reportSum(context: ShardContext, args: Arguments, hash: HashValue, text: string): void {
  context.logAs(['HSET', args.copy(1), args.copy(2), text]);
  const isThere = hash.find(args.source, args.at(2), args.length(2));
  if (!isThere || hash.expiry < 0) return;
  const end = String(hash.expiry);
  context.logAs(['HPEXPIREAT', args.copy(1), end, 'FIELDS', '1', args.copy(2)]);
}

function putText(hash: HashValue, args: Arguments, text: string): void {
  const bytes = Buffer.from(text, 'latin1');
  hash.put(fieldAt(args, 2), { bytes, at: 0, length: bytes.length }, true);
}
