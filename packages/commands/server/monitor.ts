/** MONITOR, and the filters that Redis does not have: each word narrows what is shown, and none is needed. */

import { type Bytes, CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { MonitorFilter, ServerContext } from './ports/ports.ts';

/** Filters of one monitor; every command is held against all of them. */
const WORDS_MAX = 32;

const tooManyWords = new CommandError(`ERR MONITOR takes at most ${WORDS_MAX} filters`);
const notPositive = new CommandError(
  'ERR MONITOR ID, SAMPLE, LIMIT and FOR must be followed by a positive integer',
);

export const monitor = onMain<ServerContext>({
  name: 'MONITOR',
  summary: 'Streams every command that the server receives.',
  since: '1.0.0',
  complexity: 'O(N) for each command, N being the number of monitors.',
  group: 'server',
  arity: 1,
  admitsMore: true,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  keys: noKeys,
  args: [
    { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true, multiple: true },
    { name: 'command', type: 'string', token: 'CMD', optional: true, multiple: true },
    { name: 'username', type: 'string', token: 'USER', optional: true, multiple: true },
    { name: 'client-id', type: 'integer', token: 'ID', optional: true, multiple: true },
    { name: 'ratio', type: 'integer', token: 'SAMPLE', optional: true },
    { name: 'lines', type: 'integer', token: 'LIMIT', optional: true },
    { name: 'milliseconds', type: 'integer', token: 'FOR', optional: true },
  ],
  run({ client, reply, monitors }, args) {
    const filter = readFilter(args);
    // Who is a monitor already is not answered at all, as in Redis.
    if (client.roles.isMonitor) return;
    monitors.start(client, filter);
    reply.ok();
  },
});

function readFilter(args: Arguments): MonitorFilter {
  const filter = {
    patterns: [] as Bytes[],
    commands: [] as string[],
    users: [] as string[],
    ids: [] as number[],
    sample: 0,
    lines: 0,
    forMs: 0,
  };
  if (args.count > 1 + 2 * WORDS_MAX) throw tooManyWords;
  while (args.more) {
    if (args.left === 1) throw errors.syntax;
    if (args.takes('MATCH')) filter.patterns.push(args.bytes().slice());
    else if (args.takes('CMD')) filter.commands.push(args.text().toLowerCase());
    else if (args.takes('USER')) filter.users.push(args.text());
    else if (args.takes('ID')) filter.ids.push(readPositive(args));
    else if (filter.sample === 0 && args.takes('SAMPLE')) filter.sample = readPositive(args);
    else if (filter.lines === 0 && args.takes('LIMIT')) filter.lines = readPositive(args);
    else if (filter.forMs === 0 && args.takes('FOR')) filter.forMs = readPositive(args);
    else throw errors.syntax;
  }
  return filter;
}

function readPositive(args: Arguments): number {
  const value = args.integer(notPositive);
  if (value < 1) throw notPositive;
  return value;
}
