/** INCRBYFLOAT: counting in fractions, with Redis' long doubles. */

import {
  addLongDoubles,
  errors,
  formatLongDouble,
  latin1,
  LONG_DOUBLE_BYTES_MAX,
  parseLongDouble,
  type Bytes,
  type LongDouble,
} from '#base';
import { ValueType } from '#store';
import { oneShard } from '../definition.ts';
import { oneKey } from '../keys.ts';
import { events } from '../keyspace/events.ts';
import { changedAt, createdAt, findStringToWrite } from '../keyspace/lookup.ts';
import { StringForm } from './encoding.ts';

const incrbyfloat = oneShard({
  name: 'INCRBYFLOAT',
  summary: 'Adds a number, which may have a fraction, to the number of a key.',
  since: '2.6.0',
  complexity: 'O(1)',
  group: 'string',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'increment', type: 'double' },
  ],
  run(context, args) {
    const { keyspace, reply } = context;
    const ref = findStringToWrite(context, args, 1);
    const { bytes, at, length } = ref === 0 ? ZERO : keyspace.value(ref);
    const old = numberOf(bytes, at, length);
    const increment = numberOf(args.source, args.at(2), args.length(2));
    const sum = addLongDoubles(old, increment);
    if (sum === undefined || sum.infinite) throw errors.nanOrInfinity;
    const text = Buffer.from(formatLongDouble(sum), 'latin1');
    const keyAt = args.at(1);
    const keyBytes = args.length(1);
    const type = ValueType.string;
    keyspace.set(args.source, keyAt, keyBytes, text, 0, text.length, true, type, StringForm.text);
    if (ref === 0) createdAt(context, args, 1);
    changedAt(context, args, 1, events.incrbyfloat);
    reply.bulk(text);
  },
});

export const stringFractions = [incrbyfloat];

const ZERO = { bytes: Buffer.from('0'), at: 0, length: 1 };

function numberOf(bytes: Bytes, at: number, length: number): LongDouble {
  const number =
    length > LONG_DOUBLE_BYTES_MAX ? undefined : parseLongDouble(latin1(bytes, at, length));
  if (number === undefined) throw errors.notFloat;
  return number;
}
