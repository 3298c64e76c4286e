/** Commands of main that need nothing of main: a script gets their replies where it runs. */

import { CommandError, errors, unixUs } from '#base';
import { type Arguments, type CommandEntry, databaseIndexAt } from '#commands';
import type { ReplyWriter } from '#resp';
import type { ScriptRun } from './script-run.ts';

type Local = (run: ScriptRun, args: Arguments, reply: ReplyWriter, databases: number) => void;

const LOCAL = new Map<string, Local>([
  [
    'TIME',
    (run, _args, reply) => {
      const us = (run.unixUs ??= unixUs());
      reply.arrayHeader(2);
      reply.text(String(Math.floor(us / 1e6)), 'latin1');
      reply.text(String(us % 1e6), 'latin1');
    },
  ],
  [
    'ECHO',
    (_run, args, reply) => {
      reply.bulk(args.source, args.at(1), args.length(1));
    },
  ],
  [
    'SELECT',
    (run, args, reply, databases) => {
      const database = databaseIndexAt(args, 1);
      if (database < 0 || database >= databases) throw errors.databaseOutOfRange;
      run.database = database;
      reply.ok();
    },
  ],
  [
    'PING',
    (_run, args, reply) => {
      if (args.count === 1) reply.simple('PONG');
      else if (args.count === 2) reply.bulk(args.source, args.at(1), args.length(1));
      else throw errors.wrongArguments('ping');
    },
  ],
]);

/** Replies to a command on this shard if possible; false if main must run it. */
export function localCommand(
  entry: CommandEntry,
  args: Arguments,
  run: ScriptRun,
  reply: ReplyWriter,
  databases: number,
): boolean {
  const local = LOCAL.get(entry.name);
  if (local === undefined) return false;
  reply.clearError();
  try {
    local(run, args, reply, databases);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    reply.error(error);
  }
  return true;
}
