/** XADD and XTRIM: entries come at the end and go from the front. */

import { type Bytes, CommandError, errors, fromLatin1 } from '#base';
import { type EntryPieces, NODE_BYTES_MAX, type Stream, StreamId } from '#store';
import { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { changedAt, notifyAt } from '../elements/lookup.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { idText, isSign, readNewId, replyId } from './entries/ids.ts';
import { newStream, streamToWrite } from './entries/lookup.ts';
import { explicitId, idempotencyDoc, IdempotentAdd } from './idempotency/idempotent-add.ts';
import { referencesDoc } from './references/reference-options.ts';
import { noStrategy, trimDoc, TrimOptions } from './trim-options.ts';

const OPTIONS_INDEX = 2;

const zeroId = new CommandError('ERR The ID specified in XADD must be greater than 0-0');
const exhausted = new CommandError(
  'ERR The stream has exhausted the last possible ID, unable to add more items',
);
const smallId = new CommandError(
  'ERR The ID specified in XADD is equal or smaller than the target stream top item',
);
const tooLarge = new CommandError('ERR Elements are too large to be stored');

// Options of the current command; reused for all.
const trimmingScratch = new TrimOptions();
const idempotencyScratch = new IdempotentAdd();
const wish = { makes: true, hasId: false, isSequenceOpen: false };
const idScratch = new StreamId();
const limitsOf = kept((settings) => ({
  nodeBytes: settings.number('encoding.stream-node-max-bytes'),
  nodeEntries: settings.number('encoding.stream-node-max-entries'),
}));
const entry = { pieces: new Arguments() as EntryPieces['pieces'], first: 0, end: 0 };

const xadd = oneShard({
  name: 'XADD',
  summary: 'Appends an entry to a stream; may trim the stream.',
  since: '5.0.0',
  complexity: 'O(1), and O(N) for N entries that are trimmed away.',
  group: 'stream',
  arity: -5,
  flags: ['write', 'denyoom', 'fast'],
  keys: {
    specs: [
      {
        begin: { index: 1 },
        find: { last: 0, step: 1, limit: 0 },
        access: 'RW',
        use: ['update'],
        notes: 'An update and no insert, because the stream may be trimmed.',
      },
    ],
  },
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'nomkstream',
      type: 'pure-token',
      token: 'NOMKSTREAM',
      since: '6.2.0',
      optional: true,
    },
    { ...referencesDoc, since: '8.2.0' },
    idempotencyDoc,
    { ...trimDoc, optional: true },
    {
      name: 'id-selector',
      type: 'oneof',
      arguments: [
        { name: 'auto-id', type: 'pure-token', token: '*' },
        { name: 'id', type: 'string' },
      ],
    },
    {
      name: 'data',
      type: 'block',
      multiple: true,
      arguments: [
        { name: 'field', type: 'string' },
        { name: 'value', type: 'string' },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  history: [
    ['6.2.0', 'Added NOMKSTREAM, MINID and LIMIT.'],
    ['7.0.0', 'The server can generate the sequence number of an id.'],
    ['8.2.0', 'Added KEEPREF, DELREF and ACKED.'],
    ['8.6.0', 'Added IDMP and IDMPAUTO.'],
  ],
  run(context, args) {
    const { reply } = context;
    readAddOptions(context, args);
    const found = streamToWrite(context, args);
    if (found === undefined && !wish.makes) {
      reply.nil();
      return;
    }
    const target = found ?? newStream(context, args);
    const { stream } = target;
    if (idempotencyScratch.isGiven && replyKnown(context, args, stream)) return;
    chooseId(stream, context.nowMs);
    demandSize(args);
    stream.append(idScratch, entry, limitsOf(context));
    remember(stream, context.nowMs);
    const trimmed = trimmingScratch.isGiven ? stream.trim(trimmingScratch) : 0;
    target.post();
    replyId(reply, idScratch);
    changedAt(context, args, 1, events.xadd);
    if (trimmed > 0) notifyAt(context, args, 1, events.xtrim);
    logAddition(context, args, stream.length, trimmed);
  },
});

const xtrim = oneShard({
  name: 'XTRIM',
  summary: 'Removes the oldest entries of a stream.',
  since: '5.0.0',
  complexity: 'O(N) for N entries that are removed, most of them by whole nodes.',
  group: 'stream',
  arity: -4,
  flags: ['write'],
  keys: oneKey('RW', 'delete'),
  args: [{ name: 'key', type: 'key' }, trimDoc, { ...referencesDoc, since: '8.2.0' }],
  tips: ['nondeterministic_output'],
  history: [
    ['6.2.0', 'Added MINID and LIMIT.'],
    ['8.2.0', 'Added KEEPREF, DELREF and ACKED.'],
  ],
  run(context, args) {
    trimmingScratch.clear();
    args.position = OPTIONS_INDEX;
    while (args.more) if (!trimmingScratch.take(args)) throw errors.syntax;
    if (!trimmingScratch.isGiven && trimmingScratch.limit === 0) throw noStrategy;
    trimmingScratch.finish(context);
    const target = streamToWrite(context, args);
    const trimmed = target?.stream.trim(trimmingScratch) ?? 0;
    target?.post();
    if (trimmed > 0) changedAt(context, args, 1, events.xtrim, trimmed);
    if (context.isLogged && trimmed > 0 && trimmingScratch.isApproximate) {
      logTrimmed(context, args, target!.stream.length);
    }
    context.reply.integer(trimmed);
  },
});

export const streamAdding = [xadd, xtrim];

/** Replies with the id of the entry that came with the same idempotent id; false if there is none. */
function replyKnown(context: ShardContext, args: Arguments, stream: Stream): boolean {
  idempotencyScratch.resolve(args, entry.first, entry.end);
  // A primary that names the id has added the entry.
  if (wish.hasId) return false;
  const { idempotentIds } = stream;
  const { producer, id } = idempotencyScratch;
  const known = idempotentIds.find(producer, id, context.nowMs);
  if (known === undefined) return false;
  idempotentIds.duplicates += 1;
  replyId(context.reply, known);
  return true;
}

/** Remembers the idempotent id of the entry that was added, and forgets those that have expired. */
function remember({ idempotentIds }: Stream, nowMs: number): void {
  const { isGiven, producer, id } = idempotencyScratch;
  idempotentIds.expire(producer, nowMs);
  if (isGiven) idempotentIds.remember(producer, id, idScratch);
}

/** Logs what the command did where it would not do the same again: ids, and the end of an approximate trimming. */
function logAddition(
  context: ShardContext,
  args: Arguments,
  length: number,
  trimmed: number,
): void {
  const { isGiven: isIdempotent } = idempotencyScratch;
  const { isApproximate } = trimmingScratch;
  const isNumbered = !wish.hasId || wish.isSequenceOpen;
  if ((context.isLogged && isApproximate) || (isIdempotent && isRecorded(context))) {
    logEntry(context, args);
    if (isApproximate || trimmed > 0) logTrimmed(context, args, length);
  } else if (context.isReplicated && isNumbered) {
    reportAdded(context, args);
  }
}

function isRecorded({ isLogged, isReplicated }: ShardContext): boolean {
  return isLogged || isReplicated;
}

/** Logs the entry under its id, and its idempotent id. What is trimmed follows: the entry must be there before. */
function logEntry(context: ShardContext, args: Arguments): void {
  const key = args.copy(1);
  const id = idText(idScratch);
  const pieces: Bytes[] = [];
  for (let nth = entry.first; nth < entry.end; nth += 1) pieces.push(args.copy(nth));
  context.logAs(['XADD', key, id, ...pieces]);
  if (!idempotencyScratch.isGiven) return;
  const { producer, id: idempotentId } = idempotencyScratch;
  const names = [fromLatin1(producer), fromLatin1(idempotentId)];
  context.logAs(['XIDMPRECORD', key, ...names, id]);
}

/** Replicates the entry with its id, and the trimming options. */
function reportAdded(context: ShardContext, args: Arguments): void {
  const words: Bytes[] = [];
  for (let nth = 0; nth < args.count; nth += 1) {
    words.push(nth === entry.first - 1 ? idText(idScratch) : args.copy(nth));
  }
  context.logAs(words);
}

/** Logs the length after trimming: the end of an approximate one depends on how large nodes were then. */
function logTrimmed(context: ShardContext, args: Arguments, length: number): void {
  const words = trimmingScratch.referenceWords;
  context.logAs(['XTRIM', args.copy(1), 'MAXLEN', String(length), ...words]);
}

function readAddOptions(context: ShardContext, args: Arguments): void {
  trimmingScratch.clear();
  idempotencyScratch.clear();
  wish.makes = true;
  wish.hasId = false;
  wish.isSequenceOpen = false;
  args.position = OPTIONS_INDEX;
  for (;;) {
    if (!args.more) break;
    if (isSign(args, args.position, '*')) {
      args.position += 1;
      break;
    }
    if (trimmingScratch.take(args) || idempotencyScratch.take(args)) continue;
    if (args.takes('NOMKSTREAM')) {
      wish.makes = false;
      continue;
    }
    wish.isSequenceOpen = readNewId(args, args.next(), idScratch);
    wish.hasId = true;
    if (idempotencyScratch.isGiven && !context.isObeyed) throw explicitId;
    break;
  }
  trimmingScratch.finish(context);
  if (args.left < 2 || args.left % 2 === 1) throw errors.wrongArguments('xadd');
  if (wish.hasId && !wish.isSequenceOpen && idScratch.isZero) throw zeroId;
  entry.pieces = args;
  entry.first = args.position;
  entry.end = args.count;
}

/** Sets `id` to that of the new entry. */
function chooseId({ lastId }: Stream, nowMs: number): void {
  if (lastId.isMax) throw exhausted;
  if (!wish.hasId) {
    idScratch.setMs(nowMs);
    if (!idScratch.sharesMs(lastId) && idScratch.compare(lastId) > 0) return;
    idScratch.set(lastId).increment();
    return;
  }
  if (wish.isSequenceOpen && idScratch.sharesMs(lastId)) {
    // The number after the last one of a millisecond is in the next.
    if (!idScratch.set(lastId).increment() || !idScratch.sharesMs(lastId)) throw smallId;
  }
  if (idScratch.compare(lastId) <= 0) throw smallId;
}

function demandSize(args: Arguments): void {
  let bytes = 0;
  for (let index = entry.first; index < entry.end; index += 1) bytes += args.length(index);
  if (bytes > NODE_BYTES_MAX) throw tooLarge;
}
