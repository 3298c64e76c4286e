/** BITFIELD: integers of any width at any bit of a string. */

import { type Bytes, CommandError, errors, INT64_MAX, parseInteger64 } from '#base';
import type { Ref } from '#store';
import type { Arguments, ArgumentSource } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { keySpec, oneKey, type KeyHandling } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, findString } from '../elements/lookup.ts';
import { bitmapWithBit, readOffset } from './bitmap-key.ts';
import { bitAt, byteOf } from './bits.ts';

const badType = new CommandError(
  'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.',
);
const badOverflow = new CommandError('ERR Invalid OVERFLOW type specified');
const readOnly = new CommandError('ERR BITFIELD_RO only supports the GET subcommand');

type Overflow = 'wrap' | 'sat' | 'fail';

interface Operation {
  kind: 'get' | 'set' | 'incrby';
  isSigned: boolean;
  width: number;
  offset: number;
  value: bigint;
  overflow: Overflow;
}

const fieldArguments: readonly ArgumentDoc[] = [
  { name: 'encoding', type: 'string' },
  { name: 'offset', type: 'integer' },
];

export const bitfield = oneShard({
  name: 'BITFIELD',
  summary: 'Reads, writes and increments integers of any width inside a string.',
  since: '3.2.0',
  complexity: 'O(1) for each operation.',
  group: 'bitmap',
  arity: -2,
  flags: ['write', 'denyoom'],
  keys: { specs: [{ ...keySpec(1, 'RW', ['access', 'update']), variable: handling }] },
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'operation',
      type: 'oneof',
      optional: true,
      multiple: true,
      arguments: [
        { name: 'get-block', type: 'block', token: 'GET', arguments: fieldArguments },
        {
          name: 'write',
          type: 'block',
          arguments: [
            {
              name: 'overflow-block',
              type: 'oneof',
              token: 'OVERFLOW',
              optional: true,
              arguments: [
                { name: 'wrap', type: 'pure-token', token: 'WRAP' },
                { name: 'sat', type: 'pure-token', token: 'SAT' },
                { name: 'fail', type: 'pure-token', token: 'FAIL' },
              ],
            },
            {
              name: 'write-operation',
              type: 'oneof',
              arguments: [
                {
                  name: 'set-block',
                  type: 'block',
                  token: 'SET',
                  arguments: [...fieldArguments, { name: 'value', type: 'integer' }],
                },
                {
                  name: 'incrby-block',
                  type: 'block',
                  token: 'INCRBY',
                  arguments: [...fieldArguments, { name: 'increment', type: 'integer' }],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  run(context, args) {
    run(context, args, readOperations(context, args));
  },
});

export const bitfieldRo = oneShard({
  name: 'BITFIELD_RO',
  summary: 'Reads integers of any width inside a string.',
  since: '6.0.0',
  complexity: 'O(1) for each operation.',
  group: 'bitmap',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'get-block',
      type: 'block',
      token: 'GET',
      optional: true,
      multiple: true,
      multipleToken: true,
      arguments: fieldArguments,
    },
  ],
  run(context, args) {
    const operations = readOperations(context, args);
    if (operations.some(({ kind }) => kind !== 'get')) throw readOnly;
    run(context, args, operations);
  },
});

const READS: KeyHandling = { access: 'RO', use: ['access'] };
const WRITES: KeyHandling = { access: 'RW', use: ['access', 'update'] };

/** A call that only reads does not write to its key; one that is wrong may be meant to. */
function handling(args: ArgumentSource): KeyHandling {
  let index = 2;
  while (index < args.count) {
    const behind = args.count - index - 1;
    if (args.spellsAt(index, 'GET') && behind >= 2) index += 3;
    else if (args.spellsAt(index, 'OVERFLOW') && behind >= 1) index += 2;
    else return WRITES;
  }
  return READS;
}

function readOperations(context: ShardContext, args: Arguments): Operation[] {
  const operations: Operation[] = [];
  let overflow: Overflow = 'wrap';
  args.position = 2;
  while (args.left > 0) {
    if (args.left > 1 && args.takes('OVERFLOW')) {
      overflow = readOverflow(args);
      continue;
    }
    const kind = readKind(args);
    const { isSigned, width } = readType(args);
    const offset = readOffset(context, args, args.next(), width);
    const value = kind === 'get' ? 0n : readValue(args);
    operations.push({ kind, isSigned, width, offset, value, overflow });
  }
  return operations;
}

function readKind(args: Arguments): Operation['kind'] {
  if (args.left > 2 && args.takes('GET')) return 'get';
  if (args.left > 3 && args.takes('SET')) return 'set';
  if (args.left > 3 && args.takes('INCRBY')) return 'incrby';
  throw errors.syntax;
}

function readOverflow(args: Arguments): Overflow {
  if (args.takes('WRAP')) return 'wrap';
  if (args.takes('SAT')) return 'sat';
  if (args.takes('FAIL')) return 'fail';
  throw badOverflow;
}

const WIDTH_MAX_SIGNED = 64;
const WIDTH_MAX_UNSIGNED = 63;

function readType(args: Arguments): { isSigned: boolean; width: number } {
  const [, sign = '', digits = ''] = /^([iu])(\d{1,2})$/.exec(args.text()) ?? [];
  const width = Number(digits);
  const isSigned = sign === 'i';
  const most = isSigned ? WIDTH_MAX_SIGNED : WIDTH_MAX_UNSIGNED;
  if (digits === '' || digits.startsWith('0') || width > most) throw badType;
  return { isSigned, width };
}

function readValue(args: Arguments): bigint {
  const index = args.next();
  const value = parseInteger64(args.source, args.at(index), args.length(index));
  if (value === undefined) throw errors.notInteger;
  return value;
}

function run(context: ShardContext, args: Arguments, operations: readonly Operation[]): void {
  const { reply } = context;
  let ref: Ref;
  let hasGrown = false;
  const finalBit = finalBitWritten(operations);
  if (finalBit < 0) {
    ref = findString(context, args, 1);
  } else {
    const target = bitmapWithBit(context, args, finalBit);
    ref = target.ref;
    hasGrown = target.grown;
  }
  reply.arrayHeader(operations.length);
  let isWritten = false;
  let changes = 0;
  for (const operation of operations) {
    const outcome = apply(context, ref, operation);
    if (outcome.answer === null) reply.nil();
    else reply.bigInteger(outcome.answer);
    isWritten ||= outcome.isWritten;
    if (outcome.isChanged) changes += 1;
  }
  // Growth is a change, even if no bit was written.
  if (hasGrown && changes === 0) changes = 1;
  if (changes > 0) changedAt(context, args, 1, isWritten ? events.setbit : events.silent, changes);
}

/** The last bit that a write has to do with; -1 without any. */
function finalBitWritten(operations: readonly Operation[]): number {
  let final = -1;
  for (const { kind, offset, width } of operations) {
    if (kind !== 'get') final = Math.max(final, offset + width - 1);
  }
  return final;
}

interface Outcome {
  answer: bigint | null;
  isWritten: boolean;
  isChanged: boolean;
}

function apply({ keyspace }: ShardContext, ref: Ref, operation: Operation): Outcome {
  const { kind, offset, width, isSigned } = operation;
  const view = ref === 0 ? { bytes: new Uint8Array(0), at: 0, length: 0 } : keyspace.value(ref);
  const field = { bytes: view.bytes, at: view.at, length: view.length };
  const before = readField(field, offset, width, isSigned);
  if (kind === 'get') return { answer: before, isWritten: false, isChanged: false };
  const after = outcomeOf(operation, before);
  if (after === null) return { answer: null, isWritten: false, isChanged: false };
  writeField(field, offset, width, after);
  const answer = kind === 'set' ? before : after;
  return { answer, isWritten: true, isChanged: before !== after };
}

/** The value to be written, or null when it does not fit and may not be bent. */
function outcomeOf(
  { kind, isSigned, width, value, overflow }: Operation,
  before: bigint,
): bigint | null {
  const least = isSigned ? -(2n ** BigInt(width - 1)) : 0n;
  const most = 2n ** BigInt(isSigned ? width - 1 : width) - 1n;
  // A value to be set in an unsigned field is taken as unsigned, however it was written.
  const set = isSigned ? value : BigInt.asUintN(64, value);
  const wanted = kind === 'set' ? set : before + value;
  if (wanted >= least && wanted <= most) return wanted;
  if (overflow === 'fail') return null;
  if (overflow === 'sat')
    return wanted > most || (kind === 'set' && isSigned && isFarBelow(wanted, most)) ? most : least;
  return isSigned ? BigInt.asIntN(width, wanted) : BigInt.asUintN(width, wanted);
}

/** So far below that Redis takes it for too large: the distance does not fit its 64 bits. */
function isFarBelow(wanted: bigint, most: bigint): boolean {
  return most < INT64_MAX && most - wanted > INT64_MAX;
}

interface Field {
  bytes: Bytes;
  at: number;
  length: number;
}

function readField(
  { bytes, at, length }: Field,
  offset: number,
  width: number,
  isSigned: boolean,
): bigint {
  let value = 0n;
  for (let bit = offset; bit < offset + width; bit += 1) {
    const isThere = byteOf(bit) < length;
    value = (value << 1n) | BigInt(isThere ? bitAt(bytes, at, bit) : 0);
  }
  return isSigned ? BigInt.asIntN(width, value) : value;
}

function writeField({ bytes, at }: Field, offset: number, width: number, value: bigint): void {
  let rest = BigInt.asUintN(width, value);
  for (let bit = offset + width - 1; bit >= offset; bit -= 1) {
    const place = at + byteOf(bit);
    const mask = 1 << (7 - (bit & 7));
    if ((rest & 1n) === 1n) bytes[place]! |= mask;
    else bytes[place]! &= ~mask;
    rest >>= 1n;
  }
}
