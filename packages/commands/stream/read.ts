/**
 * XREAD and XREADGROUP: the entries after an id, of several streams at once.
 *
 * A command is read once, into a `ReadRequest`, which settles what `$` and `+` stand for. `readNow` then
 * answers what there is, or nothing: who waits for more calls it again with the same request.
 */

import { CommandError } from '#base';
import { type Stream, StreamId, ValueType } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition/definition.ts';
import type { Keys } from '../definition/keys.ts';
import { hasBehind, replyEntries } from './entries/entries.ts';
import { beginClaims, hasForGroup, readForGroup } from './groups/read-for-group.ts';
import { isSign, readId } from './entries/ids.ts';
import { groupAt, noGroup, streamToRead } from './entries/lookup.ts';
import { readOptions, type ReadRequest } from './entries/read-request.ts';

const noLastEntry = new CommandError('ERR the stream last element ID is 0-0');
const newOfXread = new CommandError(
  'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
);

/** Error for ids that are meaningless for reads of a group. */
function meaningless(sign: string): CommandError {
  return new CommandError(
    `ERR The ${sign} ID is meaningless in the context of XREADGROUP: you want to read the history of ` +
      'this consumer by specifying a proper ID, or use the > ID to get new messages. ' +
      `The ${sign} ID would just return an empty result set.`,
  );
}

const endOfXreadgroup = meaningless('$');
const lastOfXreadgroup = meaningless('+');

function streamsAfterKeyword(startFrom: number, altersState: boolean): Keys {
  return {
    specs: [
      {
        begin: { keyword: 'STREAMS', startFrom },
        find: { last: -1, step: 1, limit: 2 },
        access: 'RO',
        use: ['access'],
        ...(altersState ? { altersState } : {}),
      },
    ],
  };
}

const countDoc: ArgumentDoc = { name: 'count', type: 'integer', token: 'COUNT', optional: true };
const blockDoc: ArgumentDoc = {
  name: 'milliseconds',
  type: 'integer',
  token: 'BLOCK',
  optional: true,
};
const streamsDoc: ArgumentDoc = {
  name: 'streams',
  type: 'block',
  token: 'STREAMS',
  arguments: [
    { name: 'key', type: 'key', multiple: true },
    { name: 'id', type: 'string', multiple: true },
  ],
};

const xread = oneShard({
  name: 'XREAD',
  summary: 'Returns the entries of streams after the given ids; may block until there are any.',
  since: '5.0.0',
  complexity: 'O(log(N)+M) for each stream, for M entries that are answered.',
  group: 'stream',
  arity: -4,
  flags: ['readonly', 'blocking'],
  keys: streamsAfterKeyword(1, false),
  acrossShards: 'each',
  waits: wantsToWait,
  args: [countDoc, blockDoc, streamsDoc],
  run(context, args) {
    read(context, args, false);
  },
});

const xreadgroup = oneShard({
  name: 'XREADGROUP',
  summary:
    'Returns new or pending entries of streams to a consumer of a group; may block until there are any.',
  since: '5.0.0',
  complexity:
    'O(M*log(N)) for each stream, for M entries that are answered out of N that are pending.',
  group: 'stream',
  arity: -7,
  flags: ['write', 'blocking'],
  keys: streamsAfterKeyword(4, true),
  acrossShards: 'each',
  waits: wantsToWait,
  args: [
    {
      name: 'group-block',
      type: 'block',
      token: 'GROUP',
      arguments: [
        { name: 'group', type: 'string' },
        { name: 'consumer', type: 'string' },
      ],
    },
    countDoc,
    blockDoc,
    {
      name: 'min-idle-time',
      type: 'integer',
      token: 'CLAIM',
      since: '8.4.0',
      optional: true,
    },
    { name: 'noack', type: 'pure-token', token: 'NOACK', optional: true },
    streamsDoc,
  ],
  history: [['8.4.0', 'Added CLAIM.']],
  run(context, args) {
    read(context, args, true);
  },
});

export const streamReading = [xread, xreadgroup];

/** True when BLOCK stands among the options. */
function wantsToWait(args: Arguments): boolean {
  for (let index = 1; index < args.count && !args.spellsAt(index, 'STREAMS'); index += 1) {
    if (args.spellsAt(index, 'BLOCK')) return true;
  }
  return false;
}

function read(context: ShardContext, args: Arguments, isGroup: boolean): void {
  const request = readOptions(args, isGroup, context.nowMs);
  settleIds(context, args, request);
  if (context.isOffering) {
    const isReady = hasAnything(context, args, request);
    waitForMore(context, request, isReady);
  } else if (!readNow(context, args, request)) {
    if (request.blockMs >= 0 && context.mayBlock) waitForMore(context, request, false);
    else context.reply.nilArray();
  }
}

function waitForMore(context: ShardContext, request: ReadRequest, isReady: boolean): void {
  context.block({
    timeoutMs: request.blockMs,
    type: ValueType.stream,
    // A deleted group is an error.
    onNoKey: request.groupIndex > 0,
    isReady,
    ready: (again, args) => {
      judgeGroups(again, args, request);
      return hasAnything(again, args, request);
    },
    retry: (again, args) => {
      judgeGroups(again, args, request);
      if (!readNow(again, args, request)) waitForMore(again, request, false);
    },
    ...(request.claimIdleMs >= 0 && {
      get dueMs() {
        return request.dueMs;
      },
    }),
  });
}

/** True when `readNow` would answer anything; sets when an entry may be claimed. */
function hasAnything(context: ShardContext, args: Arguments, request: ReadRequest): boolean {
  const { after, firstKey, groupIndex } = request;
  beginClaims(request, context.nowMs);
  return after.some((id, nth) => {
    const found = streamToRead(context, args, firstKey + nth);
    if (found === undefined) return false;
    const { stream } = found;
    if (groupIndex === 0) return hasBehind(stream, id);
    const group = groupAt(stream, args, groupIndex);
    if (group === undefined) return false;
    const isReady = !id.isMax || hasForGroup(context, request, { stream, group });
    found.post();
    return isReady;
  });
}

/** Replies with the entries after the ids; returns false, and writes nothing, if there are none. */
function readNow(context: ShardContext, args: Arguments, request: ReadRequest): boolean {
  const { reply } = context;
  beginClaims(request, context.nowMs);
  const { after, firstKey, groupIndex } = request;
  let mark = 0;
  let served = 0;
  for (const [nth, id] of after.entries()) {
    const index = firstKey + nth;
    const found = streamToRead(context, args, index);
    if (found === undefined) continue;
    const begin = (): void => {
      if (served === 0 && !context.answersItems) mark = reply.beginArray(after.length);
      served += 1;
      context.beginItem(index);
      if (reply.protocol === 2) reply.arrayHeader(2);
      reply.bulk(args.source, args.at(index), args.length(index));
    };
    if (groupIndex > 0) readForGroup(context, args, { request, index, found, id, begin });
    else readStream(context, request, { stream: found.stream, id, begin });
  }
  if (served > 0 && !context.answersItems) reply.endArray(mark, after.length, served, true);
  return served > 0;
}

/** Sets the id after which each stream is read, and checks the groups. */
function settleIds(context: ShardContext, args: Arguments, request: ReadRequest): void {
  const { after, firstKey, groupIndex } = request;
  for (const [nth, id] of after.entries()) {
    context.judging(2 * nth);
    judgeGroup(context, args, request, nth);
    const stream = streamToRead(context, args, firstKey + nth)?.stream;
    context.judging(2 * nth + 1);
    settleId(args, firstKey + nth + after.length, { id, stream, isGroup: groupIndex > 0 });
  }
}

function judgeGroups(context: ShardContext, args: Arguments, request: ReadRequest): void {
  for (const nth of request.after.keys()) judgeGroup(context, args, request, nth);
}

/** Without its group a stream cannot be read for one. */
function judgeGroup(
  context: ShardContext,
  args: Arguments,
  { firstKey, groupIndex }: ReadRequest,
  nth: number,
): void {
  const index = firstKey + nth;
  if (groupIndex === 0 || !context.owns(args, index)) return;
  const stream = streamToRead(context, args, index)?.stream;
  if (stream === undefined || !hasGroup(stream, args, groupIndex)) {
    throw noGroup(args, index, groupIndex, ' in XREADGROUP with GROUP option');
  }
}

interface Settled {
  id: StreamId;
  stream: Stream | undefined;
  isGroup: boolean;
}

function settleId(args: Arguments, index: number, { id, stream, isGroup }: Settled): void {
  if (isSign(args, index, '$')) {
    if (isGroup) throw endOfXreadgroup;
    if (stream !== undefined) id.set(stream.lastId);
  } else if (isSign(args, index, '+')) {
    if (isGroup) throw lastOfXreadgroup;
    if (stream !== undefined && !id.set(stream.lastId).decrement()) throw noLastEntry;
  } else if (isSign(args, index, '>')) {
    if (!isGroup) throw newOfXread;
    id.setMax();
  } else {
    readId(args, index, id);
  }
}

function hasGroup(stream: Stream, args: Arguments, groupIndex: number): boolean {
  return groupAt(stream, args, groupIndex) !== undefined;
}

const firstScratch = new StreamId();
const HIGHEST = new StreamId().setMax();

interface StreamReading {
  stream: Stream;
  /** Id after which entries are read. */
  id: StreamId;
  /** Writes what comes before the entries of the stream. */
  begin: () => void;
}

function readStream(
  { reply }: ShardContext,
  { count }: ReadRequest,
  { stream, id, begin }: StreamReading,
): void {
  if (!hasBehind(stream, id)) return;
  begin();
  firstScratch.set(id).increment();
  replyEntries(reply, stream, { first: firstScratch, last: HIGHEST, isBackward: false, count });
}
