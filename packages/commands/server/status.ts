/** STATUS: how the server and its shards fare, as one JSON document. */

import type { ReplyWriter } from '#resp';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ServerContext } from './ports/ports.ts';

const aboutStatus = {
  since: '1.0.0',
  group: 'server',
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [],
  acl: { add: ['dangerous'] },
} as const satisfies Partial<CommandHead>;

const HELP = [
  'STATUS <subcommand>. Subcommands are:',
  'JSON',
  '    Returns the status of the server as JSON with the sections frogdb, cluster,',
  '    health, clients, memory, persistence, shards, keyspace and commands. It replies',
  '    within milliseconds even while a shard is stuck in a command.',
  'HELP',
  '    Print this help.',
];

/** Bulk strings, unlike the HELP of Redis' containers. */
function writeHelp(reply: ReplyWriter): void {
  reply.arrayHeader(HELP.length);
  for (const line of HELP) reply.text(line);
}

const bare = onMain<ServerContext>({
  ...aboutStatus,
  name: 'STATUS',
  summary: 'Describes the subcommands.',
  complexity: 'O(1)',
  arity: 1,
  run({ reply }) {
    writeHelp(reply);
  },
});

const help = onMain<ServerContext>({
  ...aboutStatus,
  name: 'STATUS|HELP',
  summary: 'Describes the subcommands.',
  complexity: 'O(1)',
  arity: 2,
  run({ reply }) {
    writeHelp(reply);
  },
});

const json = onMain<ServerContext>({
  ...aboutStatus,
  name: 'STATUS|JSON',
  summary: 'Returns the status of the server and of each shard as JSON.',
  complexity: 'O(N) for N shards and commands.',
  arity: 2,
  tips: ['nondeterministic_output'],
  run({ reply, status }) {
    reply.text(status.json());
  },
});

const status = container({
  ...aboutStatus,
  name: 'STATUS',
  summary: 'Returns the status of the server and of its shards.',
  complexity: 'Depends on the subcommand.',
  arity: -1,
  bare,
  subcommands: [help, json],
});

export const serverStatus = [status];
