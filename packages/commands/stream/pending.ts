/** XPENDING and XACK: what was delivered and is not acknowledged. */

import { errors } from '#base';
import { IdPlace, StreamId, type StreamGroup } from '#store';
import type { Arguments } from '../arguments.ts';
import type { ShardContext } from '../contexts.ts';
import { oneShard } from '../definition.ts';
import { oneKey } from '../keys.ts';
import { readEnd, readId, readStart, replyId } from './ids.ts';
import { groupAt, noGroup, streamToRead } from './lookup.ts';

const GROUP_INDEX = 2;
/** Arguments of the short form, and of the long one. */
const SUMMARY_ARGUMENTS = 3;
const LIST_ARGUMENTS_MIN = 6;
const LIST_ARGUMENTS_MAX = 9;

const id = new StreamId();
const first = new StreamId();
const last = new StreamId();
const ownPlace = new IdPlace();
const groupPlace = new IdPlace();

const xack = oneShard({
  name: 'XACK',
  summary:
    'Acknowledges entries that a group has delivered; the reply counts those that were pending.',
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
    for (let index = 3; index < args.count; index += 1) readId(args, index, id);
    let acknowledged = 0;
    for (let index = 3; index < args.count; index += 1) {
      readId(args, index, id);
      if (group.acknowledge(id)) acknowledged += 1;
    }
    found?.post();
    context.countChanges(acknowledged);
    context.reply.integer(acknowledged);
  },
});

const xpending = oneShard({
  name: 'XPENDING',
  summary: 'Answers what is pending in a group: how much and whose, or entry by entry.',
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
  history: [['6.2.0', 'IDLE came, and intervals may leave their ends out.']],
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
  readStart(args, start, first);
  readEnd(args, start + 1, last);
  const consumer = start + 3 < args.count ? args.latin1(start + 3) : undefined;
  return { count, idleMs, consumer };
}

function summarize({ reply }: ShardContext, { pending, consumers }: StreamGroup): void {
  reply.arrayHeader(4);
  reply.integer(pending.count);
  if (!pending.first(groupPlace)) {
    reply.nil();
    reply.nil();
    reply.nilArray();
    return;
  }
  pending.readId(groupPlace, id);
  replyId(reply, id);
  pending.last(groupPlace);
  pending.readId(groupPlace, id);
  replyId(reply, id);
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
  for (let more = index.seek(first, ownPlace); more; more = index.next(ownPlace)) {
    if (shown === filter.count) break;
    index.readId(ownPlace, id);
    if (id.compare(last) > 0) break;
    if (consumer !== undefined) group.pending.find(id, groupPlace);
    const at = consumer === undefined ? ownPlace : groupPlace;
    const idle = nowMs - group.deliveredMs(at);
    if (idleMs !== 0 && idle < idleMs) continue;
    shown += 1;
    reply.arrayHeader(4);
    replyId(reply, id);
    reply.text(group.consumerAt(at)?.name ?? '', 'latin1');
    reply.integer(Math.max(idle, 0));
    reply.integer(group.deliveries(at));
  }
  reply.endArray(mark, expected, shown);
}
