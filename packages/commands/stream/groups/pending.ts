/** XPENDING and XACK: entries that were delivered and not acknowledged. */

import { errors } from '#base';
import { IdPlace, type StreamGroup, StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { oneShard } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { readEnd, readId, readStart, replyCounter, replyId } from '../entries/ids.ts';
import { groupAt, noGroup, streamToRead } from '../entries/lookup.ts';

const GROUP_INDEX = 2;
/** Arguments of the short form, and of the long one. */
const SUMMARY_ARGUMENTS = 3;
const LIST_ARGUMENTS_MIN = 6;
const LIST_ARGUMENTS_MAX = 9;

/** Idle time of an entry that its consumer has released, as Redis 8.8 shows it. */
const RELEASED_IDLE = -1;

const idScratch = new StreamId();
const firstScratch = new StreamId();
const lastScratch = new StreamId();
const ownPlaceScratch = new IdPlace();
const groupPlaceScratch = new IdPlace();

const xack = oneShard({
  name: 'XACK',
  summary:
    'Acknowledges delivered entries of a consumer group; returns the number that were pending.',
  since: '5.0.0',
  complexity: 'O(log(N)) for each entry, N being the number of pending ones.',
  group: 'stream',
  arity: -4,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
    { name: 'id', type: 'string', multiple: true },
  ],
  run(context, args) {
    const found = streamToRead(context, args);
    const group = found && groupAt(found.stream, args, GROUP_INDEX);
    if (group === undefined) {
      context.reply.integer(0);
      return;
    }
    for (let index = 3; index < args.count; index += 1) readId(args, index, idScratch);
    let acknowledged = 0;
    for (let index = 3; index < args.count; index += 1) {
      readId(args, index, idScratch);
      if (group.acknowledge(idScratch)) acknowledged += 1;
    }
    found?.post();
    context.countChanges(acknowledged);
    context.reply.integer(acknowledged);
  },
});

const xpending = oneShard({
  name: 'XPENDING',
  summary: 'Returns the pending entries of a consumer group: a summary by consumer, or a list.',
  since: '5.0.0',
  complexity: 'O(log(N)+M) for M entries that are looked at; O(C) for the summary of C consumers.',
  group: 'stream',
  arity: -3,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'group', type: 'string' },
    {
      name: 'filters',
      type: 'block',
      optional: true,
      arguments: [
        {
          name: 'min-idle-time',
          type: 'integer',
          token: 'IDLE',
          since: '6.2.0',
          optional: true,
        },
        { name: 'start', type: 'string' },
        { name: 'end', type: 'string' },
        { name: 'count', type: 'integer' },
        { name: 'consumer', type: 'string', optional: true },
      ],
    },
  ],
  tips: ['nondeterministic_output'],
  history: [['6.2.0', 'Added IDLE; ranges may be exclusive.']],
  run(context, args) {
    const filter = readFilter(args);
    const found = streamToRead(context, args);
    const group = found && groupAt(found.stream, args, GROUP_INDEX);
    if (group === undefined) throw noGroup(args);
    if (filter === undefined) summarize(context, group);
    else list(context, group, filter);
  },
});

export const streamPending = [xack, xpending];

interface Filter {
  count: number;
  idleMs: number;
  /** The consumer's name. */
  consumer: string | undefined;
}

/** Reads the long form, with the interval into `first` and `last`; undefined for the short one. */
function readFilter(args: Arguments): Filter | undefined {
  if (args.count === SUMMARY_ARGUMENTS) return undefined;
  if (args.count < LIST_ARGUMENTS_MIN || args.count > LIST_ARGUMENTS_MAX) throw errors.syntax;
  args.position = SUMMARY_ARGUMENTS;
  let idleMs = 0;
  if (args.takes('IDLE')) {
    idleMs = args.roundedAt(args.next());
    if (args.count < LIST_ARGUMENTS_MIN + 2) throw errors.syntax;
  }
  const start = args.position;
  const count = Math.max(args.roundedAt(start + 2), 0);
  readStart(args, start, firstScratch);
  readEnd(args, start + 1, lastScratch);
  const consumer = start + 3 < args.count ? args.latin1(start + 3) : undefined;
  return { count, idleMs, consumer };
}

function summarize({ reply }: ShardContext, { pending, consumers }: StreamGroup): void {
  reply.arrayHeader(4);
  reply.integer(pending.count);
  if (!pending.first(groupPlaceScratch)) {
    reply.nil();
    reply.nil();
    reply.nilArray();
    return;
  }
  pending.readId(groupPlaceScratch, idScratch);
  replyId(reply, idScratch);
  pending.last(groupPlaceScratch);
  pending.readId(groupPlaceScratch, idScratch);
  replyId(reply, idScratch);
  const owners = consumers.sorted.filter((consumer) => consumer.pending.count > 0);
  reply.arrayHeader(owners.length);
  for (const owner of owners) {
    reply.arrayHeader(2);
    reply.text(owner.name, 'latin1');
    reply.bulkInteger(owner.pending.count);
  }
}

function list({ reply, nowMs }: ShardContext, group: StreamGroup, filter: Filter): void {
  const { idleMs, consumer: name } = filter;
  const consumer = name === undefined ? undefined : group.consumers.get(name);
  if (name !== undefined && consumer === undefined) {
    reply.arrayHeader(0);
    return;
  }
  const index = consumer?.pending ?? group.pending;
  const expected = Math.min(filter.count, index.count);
  const mark = reply.beginArray(expected);
  let shown = 0;
  for (
    let more = index.seek(firstScratch, ownPlaceScratch);
    more;
    more = index.next(ownPlaceScratch)
  ) {
    if (shown === filter.count) break;
    index.readId(ownPlaceScratch, idScratch);
    if (idScratch.compare(lastScratch) > 0) break;
    if (consumer !== undefined) group.pending.find(idScratch, groupPlaceScratch);
    const at = consumer === undefined ? ownPlaceScratch : groupPlaceScratch;
    const idle = nowMs - group.deliveredMs(at);
    if (idleMs !== 0 && idle < idleMs) continue;
    shown += 1;
    reply.arrayHeader(4);
    replyId(reply, idScratch);
    const owner = group.consumerAt(at);
    reply.text(owner?.name ?? '', 'latin1');
    reply.integer(owner === undefined ? RELEASED_IDLE : Math.max(idle, 0));
    replyCounter(reply, group.deliveries(at));
  }
  reply.endArray(mark, expected, shown);
}
