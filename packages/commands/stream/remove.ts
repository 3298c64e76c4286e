/** XDEL and XSETID: taking entries out of the midst, and saying what the last id is. */

import { CommandError, errors } from '#base';
import { type Stream, StreamId } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import { oneShard } from '../definition/definition.ts';
import { advancedAt, changedAt } from '../elements/lookup.ts';
import { oneKey } from '../definition/keys.ts';
import { events } from '../contexts/events.ts';
import { readId } from './entries/ids.ts';
import { streamToWrite } from './entries/lookup.ts';

const negativeAdded = new CommandError('ERR entries_added must be positive');
const belowGivenDeleted = new CommandError(
  'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
);
const belowDeleted = new CommandError(
  'ERR The ID specified in XSETID is smaller than current max_deleted_entry_id',
);
const belowLast = new CommandError(
  'ERR The ID specified in XSETID is smaller than the target stream top item',
);
const addedBelowLength = new CommandError(
  'ERR The entries_added specified in XSETID is smaller than the target stream length',
);

const idScratch = new StreamId();
const maxDeletedIdScratch = new StreamId();
const lastEntryIdScratch = new StreamId();

const xdel = oneShard({
  name: 'XDEL',
  summary: 'Removes entries from a stream.',
  since: '5.0.0',
  complexity: 'O(log(N)) for each entry.',
  group: 'stream',
  arity: -3,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'delete'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'id', type: 'string', multiple: true },
  ],
  run(context, args) {
    const target = streamToWrite(context, args);
    if (target === undefined) {
      context.reply.integer(0);
      return;
    }
    for (let index = 2; index < args.count; index += 1) readId(args, index, idScratch);
    const { stream } = target;
    let removed = 0;
    let isFirstGone = false;
    for (let index = 2; index < args.count; index += 1) {
      readId(args, index, idScratch);
      if (!stream.remove(idScratch)) continue;
      removed += 1;
      isFirstGone ||= idScratch.compare(stream.firstId) === 0;
    }
    if (removed > 0) {
      if (isFirstGone || stream.length === 0) stream.refreshFirst();
      target.post();
      changedAt(context, args, 1, events.xdel, removed);
    }
    context.reply.integer(removed);
  },
});

const xsetid = oneShard({
  name: 'XSETID',
  summary: 'Sets the last id of a stream, and the counters of its history.',
  since: '5.0.0',
  complexity: 'O(1)',
  group: 'stream',
  arity: -3,
  flags: ['write', 'denyoom', 'fast'],
  keys: oneKey('RW', 'update'),
  args: [
    { name: 'key', type: 'key' },
    { name: 'last-id', type: 'string' },
    {
      name: 'entries-added',
      type: 'integer',
      token: 'ENTRIESADDED',
      since: '7.0.0',
      optional: true,
    },
    {
      name: 'max-deleted-id',
      type: 'string',
      token: 'MAXDELETEDID',
      since: '7.0.0',
      optional: true,
    },
  ],
  history: [['7.0.0', 'Added ENTRIESADDED and MAXDELETEDID.']],
  run(context, args) {
    const entriesAdded = readPast(args);
    const target = streamToWrite(context, args);
    if (target === undefined) throw errors.noSuchKey;
    const { stream } = target;
    demandLater(stream, entriesAdded);
    stream.lastId.set(idScratch);
    if (entriesAdded !== -1) stream.entriesAdded = entriesAdded;
    if (!maxDeletedIdScratch.isZero) stream.maxDeletedId.set(maxDeletedIdScratch);
    advancedAt(context, args, 1, events.xsetid);
    context.reply.ok();
  },
});

export const streamRemoval = [xdel, xsetid];

/** Reads the arguments into `id` and `maxDeletedId`; returns how many were added, or -1. */
function readPast(args: Arguments): number {
  let entriesAdded = -1;
  maxDeletedIdScratch.setZero();
  readId(args, 2, idScratch);
  args.position = 3;
  while (args.more) {
    const hasValue = args.left >= 2;
    if (hasValue && args.takes('ENTRIESADDED')) {
      entriesAdded = args.roundedAt(args.next());
      if (entriesAdded < 0) throw negativeAdded;
    } else if (hasValue && args.takes('MAXDELETEDID')) {
      readId(args, args.next(), maxDeletedIdScratch);
      if (idScratch.compare(maxDeletedIdScratch) < 0) throw belowGivenDeleted;
    } else {
      throw errors.syntax;
    }
  }
  return entriesAdded;
}

function demandLater(stream: Stream, entriesAdded: number): void {
  if (idScratch.compare(stream.maxDeletedId) < 0) throw belowDeleted;
  if (stream.length === 0) return;
  if (stream.readLastEntryId(lastEntryIdScratch) && idScratch.compare(lastEntryIdScratch) < 0)
    throw belowLast;
  if (entriesAdded !== -1 && stream.length > entriesAdded) throw addedBelowLength;
}
