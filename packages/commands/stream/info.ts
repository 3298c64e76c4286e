/** XINFO: properties of a stream, its groups and their consumers. */

import { errors } from '#base';
import {
  IdPlace,
  NEVER,
  type Stream,
  type StreamConsumer,
  type StreamGroup,
  StreamId,
  UNKNOWN_READ,
} from '#store';
import type { ReplyWriter } from '#resp';
import type { Arguments } from '../arguments/arguments.ts';
import type { MainContext, ShardContext } from '../contexts/contexts.ts';
import { container, oneShard, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys, oneKey } from '../definition/keys.ts';
import { replyEdgeEntry, replyEntries } from './entries/entries.ts';
import { replyCounter, replyId } from './entries/ids.ts';
import { groupAt, noGroupOfKey, streamToRead } from './entries/lookup.ts';

const KEY_INDEX = 2;
const GROUP_INDEX = 3;
/** Default number of entries of each kind that FULL returns. */
const SHOWN_STANDARD = 10;

/** Fields that only streams with idempotent ids or limits for them have, so that others are shown as by Redis 7.4. */
const IDEMPOTENCY_FIELDS = 6;

const idScratch = new StreamId();
const placeScratch = new IdPlace();
const groupPlaceScratch = new IdPlace();
const LOWEST = new StreamId();
const HIGHEST = new StreamId().setMax();

const infoHead = {
  since: '5.0.0',
  group: 'stream',
  flags: ['readonly'],
  keys: oneKey('RO', 'access', KEY_INDEX),
} as const satisfies Partial<CommandHead>;

const streamInfo = oneShard({
  ...infoHead,
  name: 'XINFO|STREAM',
  summary: 'Returns properties of a stream; FULL adds entries, groups and consumers.',
  complexity: 'O(1), and O(N) for N entries, groups and consumers that are shown.',
  arity: -3,
  args: [
    { name: 'key', type: 'key' },
    {
      name: 'full-block',
      type: 'block',
      optional: true,
      arguments: [
        { name: 'full', type: 'pure-token', token: 'FULL' },
        { name: 'count', type: 'integer', token: 'COUNT', optional: true },
      ],
    },
  ],
  history: [
    ['6.0.0', 'Added FULL.'],
    [
      '7.0.0',
      'Added entries-added, max-deleted-entry-id and recorded-first-entry-id, and entries-read and lag of groups.',
    ],
    ['7.2.0', 'Added active-time of consumers; before, it was part of seen-time.'],
    [
      '8.6.0',
      'Added idmp-duration, idmp-maxsize, pids-tracked, iids-tracked, iids-added and iids-duplicates.',
    ],
    ['8.8.0', 'Added nacked-count of groups.'],
  ],
  run(context, args) {
    const stream = streamToShow(context, args);
    const count = readCount(args);
    const { reply } = context;
    const isIdempotent = !stream.idempotentIds.isUnused;
    reply.mapHeader((count === undefined ? 10 : 9) + (isIdempotent ? IDEMPOTENCY_FIELDS : 0));
    showCounters(reply, stream);
    if (isIdempotent) showIdempotency(context, stream);
    if (count === undefined) {
      reply.text('groups');
      reply.integer(stream.groups.count);
      reply.text('first-entry');
      replyEdgeEntry(reply, stream, false);
      reply.text('last-entry');
      replyEdgeEntry(reply, stream, true);
      return;
    }
    reply.text('entries');
    replyEntries(reply, stream, { first: LOWEST, last: HIGHEST, isBackward: false, count });
    reply.text('groups');
    reply.arrayHeader(stream.groups.count);
    for (const group of stream.groups.sorted) showWholeGroup(reply, stream, group, count);
  },
});

const groups = oneShard({
  ...infoHead,
  name: 'XINFO|GROUPS',
  summary: 'Returns the consumer groups of a stream.',
  complexity: 'O(N) for N groups.',
  arity: 3,
  args: [{ name: 'key', type: 'key' }],
  history: [['7.0.0', 'Added entries-read and lag.']],
  run(context, args) {
    const stream = streamToShow(context, args);
    const { reply } = context;
    reply.arrayHeader(stream.groups.count);
    for (const group of stream.groups.sorted) {
      reply.mapHeader(6);
      reply.text('name');
      reply.text(group.name, 'latin1');
      reply.text('consumers');
      reply.integer(group.consumers.count);
      reply.text('pending');
      reply.integer(group.pending.count);
      showProgress(reply, stream, group);
    }
  },
});

const consumers = oneShard({
  ...infoHead,
  name: 'XINFO|CONSUMERS',
  summary: 'Returns the consumers of a group.',
  complexity: 'O(N) for N consumers.',
  arity: 4,
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
  ],
  tips: ['nondeterministic_output'],
  history: [['7.2.0', 'Added inactive of consumers; idle is the time since their last attempt.']],
  run(context, args) {
    const group = groupAt(streamToShow(context, args), args, GROUP_INDEX);
    if (group === undefined) throw noGroupOfKey(args, KEY_INDEX, GROUP_INDEX);
    const { reply, nowMs } = context;
    reply.arrayHeader(group.consumers.count);
    for (const { name, pending, seenMs, activeMs } of group.consumers.sorted) {
      reply.mapHeader(4);
      reply.text('name');
      reply.text(name, 'latin1');
      reply.text('pending');
      reply.integer(pending.count);
      reply.text('idle');
      reply.integer(Math.max(nowMs - seenMs, 0));
      reply.text('inactive');
      reply.integer(activeMs === NEVER ? NEVER : nowMs - activeMs);
    }
  },
});

const help = onMain<MainContext>({
  name: 'XINFO|HELP',
  summary: 'Describes the subcommands.',
  since: '5.0.0',
  complexity: 'O(1)',
  group: 'stream',
  arity: 2,
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [],
  run({ reply }) {
    helpReply(reply, 'XINFO', [
      ['CONSUMERS <key> <groupname>', 'Describes the consumers of <groupname>.'],
      ['GROUPS <key>', 'Describes the groups of the stream.'],
      ['STREAM <key> [FULL [COUNT <count>]', 'Describes the stream.'],
    ]);
  },
});

const xinfo = container({
  name: 'XINFO',
  summary: 'Container for commands that inspect streams.',
  since: '5.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'stream',
  arity: -2,
  flags: [],
  subcommands: [consumers, groups, help, streamInfo],
});

export const streamReports = [xinfo];

function streamToShow(context: ShardContext, args: Arguments): Stream {
  const found = streamToRead(context, args, KEY_INDEX);
  if (found === undefined) throw errors.noSuchKey;
  return found.stream;
}

/** Returns the number of entries of each kind that FULL shows, 0 for all; undefined without FULL. */
function readCount(args: Arguments): number | undefined {
  args.position = KEY_INDEX + 1;
  if (!args.more) return undefined;
  const wrongForm = errors.subcommandSyntax(args.latin1(1), 'XINFO');
  const hasCount = args.left === 3;
  if ((args.left !== 1 && !hasCount) || !args.takes('FULL')) throw wrongForm;
  if (!hasCount) return SHOWN_STANDARD;
  if (!args.takes('COUNT')) throw wrongForm;
  const count = args.roundedAt(args.next());
  return count < 0 ? SHOWN_STANDARD : count;
}

function showCounters(reply: ReplyWriter, stream: Stream): void {
  const { index } = stream.nodes;
  reply.text('length');
  reply.integer(stream.length);
  reply.text('radix-tree-keys');
  reply.integer(index.count);
  reply.text('radix-tree-nodes');
  reply.integer(index.chunkCount + 1);
  reply.text('last-generated-id');
  replyId(reply, stream.lastId);
  reply.text('max-deleted-entry-id');
  replyId(reply, stream.maxDeletedId);
  reply.text('entries-added');
  replyCounter(reply, stream.entriesAdded);
  reply.text('recorded-first-entry-id');
  replyId(reply, stream.firstId);
}

function showIdempotency({ reply, nowMs }: ShardContext, { idempotentIds }: Stream): void {
  const { limits, added, duplicates } = idempotentIds;
  const tracked = idempotentIds.counts(nowMs);
  reply.text('idmp-duration');
  reply.integer(limits.durationSeconds);
  reply.text('idmp-maxsize');
  reply.integer(limits.maxSize);
  reply.text('pids-tracked');
  reply.integer(tracked.producers);
  reply.text('iids-tracked');
  reply.integer(tracked.ids);
  reply.text('iids-added');
  reply.integer(added);
  reply.text('iids-duplicates');
  reply.integer(duplicates);
}

/** Writes how far a group has read. */
function showProgress(reply: ReplyWriter, stream: Stream, group: StreamGroup): void {
  reply.text('last-delivered-id');
  replyId(reply, group.lastId);
  reply.text('entries-read');
  if (group.entriesRead === UNKNOWN_READ) reply.nil();
  else replyCounter(reply, group.entriesRead);
  reply.text('lag');
  const lag = stream.lagOf(group);
  if (lag === undefined) reply.nil();
  else replyCounter(reply, lag);
}

function showWholeGroup(
  reply: ReplyWriter,
  stream: Stream,
  group: StreamGroup,
  count: number,
): void {
  const { pending } = group;
  reply.mapHeader(8);
  reply.text('name');
  reply.text(group.name, 'latin1');
  showProgress(reply, stream, group);
  reply.text('pel-count');
  reply.integer(pending.count);
  reply.text('nacked-count');
  reply.integer(group.releasedCount);
  reply.text('pending');
  let left = count === 0 ? pending.count : Math.min(count, pending.count);
  reply.arrayHeader(left);
  for (pending.first(placeScratch); left > 0; left -= 1) {
    pending.readId(placeScratch, idScratch);
    reply.arrayHeader(4);
    replyId(reply, idScratch);
    reply.text(group.consumerAt(placeScratch)?.name ?? '', 'latin1');
    reply.integer(group.deliveredMs(placeScratch));
    replyCounter(reply, group.deliveries(placeScratch));
    pending.next(placeScratch);
  }
  reply.text('consumers');
  reply.arrayHeader(group.consumers.count);
  for (const consumer of group.consumers.sorted) showWholeConsumer(reply, group, consumer, count);
}

function showWholeConsumer(
  reply: ReplyWriter,
  group: StreamGroup,
  { name, seenMs, activeMs, pending }: StreamConsumer,
  count: number,
): void {
  reply.mapHeader(5);
  reply.text('name');
  reply.text(name, 'latin1');
  reply.text('seen-time');
  reply.integer(seenMs);
  reply.text('active-time');
  reply.integer(activeMs);
  reply.text('pel-count');
  reply.integer(pending.count);
  reply.text('pending');
  let left = count === 0 ? pending.count : Math.min(count, pending.count);
  reply.arrayHeader(left);
  for (pending.first(placeScratch); left > 0; left -= 1) {
    pending.readId(placeScratch, idScratch);
    group.pending.find(idScratch, groupPlaceScratch);
    reply.arrayHeader(3);
    replyId(reply, idScratch);
    reply.integer(group.deliveredMs(groupPlaceScratch));
    replyCounter(reply, group.deliveries(groupPlaceScratch));
    pending.next(placeScratch);
  }
}
