/** XADD and XTRIM: entries come at the end and go from the front. */

import { type Bytes, CommandError, errors } from '#base';
import { type EntryPieces, NODE_BYTES_MAX, type Stream, StreamId } from '#store';
import { Arguments } from '../arguments/arguments.ts';
import { kept, type ShardContext } from '../contexts/contexts.ts';
import { oneShard } from '../definition/definition.ts';
import { changedAt, notifyAt } from '../elements/lookup.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { idText, isSign, readNewId, replyId } from './entries/ids.ts';
import { newStream, streamToWrite } from './entries/lookup.ts';
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
    chooseId(stream, context.nowMs);
    demandSize(args);
    stream.append(idScratch, entry, limitsOf(context));
    const trimmed = trimmingScratch.isGiven ? stream.trim(trimmingScratch) : 0;
    target.post();
    replyId(reply, idScratch);
    changedAt(context, args, 1, events.xadd);
    if (trimmed > 0) notifyAt(context, args, 1, events.xtrim);
    const isApproximate = trimmingScratch.isApproximate;
    if (context.isLogged && isApproximate) logAdded(context, args, stream.length);
    else if (context.isReplicated && (!wish.hasId || wish.isSequenceOpen))
      reportAdded(context, args);
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
  args: [{ name: 'key', type: 'key' }, trimDoc],
  tips: ['nondeterministic_output'],
  history: [['6.2.0', 'Added MINID and LIMIT.']],
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

/** Logs the entry and the length after trimming: the end of an approximate one depends on how large nodes were then. */
function logAdded(context: ShardContext, args: Arguments, length: number): void {
  const pieces: Bytes[] = [];
  for (let nth = args.count - args.left; nth < args.count; nth += 1) pieces.push(args.copy(nth));
  context.logAs(['XADD', args.copy(1), idText(idScratch), ...pieces]);
  logTrimmed(context, args, length);
}

/** Replicates the entry with its id, and the trimming options. */
function reportAdded(context: ShardContext, args: Arguments): void {
  const words: Bytes[] = [];
  for (let nth = 0; nth < args.count; nth += 1) {
    words.push(nth === entry.first - 1 ? idText(idScratch) : args.copy(nth));
  }
  context.logAs(words);
}

function logTrimmed(context: ShardContext, args: Arguments, length: number): void {
  context.logAs(['XTRIM', args.copy(1), 'MAXLEN', String(length)]);
}

function readAddOptions(context: ShardContext, args: Arguments): void {
  trimmingScratch.clear();
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
    if (trimmingScratch.take(args)) continue;
    if (args.takes('NOMKSTREAM')) {
      wish.makes = false;
      continue;
    }
    wish.isSequenceOpen = readNewId(args, args.next(), idScratch);
    wish.hasId = true;
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
