/** BITCOUNT and BITPOS: bits of a whole string, or of a range of its bytes or bits. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { findString } from '../elements/lookup.ts';
import { countOnesOfBits, findBit } from './bits.ts';

const unit: ArgumentDoc = {
  name: 'unit',
  type: 'oneof',
  optional: true,
  since: '7.0.0',
  arguments: [
    { name: 'byte', type: 'pure-token', token: 'BYTE' },
    { name: 'bit', type: 'pure-token', token: 'BIT' },
  ],
};

/** A range as the client gave it. */
interface AskedRange {
  start: number;
  end: number;
  hasEnd: boolean;
  isBits: boolean;
}

const whole: AskedRange = { start: 0, end: -1, hasEnd: false, isBits: false };

function readUnit(args: Arguments): boolean {
  if (args.takes('BIT')) return true;
  if (args.takes('BYTE')) return false;
  throw errors.syntax;
}

/** A range in bits, from `first` to `final`; empty when `first` is larger. */
function inBits({ start, end, isBits }: AskedRange, length: number): [number, number] {
  const total = isBits ? length * 8 : length;
  const fromEnd = (index: number): number => (index < 0 ? Math.max(total + index, 0) : index);
  const first = fromEnd(start);
  const final = Math.min(fromEnd(end), total - 1);
  return isBits ? [first, final] : [first * 8, final * 8 + 7];
}

export const bitcount = oneShard({
  name: 'BITCOUNT',
  summary: 'Counts the set bits of a string.',
  since: '2.6.0',
  complexity: 'O(N) for N bytes.',
  group: 'bitmap',
  arity: -2,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'range',
      type: 'block',
      optional: true,
      arguments: [{ name: 'start', type: 'integer' }, { name: 'end', type: 'integer' }, unit],
    },
  ],
  history: [['7.0.0', 'The range may be given in bits.']],
  run(context, args) {
    args.position = 2;
    const asked = args.more ? readCountRange(args) : whole;
    const ref = findString(context, args, 1);
    const isTurned = args.count >= 4 && args.isTurnedRange(2, 3);
    if (ref === 0 || isTurned) {
      context.reply.integer(0);
      return;
    }
    const { bytes, at, length } = context.keyspace.value(ref);
    const [first, final] = inBits(asked, length);
    context.reply.integer(first > final ? 0 : countOnesOfBits(bytes, at, first, final));
  },
});

function readCountRange(args: Arguments): AskedRange {
  if (args.count < 4 || args.count > 5) throw errors.syntax;
  const start = args.roundedAt(args.next());
  const end = args.roundedAt(args.next());
  return { start, end, hasEnd: true, isBits: args.more && readUnit(args) };
}

const badBit = new CommandError('ERR The bit argument must be 1 or 0.');

export const bitpos = oneShard({
  name: 'BITPOS',
  summary: 'Returns the position of the first bit of a string that is 1 or 0.',
  since: '2.8.7',
  complexity: 'O(N) for N bytes.',
  group: 'bitmap',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'bit', type: 'integer' },
    {
      name: 'range',
      type: 'block',
      optional: true,
      arguments: [
        { name: 'start', type: 'integer' },
        {
          name: 'end-unit-block',
          type: 'block',
          optional: true,
          arguments: [{ name: 'end', type: 'integer' }, unit],
        },
      ],
    },
  ],
  history: [['7.0.0', 'The range may be given in bits.']],
  run(context, args) {
    args.position = 2;
    const bit = args.roundedAt(args.next());
    if (bit !== 0 && bit !== 1) throw badBit;
    const asked = args.more ? readPositionRange(args) : whole;
    const ref = findString(context, args, 1);
    if (ref === 0) {
      // A string that is not there is zeros without end.
      context.reply.integer(bit === 1 ? -1 : 0);
      return;
    }
    const { bytes, at, length } = context.keyspace.value(ref);
    const [first, final] = inBits(asked, length);
    const found = first > final ? -1 : findBit(bytes, at, first, final, bit);
    // Beyond the end of the string there are zeros, unless the client said where to stop.
    const isBeyond = found < 0 && bit === 0 && !asked.hasEnd && first <= final;
    context.reply.integer(isBeyond ? length * 8 : found);
  },
});

function readPositionRange(args: Arguments): AskedRange {
  if (args.count > 6) throw errors.syntax;
  const start = args.roundedAt(args.next());
  const isBits = args.count === 6 && readLastUnit(args);
  const hasEnd = args.more;
  const end = hasEnd ? args.roundedAt(args.next()) : -1;
  return { start, end, hasEnd, isBits };
}

/** The unit is validated before the end, which comes first. */
function readLastUnit(args: Arguments): boolean {
  const { position } = args;
  args.position = 5;
  const isBits = readUnit(args);
  args.position = position;
  return isBits;
}
