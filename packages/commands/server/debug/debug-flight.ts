/** DEBUG FLIGHT-RECORDER: recent notable events of each thread. */

import { CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import type { Arguments } from '../../arguments/arguments.ts';
import { onMain } from '../../definition/definition.ts';
import { debugHead } from './debug-head.ts';
import type { FlightEntryReport, ServerContext } from '../ports/ports.ts';

/** Events answered when no count is given. */
const COUNT = 128;

const countTooLow = new CommandError('ERR count should be greater than or equal to -1');

export const flightRecorder = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|FLIGHT-RECORDER',
  summary: 'Returns recent notable events of each thread, oldest first.',
  arity: -2,
  run({ reply, threads, flight }, args) {
    args.position = 2;
    let thread: string | undefined;
    if (args.more && !args.spellsAt(2, 'COUNT')) thread = threadNamed(args, threads.names);
    const count = args.more ? readCount(args) : COUNT;
    const entries = flight.newest(count, thread);
    reply.arrayHeader(entries.length);
    for (const entry of entries) writeEntry(reply, entry);
  },
});

/** `main`, `ops`, or the number of a shard; steps over it. */
function threadNamed(args: Arguments, names: readonly string[]): string {
  const word = args.latin1(args.position).toLowerCase();
  const name = /^\d+$/.test(word) ? `shard-${String(Number(word))}` : word;
  if (!names.includes(name)) {
    const shards = names.filter((each) => each.startsWith('shard-')).length;
    throw new CommandError(
      `ERR there is no such thread: say main, ops or the number of a shard, 0 to ${String(shards - 1)}`,
    );
  }
  args.position += 1;
  return name;
}

/** Reads COUNT n, the last option; -1 is all. */
function readCount(args: Arguments): number {
  if (args.count !== args.position + 2 || !args.spellsAt(args.position, 'COUNT'))
    throw errors.syntax;
  const count = args.roundedAt(args.position + 1);
  if (count < -1) throw countTooLow;
  return count < 0 ? Infinity : count;
}

function writeEntry(reply: ReplyWriter, entry: FlightEntryReport): void {
  const fields = Object.entries(entry);
  reply.mapHeader(fields.length);
  for (const [name, value] of fields) {
    reply.text(name);
    if (value === null) reply.nil();
    else if (typeof value === 'string') reply.text(value);
    else if (Number.isInteger(value)) reply.integer(value);
    else reply.double(value);
  }
}
