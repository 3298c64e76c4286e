/** SETBIT and GETBIT. */

import { CommandError } from '#base';
import { oneShard } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, findString } from '../elements/lookup.ts';
import { bitmapWithBit, readOffset } from './bitmap-key.ts';
import { bitAt, byteOf } from './bits.ts';

const badBit = new CommandError('ERR bit is not an integer or out of range');

export const setbit = oneShard({
  name: 'SETBIT',
  summary: 'Sets or clears one bit of a string; returns its previous value.',
  since: '2.2.0',
  complexity: 'O(1)',
  group: 'bitmap',
  arity: 4,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', ['access', 'update']),
  args: [
    { name: 'key', type: 'key' },
    { name: 'offset', type: 'integer' },
    { name: 'value', type: 'integer' },
  ],
  run(context, args) {
    const offset = readOffset(context, args, 2);
    const bit = args.integerAt(3);
    if (bit !== 0 && bit !== 1) throw badBit;
    const { ref, grown } = bitmapWithBit(context, args, offset);
    const { bytes, at } = context.keyspace.value(ref);
    const before = bitAt(bytes, at, offset);
    if (before !== bit) bytes[at + byteOf(offset)]! ^= 1 << (7 - (offset & 7));
    if (grown || before !== bit) changedAt(context, args, 1, events.setbit);
    context.reply.integer(before);
  },
});

export const getbit = oneShard({
  name: 'GETBIT',
  summary: 'Returns one bit of a string; bits past its end are zero.',
  since: '2.2.0',
  complexity: 'O(1)',
  group: 'bitmap',
  arity: 3,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'offset', type: 'integer' },
  ],
  run(context, args) {
    const offset = readOffset(context, args, 2);
    const ref = findString(context, args, 1);
    if (ref === 0 || byteOf(offset) >= context.keyspace.length(ref)) {
      context.reply.integer(0);
      return;
    }
    const { bytes, at } = context.keyspace.value(ref);
    context.reply.integer(bitAt(bytes, at, offset));
  },
});
