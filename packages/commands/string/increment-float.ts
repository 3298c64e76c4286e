/** INCRBYFLOAT: counting in fractions, with Redis' long doubles. */

import { addLongDoubles, errors, formatLongDouble } from '#base';
import { setOptions, valueScratch } from '#store';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { longDoubleOf } from '../arguments/long-double.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, findStringToWrite } from '../elements/lookup.ts';
import { StringForm } from './encoding.ts';

const incrbyfloat = oneShard({
  name: 'INCRBYFLOAT',
  summary: 'Adds a floating-point number to the number of a key; a missing key counts as 0.',
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
    const old = longDoubleOf(bytes, at, length, errors.notFloat);
    const increment = longDoubleOf(args.source, args.at(2), args.length(2), errors.notFloat);
    const sum = addLongDoubles(old, increment);
    if (sum === undefined || sum.infinite) throw errors.nanOrInfinity;
    const text = Buffer.from(formatLongDouble(sum), 'latin1');
    keyspace.set(args.keySpan(1), valueScratch.all(text), AS_TEXT);
    if (ref === 0) createdAt(context, args, 1);
    changedAt(context, args, 1, events.incrbyfloat);
    // A replica that adds on its own may round differently.
    if (context.isReplicated) context.logAs(['SET', args.copy(1), text, 'KEEPTTL']);
    reply.bulk(text);
  },
});

export const stringIncrementFloat = [incrbyfloat];

const AS_TEXT = setOptions({ keepTtl: true, encoding: StringForm.text });
const ZERO = { bytes: Buffer.from('0'), at: 0, length: 1 };
