/** SLOWLOG and COMMANDLOG: commands that took long to run, or had a large request or reply. */

import {
  CommandError,
  errors,
  COMMAND_LOG_KINDS,
  type CommandLogKind,
  isCommandLogKind,
} from '#base';
import type { ReplyWriter } from '#resp';
import { answerLater, writeOk } from '../contexts/answer-later.ts';
import type { Arguments } from '../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { DiagnosticsContext, LoggedCommand } from './ports.ts';

const COUNT_DEFAULT = 10;
const ALL = -1;

const badCount = new CommandError('ERR count should be greater than or equal to -1');

const aboutSlowness = {
  group: 'server',
  flags: ['admin', 'loading', 'stale'],
  keys: noKeys,
} as const satisfies Partial<CommandHead>;

const get = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'SLOWLOG|GET',
  summary: 'Returns the latest slow commands of all threads.',
  since: '2.2.12',
  complexity: 'O(N) for N entries.',
  arity: -2,
  args: [{ name: 'count', type: 'integer', optional: true }],
  tips: ['request_policy:all_nodes', 'nondeterministic_output'],
  history: [['4.0.0', 'Added address and name of the client to entries.']],
  run(context, args) {
    const count = countOf(args);
    answerLater(context, context.commandLogs.slow.newest(count), (reply, entries) => {
      writeEntries('slow', entries, reply);
    });
  },
});

function countOf(args: Arguments): number {
  if (args.count > 3) throw errors.subcommandSyntax(args.latin1(1), 'SLOWLOG');
  if (args.count < 3) return COUNT_DEFAULT;
  return givenCount(args);
}

function givenCount(args: Arguments): number {
  const count = args.roundedAt(2, badCount);
  if (count < ALL) throw badCount;
  return count === ALL ? Infinity : count;
}

function writeEntries(
  kind: CommandLogKind,
  entries: readonly LoggedCommand[],
  reply: ReplyWriter,
): void {
  reply.arrayHeader(entries.length);
  for (const { id, unixMs, executeUs, bytes, args, client } of entries) {
    reply.arrayHeader(6);
    reply.integer(id);
    reply.integer(Math.floor(unixMs / 1_000));
    reply.integer(kind === 'slow' ? Math.floor(executeUs) : bytes);
    reply.arrayHeader(args.length);
    for (const arg of args) reply.bulk(arg);
    reply.text(client.address);
    reply.text(client.name, 'latin1');
  }
}

const len = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'SLOWLOG|LEN',
  summary: 'Returns the number of slow commands in the log, over all threads.',
  since: '2.2.12',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
  run({ reply, commandLogs }) {
    reply.integer(commandLogs.slow.length);
  },
});

const reset = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'SLOWLOG|RESET',
  summary: 'Clears the slow log.',
  since: '2.2.12',
  complexity: 'O(N) for N entries.',
  arity: 2,
  args: [],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run(context) {
    answerLater(context, context.commandLogs.slow.reset(), writeOk);
  },
});

const help = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  flags: ['loading', 'stale'],
  name: 'SLOWLOG|HELP',
  summary: 'Describes the subcommands.',
  since: '6.2.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'SLOWLOG', [
      [
        'GET [<count>]',
        'Returns the latest entries (default: 10); -1 for all.',
        'An entry has id, Unix time, microseconds, arguments, address and name of the client.',
      ],
      ['LEN', 'Counts the entries.'],
      ['RESET', 'Clears the slow log.'],
    ]);
  },
});

const slowlog = container({
  name: 'SLOWLOG',
  summary: 'Container for commands about the slow log.',
  since: '2.2.12',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [get, len, reset, help],
});

const badType = new CommandError(
  'ERR type should be one of the following: slow, large-request, large-reply',
);

const typeArgument = {
  name: 'type',
  type: 'oneof',
  parts: COMMAND_LOG_KINDS.map((kind) => ({ name: kind, type: 'pure-token', token: kind })),
} as const;

const ofAllThreads = ['request_policy:all_nodes', 'nondeterministic_output'] as const;

function kindAt(args: Arguments, index: number): CommandLogKind {
  const word = args.latin1(index).toLowerCase();
  if (!isCommandLogKind(word)) throw badType;
  return word;
}

const typedGet = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'COMMANDLOG|GET',
  summary: 'Returns the latest entries of a log of commands, of all threads.',
  since: '8.1.0',
  complexity: 'O(N) for N entries.',
  arity: 4,
  args: [{ name: 'count', type: 'integer' }, typeArgument],
  tips: ofAllThreads,
  run(context, args) {
    const count = givenCount(args);
    const kind = kindAt(args, 3);
    answerLater(context, context.commandLogs[kind].newest(count), (reply, entries) => {
      writeEntries(kind, entries, reply);
    });
  },
});

const typedLen = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'COMMANDLOG|LEN',
  summary: 'Returns the number of entries in a log of commands, over all threads.',
  since: '8.1.0',
  complexity: 'O(1)',
  arity: 3,
  args: [typeArgument],
  tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
  run({ reply, commandLogs }, args) {
    reply.integer(commandLogs[kindAt(args, 2)].length);
  },
});

const typedReset = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  name: 'COMMANDLOG|RESET',
  summary: 'Clears a log of commands.',
  since: '8.1.0',
  complexity: 'O(N) for N entries.',
  arity: 3,
  args: [typeArgument],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run(context, args) {
    answerLater(context, context.commandLogs[kindAt(args, 2)].reset(), writeOk);
  },
});

const typedHelp = onMain<DiagnosticsContext>({
  ...aboutSlowness,
  flags: ['loading', 'stale'],
  name: 'COMMANDLOG|HELP',
  summary: 'Describes the subcommands.',
  since: '8.1.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  run({ reply }) {
    helpReply(reply, 'COMMANDLOG', [
      [
        'GET <count> <type>',
        'Returns the latest entries of a type (slow, large-request, large-reply); -1 for all.',
        'An entry has id, Unix time, microseconds or bytes, arguments, address and name of the client.',
      ],
      ['LEN <type>', 'Counts the entries of a type.'],
      ['RESET <type>', 'Clears the entries of a type.'],
    ]);
  },
});

const commandlog = container({
  name: 'COMMANDLOG',
  summary: 'Container for commands about logs of slow and of large commands.',
  since: '8.1.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [typedGet, typedLen, typedReset, typedHelp],
});

export const commandLogCommands = [slowlog, commandlog];
