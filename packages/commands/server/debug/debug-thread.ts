/** DEBUG SHARD: looks into one thread. */

import { CommandError, parseDouble } from '#base';
import type { ReplyWriter } from '#resp';
import { answerOrError } from '../../contexts/answer-later.ts';
import type { Arguments } from '../../arguments/arguments.ts';
import { onMain } from '../../definition/definition.ts';
import { debugHead } from './debug-head.ts';
import type { HeapReport, ServerContext } from '../ports/ports.ts';

const PROFILE_SECONDS_MIN = 0.01;
/** Sixty thousand samples: about a megabyte. */
const PROFILE_SECONDS_MAX = 60;

const unknownWord = new CommandError(
  'ERR DEBUG SHARD takes the number of a shard or main, then PROFILE <seconds> or HEAP',
);
const wrongSeconds = new CommandError(
  `ERR a profile lasts from ${PROFILE_SECONDS_MIN} to ${PROFILE_SECONDS_MAX} seconds`,
);
const noWait = new CommandError('ERR DEBUG SHARD is not allowed in transactions');

export const debugThread = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|SHARD',
  summary: 'Returns a CPU profile of one thread, or statistics of its heap.',
  arity: -4,
  run(context, args) {
    const { threads } = context;
    const thread = threadNamed(args, threads.names);
    const isProfile = args.spellsAt(3, 'PROFILE') && args.count === 5;
    if (!isProfile && !(args.spellsAt(3, 'HEAP') && args.count === 4)) throw unknownWord;
    const seconds = isProfile ? readSeconds(args) : 0;
    if (!context.mayBlock) throw noWait;
    if (isProfile) {
      answerOrError(context, threads.profile(thread, seconds), (reply, profile) => {
        reply.bulk(profile);
      });
    } else {
      answerOrError(context, threads.heap(thread), writeHeap);
    }
  },
});

function threadNamed(args: Arguments, names: readonly string[]): string {
  const word = args.latin1(2).toLowerCase();
  const name = /^\d+$/.test(word) ? `shard-${String(Number(word))}` : word;
  if (name === 'main' || (name.startsWith('shard-') && /^\d/.test(word) && names.includes(name))) {
    return name;
  }
  const shards = names.filter((each) => each.startsWith('shard-')).length;
  throw new CommandError(
    `ERR there is no such shard: say main or a number from 0 to ${String(shards - 1)}`,
  );
}

function readSeconds(args: Arguments): number {
  const seconds = parseDouble(args.latin1(4));
  if (seconds >= PROFILE_SECONDS_MIN && seconds <= PROFILE_SECONDS_MAX) return seconds;
  throw wrongSeconds;
}

function writeHeap(reply: ReplyWriter, { figures, spaces }: HeapReport): void {
  const all = Object.entries(figures);
  reply.mapHeader(all.length + 1);
  for (const [name, value] of all) writeFigure(reply, name, value);
  reply.text('spaces');
  reply.mapHeader(spaces.length);
  for (const { space, figures: own } of spaces) {
    const fields = Object.entries(own);
    reply.text(space);
    reply.mapHeader(fields.length);
    for (const [name, value] of fields) writeFigure(reply, name, value);
  }
}

function writeFigure(reply: ReplyWriter, name: string, value: number): void {
  reply.text(name);
  reply.integer(value);
}
