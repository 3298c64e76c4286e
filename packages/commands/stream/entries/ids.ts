/** Ids of entries as arguments and in replies. */

import { type Bytes, CommandError, indexOfByte, INT64_MAX } from '#base';
import type { ReplyWriter } from '#resp';
import { ID_TEXT_BYTES_MAX, readUnsigned, StreamId, unsigned } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ArgumentDoc } from '../../definition/definition.ts';

const ID_ARGUMENT_BYTES_MAX = 127;
const DASH = 0x2d;
const PLUS = 0x2b;
const STAR = 0x2a;
const PAREN = 0x28;

const invalidId = new CommandError('ERR Invalid stream ID specified as stream command argument');
const invalidStart = new CommandError('ERR invalid start ID for the interval');
const invalidEnd = new CommandError('ERR invalid end ID for the interval');

/** Documentation of a number of ids, and the ids. */
export const idsDoc: ArgumentDoc = {
  name: 'ids',
  type: 'block',
  token: 'IDS',
  arguments: [
    { name: 'numids', type: 'integer' },
    { name: 'id', type: 'string', multiple: true },
  ],
};

const textScratch: Bytes = new Uint8Array(ID_TEXT_BYTES_MAX);

/** Forms in which an argument may be written. */
const Form = { strict: 1, openSequence: 2, lastSequence: 4 } as const;

/** True when the id that was parsed last leaves its sequence number to the server. */
let isSequenceOpenScratch = false;

/** Reads the id of argument `index`, which may not be `-` or `+`. Without a sequence number it is 0. */
export function readId(args: Arguments, index: number, id: StreamId): void {
  if (!isId(args, index, id)) throw invalidId;
}

/** Reads an id; returns false if the argument is not one. */
export function isId(args: Arguments, index: number, id: StreamId): boolean {
  return parse(args, index, id, Form.strict);
}

/** Reads an id, or `-` and `+` for the smallest and the greatest id. */
export function readIdOrEdge(args: Arguments, index: number, id: StreamId): void {
  if (!parse(args, index, id, 0)) throw invalidId;
}

/** The id of a new entry; returns whether the server chooses its sequence number (`5-*`). */
export function readNewId(args: Arguments, index: number, id: StreamId): boolean {
  if (!parse(args, index, id, Form.strict | Form.openSequence)) throw invalidId;
  return isSequenceOpenScratch;
}

/** The first id of an interval, which `(` leaves out. */
export function readStart(args: Arguments, index: number, id: StreamId): void {
  const isExclusive = readEdge(args, index, id, 0);
  if (isExclusive && !id.increment()) throw invalidStart;
}

/** The last id of an interval. Without a sequence number it is the last one of its millisecond. */
export function readEnd(args: Arguments, index: number, id: StreamId): void {
  const isExclusive = readEdge(args, index, id, Form.lastSequence);
  if (isExclusive && !id.decrement()) throw invalidEnd;
}

/** An id's text; entries that follow each other often share the milliseconds, which are not written again. */
const shownScratch: Bytes = new Uint8Array(ID_TEXT_BYTES_MAX);
const shownIdScratch = new StreamId();
let shownDashAtScratch = 0;

export function replyId(reply: ReplyWriter, id: StreamId): void {
  if (shownDashAtScratch === 0 || !id.sharesMs(shownIdScratch)) {
    shownIdScratch.set(id);
    shownDashAtScratch = id.writeMs(shownScratch, 0);
  }
  reply.bulk(
    shownScratch,
    0,
    shownDashAtScratch + id.writeSequence(shownScratch, shownDashAtScratch),
  );
}

/** A counter, which a client may have set to anything of 64 bits; beyond 53 it is as near as a double comes. */
export function replyCounter(reply: ReplyWriter, value: number): void {
  if (Number.isSafeInteger(value)) reply.integer(value);
  else reply.bigInteger(value >= Number(INT64_MAX) ? INT64_MAX : BigInt(value));
}

/** A counter's text, as `replyCounter` writes it. */
export function counterText(value: number): string {
  return String(value >= Number(INT64_MAX) ? INT64_MAX : value);
}

/** A copy of an id's text. */
export function idText(id: StreamId): Bytes {
  return textScratch.slice(0, id.write(textScratch, 0));
}

/** True when argument `index` is this one character. */
export function isSign(args: Arguments, index: number, sign: string): boolean {
  return args.length(index) === 1 && args.source[args.at(index)] === sign.charCodeAt(0);
}

function readEdge(args: Arguments, index: number, id: StreamId, form: number): boolean {
  const isExclusive = args.length(index) > 1 && args.source[args.at(index)] === PAREN;
  const isRead = isExclusive
    ? parsePart(args, index, 1, id, form | Form.strict)
    : parse(args, index, id, form);
  if (!isRead) throw invalidId;
  return isExclusive;
}

function parse(args: Arguments, index: number, id: StreamId, form: number): boolean {
  return parsePart(args, index, 0, id, form);
}

/** Reads an argument from `from` on. As in C, a zero byte ends it. */
function parsePart(
  args: Arguments,
  index: number,
  from: number,
  id: StreamId,
  form: number,
): boolean {
  const { source } = args;
  const at = args.at(index) + from;
  const length = args.length(index) - from;
  if (length > ID_ARGUMENT_BYTES_MAX) return false;
  const zeroAt = indexOfByte(source, 0, at, at + length);
  const end = zeroAt < 0 ? at + length : zeroAt;
  isSequenceOpenScratch = false;
  const first = source[at];
  if (end - at === 1 && (first === DASH || first === PLUS)) {
    if (first === DASH) id.setZero();
    else id.setMax();
    return (form & Form.strict) === 0;
  }
  const dashAt = indexOfByte(source, DASH, at, end);
  if (!readUnsigned(source, at, (dashAt < 0 ? end : dashAt) - at)) return false;
  id.setWords(unsigned.high, unsigned.low, 0, 0);
  if (dashAt < 0) {
    const word = (form & Form.lastSequence) === 0 ? 0 : -1;
    id.seqHigh = word;
    id.seqLow = word;
    return true;
  }
  const sequenceBytes = end - dashAt - 1;
  if ((form & Form.openSequence) !== 0 && sequenceBytes === 1 && source[dashAt + 1] === STAR) {
    isSequenceOpenScratch = true;
    return true;
  }
  if (!readUnsigned(source, dashAt + 1, sequenceBytes)) return false;
  id.seqHigh = unsigned.high;
  id.seqLow = unsigned.low;
  return true;
}
