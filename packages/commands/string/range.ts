/** Parts of strings: reading a range, writing over one, adding at the end. */

import { type Bytes, errors } from '#base';
import type { Ref } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { changedAt, createdAt, findString, findStringToWrite } from '../elements/lookup.ts';
import { StringForm } from './encoding.ts';
import { createZeros } from './write.ts';

const rangeArguments: readonly ArgumentDoc[] = [
  { name: 'key', type: 'key' },
  { name: 'start', type: 'integer' },
  { name: 'end', type: 'integer' },
];

const getrange = oneShard({
  name: 'GETRANGE',
  summary: 'Returns a part of a string, given by its first and last byte.',
  since: '2.4.0',
  complexity: 'O(N) for N bytes of the part.',
  group: 'string',
  arity: 4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: rangeArguments,
  run: answerRange,
});

const substr = oneShard({
  name: 'SUBSTR',
  summary: 'Returns a part of a string, as GETRANGE does.',
  since: '1.0.0',
  complexity: 'O(N) for N bytes of the part.',
  group: 'string',
  arity: 4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: rangeArguments,
  deprecated: { since: '2.0.0', replacedBy: '`GETRANGE`' },
  run: answerRange,
});

const setrange = oneShard({
  name: 'SETRANGE',
  summary: 'Overwrites a part of a string from an offset; a gap is filled with zero bytes.',
  since: '2.2.0',
  complexity: 'O(N) for N bytes written, or for the whole string when it grows.',
  group: 'string',
  arity: 4,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'offset', type: 'integer' },
    { name: 'value', type: 'string' },
  ],
  run(context, args) {
    const { keyspace, reply } = context;
    const offset = args.roundedAt(2);
    if (offset < 0) throw errors.offsetOutOfRange;
    const ref = findStringToWrite(context, args, 1);
    if (args.length(3) === 0) {
      reply.integer(ref === 0 ? 0 : keyspace.length(ref));
      return;
    }
    demandLength(context, offset + args.length(3));
    const target = ref === 0 ? createZeros(context, args, offset + args.length(3)) : ref;
    const after = writeRange(context, target, offset, args.view(3));
    changedAt(context, args, 1, events.setrange);
    reply.integer(after);
  },
});

const append = oneShard({
  name: 'APPEND',
  summary: 'Appends to a string; a missing key counts as empty.',
  since: '2.0.0',
  complexity: 'O(1), averaged over many calls.',
  group: 'string',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'insert'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'value', type: 'string' },
  ],
  run(context, args) {
    const { keyspace, reply } = context;
    const ref = findStringToWrite(context, args, 1);
    let after = args.length(2);
    if (ref === 0) {
      keyspace.set(args.keySpan(1), args.valueSpan(2));
      createdAt(context, args, 1);
    } else {
      const before = keyspace.length(ref);
      after += before;
      demandLength(context, after);
      writeRange(context, ref, before, args.view(2));
    }
    changedAt(context, args, 1, events.append);
    reply.integer(after);
  },
});

export const stringRanges = [getrange, substr, setrange, append];

function answerRange(context: ShardContext, args: Arguments): void {
  const start = args.roundedAt(2);
  const end = args.roundedAt(3);
  const ref = findString(context, args, 1);
  const { bytes, at, length } = ref === 0 ? NOTHING : context.keyspace.value(ref);
  const first = fromEnd(start, length);
  // An end before the beginning still takes the first byte, but not in a range that is turned about.
  const isTurned = args.isTurnedRange(2, 3);
  const final = Math.min(fromEnd(end, length), length - 1);
  const count = isTurned ? 0 : Math.max(final - first + 1, 0);
  context.reply.bulk(bytes, count === 0 ? at : at + first, count);
}

/** An index from the beginning: negative ones count from the end. */
function fromEnd(index: number, length: number): number {
  return index < 0 ? Math.max(length + index, 0) : index;
}

const NOTHING = { bytes: Buffer.alloc(0), at: 0, length: 0 };

/** Throws when a string would have more bytes than a bulk string may. */
function demandLength({ settings, isObeyed }: ShardContext, length: number): void {
  if (isObeyed) return;
  if (length > settings.number('server.proto-max-bulk-len')) throw errors.stringTooLong;
}

/** Writes `part` at `offset`, beyond the end after zero bytes. Answers the string's new length. */
function writeRange({ keyspace }: ShardContext, ref: Ref, offset: number, part: Bytes): number {
  const before = keyspace.length(ref);
  const after = Math.max(before, offset + part.length);
  const target = after === before ? ref : keyspace.resize(ref, after);
  keyspace.setEncoding(target, StringForm.raw);
  const { bytes, at } = keyspace.value(target);
  bytes.set(part, at + offset);
  return after;
}
