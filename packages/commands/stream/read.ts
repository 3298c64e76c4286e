/**
 * XREAD and XREADGROUP: the entries behind an id, of several streams at once.
 *
 * A command is read once, into a `ReadRequest`, which settles what `$` and `+` stand for. `readNow` then
 * answers what there is, or nothing: whoever waits for more may call it again.
 */

import { CommandError, errors } from '#base';
import { IdPlace, StreamId, type Stream, type StreamGroup, type StreamValue } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard, type ArgumentDoc } from '../definition.ts';
import { changedAt } from '../keyspace/lookup.ts';
import type { Keys } from '../keys.ts';
import { replyEntries, replyEntryAt } from './entries.ts';
import { streamEvents } from './events.ts';
import { isSign, readId, replyId } from './ids.ts';
import { consumerAsking, groupAt, noGroup, streamToRead } from './lookup.ts';

const groupOfXread = new CommandError(
  'ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
);
const noackOfXread = new CommandError(
  'ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
);
const missingGroup = new CommandError('ERR Missing GROUP option for XREADGROUP');
const noLastEntry = new CommandError('ERR the stream last element ID is 0-0');
const newOfXread = new CommandError(
  'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
);

/** The ids that mean nothing where a group knows what it has read. */
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
    { name: 'ID', type: 'string', multiple: true },
  ],
};

export const xread = oneShard({
  name: 'XREAD',
  summary: 'Answers the entries of streams that come behind given ids.',
  since: '5.0.0',
  complexity: 'O(log(N)+M) for each stream, for M entries that are answered.',
  group: 'stream',
  arity: -4,
  flags: ['readonly', 'blocking'],
  keys: streamsAfterKeyword(1, false),
  args: [countDoc, blockDoc, streamsDoc],
  run(context, args) {
    read(context, args, false);
  },
});

export const xreadgroup = oneShard({
  name: 'XREADGROUP',
  summary:
    'Delivers entries of streams to a consumer of a group, or shows it what it has not acknowledged.',
  since: '5.0.0',
  complexity:
    'O(M*log(N)) for each stream, for M entries that are answered out of N that are pending.',
  group: 'stream',
  arity: -7,
  flags: ['write', 'blocking'],
  keys: streamsAfterKeyword(4, true),
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
    { name: 'noack', type: 'pure-token', token: 'NOACK', optional: true },
    streamsDoc,
  ],
  run(context, args) {
    read(context, args, true);
  },
});

export const streamReading = [xread, xreadgroup];

/** What a reader asks for. */
export interface ReadRequest {
  /** Of what `readNow` answers of each stream, at most so many entries; 0 is no limit. */
  count: number;
  /** Milliseconds to wait at most, 0 for ever; -1: not at all. */
  blockMs: number;
  /** Entries that a group delivers need no acknowledgement. */
  isUnacknowledged: boolean;
  /** Index of the arguments that name the group and the consumer; 0 without a group. */
  groupIndex: number;
  /** Index of the first key; the ids stand behind the keys. */
  firstKey: number;
  /** Behind which id each stream is read; the highest one stands for what its group has not read. */
  after: StreamId[];
}

function read(context: ShardContext, args: Arguments, isGroup: boolean): void {
  const request = readOptions(args, isGroup);
  settleIds(context, args, request);
  if (!readNow(context, args, request)) context.reply.nilArray();
}

/** Answers what there is behind the ids, and whether that is anything; without it nothing is written. */
export function readNow(context: ShardContext, args: Arguments, request: ReadRequest): boolean {
  const { reply } = context;
  const { after, firstKey, groupIndex } = request;
  let mark = 0;
  let served = 0;
  for (const [nth, id] of after.entries()) {
    const index = firstKey + nth;
    const found = streamToRead(context, args, index);
    if (found === undefined) continue;
    const begin = (): void => {
      if (served === 0) mark = reply.beginArray(after.length);
      served += 1;
      if (reply.protocol === 2) reply.arrayHeader(2);
      reply.bulk(args.source, args.at(index), args.length(index));
    };
    if (groupIndex > 0) readForGroup(context, args, { request, index, found, id, begin });
    else readStream(context, request, { stream: found.stream, id, begin });
  }
  if (served > 0) reply.endArray(mark, after.length, served, true);
  return served > 0;
}

function readOptions(args: Arguments, isGroup: boolean): ReadRequest {
  const request: ReadRequest = {
    count: 0,
    blockMs: -1,
    isUnacknowledged: false,
    groupIndex: 0,
    firstKey: 0,
    after: [],
  };
  args.position = 1;
  while (args.more && request.firstKey === 0) {
    if (!takeOption(args, request, isGroup) && !takeGroupOption(args, request, isGroup)) {
      throw errors.syntax;
    }
  }
  if (request.firstKey === 0) throw errors.syntax;
  if (isGroup && request.groupIndex === 0) throw missingGroup;
  return request;
}

/** Takes an option that both commands have; answers whether there is one. */
function takeOption(args: Arguments, request: ReadRequest, isGroup: boolean): boolean {
  if (args.left < 2) return false;
  if (args.takes('BLOCK')) {
    request.blockMs = args.roundedAt(args.next(), errors.timeoutNotInteger);
    if (request.blockMs < 0) throw errors.timeoutNegative;
  } else if (args.takes('COUNT')) {
    request.count = Math.max(args.roundedAt(args.next()), 0);
  } else if (args.takes('STREAMS')) {
    readStreamCount(args, request, isGroup);
  } else {
    return false;
  }
  return true;
}

/** The same for those of XREADGROUP. */
function takeGroupOption(args: Arguments, request: ReadRequest, isGroup: boolean): boolean {
  if (args.left > 2 && args.takes('GROUP')) {
    if (!isGroup) throw groupOfXread;
    request.groupIndex = args.position;
    args.position += 2;
    return true;
  }
  if (!args.takes('NOACK')) return false;
  if (!isGroup) throw noackOfXread;
  request.isUnacknowledged = true;
  return true;
}

function readStreamCount(args: Arguments, request: ReadRequest, isGroup: boolean): void {
  if (args.left % 2 !== 0) {
    const [name, sign] = isGroup ? ['xreadgroup', '>'] : ['xread', '$'];
    throw new CommandError(
      `ERR Unbalanced '${name}' list of streams: for each stream key an ID or '${sign}' must be specified.`,
    );
  }
  request.firstKey = args.position;
  for (let left = args.left / 2; left > 0; left -= 1) request.after.push(new StreamId());
}

/** Sets what each stream is read behind, and judges the groups. */
function settleIds(context: ShardContext, args: Arguments, request: ReadRequest): void {
  const { after, firstKey, groupIndex } = request;
  for (const [nth, id] of after.entries()) {
    const keyIndex = firstKey + nth;
    const stream = streamToRead(context, args, keyIndex)?.stream;
    if (groupIndex > 0 && (stream === undefined || !hasGroup(stream, args, groupIndex))) {
      throw noGroup(args, keyIndex, groupIndex, ' in XREADGROUP with GROUP option');
    }
    settleId(args, keyIndex + after.length, { id, stream, isGroup: groupIndex > 0 });
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

const first = new StreamId();
const highest = new StreamId().setMax();
const lastEntryId = new StreamId();
const ownPlace = new IdPlace();
const groupPlace = new IdPlace();

interface StreamReading {
  stream: Stream;
  /** Entries behind it are read. */
  id: StreamId;
  /** Writes what comes before the entries of the stream. */
  begin: () => void;
}

function hasBehind(stream: Stream, id: StreamId): boolean {
  // No entry comes behind the highest id that was given.
  if (stream.length === 0 || stream.lastId.compare(id) <= 0) return false;
  return stream.readLastEntryId(lastEntryId) && lastEntryId.compare(id) > 0;
}

function readStream(
  { reply }: ShardContext,
  { count }: ReadRequest,
  { stream, id, begin }: StreamReading,
): void {
  if (!hasBehind(stream, id)) return;
  begin();
  first.set(id).increment();
  replyEntries(reply, stream, { first, last: highest, isBackward: false, count });
}

interface GroupReading {
  request: ReadRequest;
  /** The argument that names the key. */
  index: number;
  found: StreamValue;
  id: StreamId;
  begin: () => void;
}

function readForGroup(context: ShardContext, args: Arguments, reading: GroupReading): void {
  const { request, index, found, id, begin } = reading;
  const { stream } = found;
  const group = groupAt(stream, args, request.groupIndex);
  if (group === undefined) throw noGroup(args, index, request.groupIndex);
  const isNew = id.isMax;
  const after = isNew ? group.lastId : id;
  const isServed = !isNew || hasBehind(stream, after);
  const name = args.latin1(request.groupIndex + 1);
  const isKnown = group.consumers.get(name) !== undefined;
  consumerAsking(context, args, index, { group, name });
  if (isServed) begin();
  if (!isNew) showPending(context, { stream, group, name }, after, request.count);
  else if (isServed && deliver(context, { stream, group, name }, request) && isKnown) {
    changedAt(context, args, index, streamEvents.pending);
  }
  found.post();
}

interface Reader {
  stream: Stream;
  group: StreamGroup;
  /** The consumer's. */
  name: string;
}

/** Delivers entries that the group has not read; answers whether there were any. */
function deliver(
  { reply, nowMs }: ShardContext,
  { stream, group, name }: Reader,
  { count, isUnacknowledged }: ReadRequest,
): boolean {
  const consumer = group.consumers.get(name)!;
  let isAny = false;
  first.set(group.lastId).increment();
  replyEntries(reply, stream, { first, last: highest, isBackward: false, count }, (id) => {
    isAny = true;
    stream.advance(group, id);
    if (isUnacknowledged) return;
    group.deliver(id, consumer, nowMs);
    consumer.activeMs = nowMs;
  });
  return isAny;
}

/** Answers what the consumer has not acknowledged, which counts as another delivery. */
function showPending(
  { reply, nowMs }: ShardContext,
  { stream, group, name }: Reader,
  after: StreamId,
  count: number,
): void {
  const { pending } = group.consumers.get(name)!;
  const expected = count === 0 ? pending.count : Math.min(count, pending.count);
  const mark = reply.beginArray(expected);
  let shown = 0;
  first.set(after).increment();
  const id = lastEntryId;
  let more = pending.seek(first, ownPlace);
  for (; more && (count === 0 || shown < count); more = pending.next(ownPlace)) {
    pending.readId(ownPlace, id);
    if (replyEntryAt(reply, stream, id)) {
      group.pending.find(id, groupPlace);
      group.setDelivery(groupPlace, nowMs, group.deliveries(groupPlace) + 1);
    } else {
      reply.arrayHeader(2);
      replyId(reply, id);
      reply.nilArray();
    }
    shown += 1;
  }
  reply.endArray(mark, expected, shown);
}
