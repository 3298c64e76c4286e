/** XRANGE, XREVRANGE and XLEN: entries of a stream. */

import { errors } from '#base';
import { StreamId } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { oneShard, type CommandHead } from '../definition/definition.ts';
import { oneKey } from '../definition/keys.ts';
import { replyEntries } from './entries/entries.ts';
import { readEnd, readStart } from './entries/ids.ts';
import { streamToRead } from './entries/lookup.ts';

const OPTIONS_INDEX = 4;

const firstScratch = new StreamId();
const lastScratch = new StreamId();

const rangeHead = {
  since: '5.0.0',
  complexity: 'O(log(N)+M) for M entries that are answered.',
  group: 'stream',
  arity: -4,
  flags: ['readonly'],
  keys: oneKey('RO', 'access'),
  history: [['6.2.0', 'Ranges may be exclusive.']],
} as const satisfies Partial<CommandHead>;

const countDoc = { name: 'count', type: 'integer', token: 'COUNT', optional: true } as const;

const xrange = oneShard({
  ...rangeHead,
  name: 'XRANGE',
  summary: 'Returns the entries in a range of ids.',
  args: [
    { name: 'key', type: 'key' },
    { name: 'start', type: 'string' },
    { name: 'end', type: 'string' },
    countDoc,
  ],
  run(context, args) {
    range(context, args, false);
  },
});

const xrevrange = oneShard({
  ...rangeHead,
  name: 'XREVRANGE',
  summary: 'Returns the entries in a range of ids, last entry first.',
  args: [
    { name: 'key', type: 'key' },
    { name: 'end', type: 'string' },
    { name: 'start', type: 'string' },
    countDoc,
  ],
  run(context, args) {
    range(context, args, true);
  },
});

const xlen = oneShard({
  name: 'XLEN',
  summary: 'Returns the number of entries of a stream.',
  since: '5.0.0',
  complexity: 'O(1)',
  group: 'stream',
  arity: 2,
  flags: ['readonly', 'fast'],
  keys: oneKey('RO'),
  args: [{ name: 'key', type: 'key' }],
  run(context, args) {
    context.reply.integer(streamToRead(context, args)?.stream.length ?? 0);
  },
});

export const streamRanges = [xrange, xrevrange, xlen];

function range(context: ShardContext, args: Arguments, isBackward: boolean): void {
  const { reply } = context;
  readStart(args, isBackward ? 3 : 2, firstScratch);
  readEnd(args, isBackward ? 2 : 3, lastScratch);
  const count = readCount(args);
  const stream = streamToRead(context, args)?.stream;
  if (stream === undefined) reply.arrayHeader(0);
  else if (count === 0) reply.nilArray();
  else
    replyEntries(reply, stream, {
      first: firstScratch,
      last: lastScratch,
      isBackward,
      count: Math.max(count, 0),
    });
}

/** Returns the number of entries that are wanted; -1 without a limit. */
function readCount(args: Arguments): number {
  let count = -1;
  args.position = OPTIONS_INDEX;
  while (args.more) {
    if (args.left < 2 || !args.takes('COUNT')) throw errors.syntax;
    count = Math.max(args.roundedAt(args.next()), 0);
  }
  return count;
}
