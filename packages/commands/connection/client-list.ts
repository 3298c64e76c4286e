/** CLIENT subcommands that look at clients or end them. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ClientPort } from '../contexts/contexts.ts';
import { onMain, type ArgumentDoc, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { filtered, newerFilters, readFilters } from './client-filter.ts';
import { clientLine } from './client-report.ts';
import type { ConnectionContext } from './ports.ts';

const adminOfClients = {
  group: 'connection',
  keys: noKeys,
  complexity: 'O(N), N being the number of clients.',
  flags: ['admin', 'noscript', 'loading', 'stale'],
} as const satisfies Partial<CommandHead>;

const info = onMain<ConnectionContext>({
  group: 'connection',
  keys: noKeys,
  name: 'CLIENT|INFO',
  summary: 'Returns the CLIENT LIST line of this connection.',
  since: '6.2.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['noscript', 'loading', 'stale'],
  args: [],
  tips: ['nondeterministic_output'],
  run({ reply, client, nowMs }) {
    reply.verbatim(`${clientLine(client, nowMs)}\n`);
  },
});

const typeChoice = { name: 'client-type', type: 'oneof', token: 'TYPE', optional: true } as const;
const typeToken = (name: string, since?: string): ArgumentDoc => ({
  name,
  type: 'pure-token',
  token: name.toUpperCase(),
  ...(since === undefined ? undefined : { since }),
});

const skipMe: ArgumentDoc = {
  name: 'skipme',
  type: 'oneof',
  token: 'SKIPME',
  optional: true,
  arguments: [
    { name: 'yes', type: 'pure-token', token: 'YES' },
    { name: 'no', type: 'pure-token', token: 'NO' },
  ],
};

const list = onMain<ConnectionContext>({
  ...adminOfClients,
  name: 'CLIENT|LIST',
  summary: 'Returns one line for each connection.',
  since: '2.4.0',
  arity: -2,
  args: [
    {
      ...typeChoice,
      since: '5.0.0',
      arguments: [
        typeToken('normal'),
        typeToken('master'),
        typeToken('replica'),
        typeToken('pubsub'),
      ],
    },
    {
      name: 'client-id',
      type: 'integer',
      token: 'ID',
      optional: true,
      multiple: true,
      since: '6.2.0',
    },
    { name: 'username', type: 'string', token: 'USER', optional: true, since: '8.1.0' },
    { name: 'addr', type: 'string', token: 'ADDR', optional: true, since: '8.1.0' },
    { name: 'laddr', type: 'string', token: 'LADDR', optional: true, since: '8.1.0' },
    { ...skipMe, since: '8.1.0' },
    { name: 'maxage', type: 'integer', token: 'MAXAGE', optional: true, since: '8.1.0' },
    ...newerFilters,
  ],
  history: [
    ['2.8.12', 'Added the id to lines.'],
    ['5.0.0', 'Added TYPE.'],
    ['6.0.0', 'Added the user to lines.'],
    ['6.2.0', 'Added ID, and laddr, redir, argv-mem and tot-mem to lines.'],
    ['7.0.0', 'Added resp, multi-mem, rbs and rbp to lines.'],
    ['7.0.3', 'Added ssub to lines.'],
  ],
  tips: ['nondeterministic_output'],
  run(context, args) {
    const { nowMs } = context;
    const filter = readFilters(args, context, listRules);
    const lines = filtered(context, filter).map((client) => `${clientLine(client, nowMs)}\n`);
    context.reply.verbatim(lines.join(''));
  },
});

const invalidId = new CommandError('ERR Invalid client ID');
const idNotPositive = new CommandError('ERR client-id should be greater than 0');

/** As in Redis, an id that no client can have is no mistake. */
const listRules = {
  skipsMe: false,
  badId: invalidId,
  badLaterId: invalidId,
  leastId: -Infinity,
};
const killRules = {
  skipsMe: true,
  badId: idNotPositive,
  badLaterId: errors.syntax,
  leastId: 1,
};

const kill = onMain<ConnectionContext>({
  ...adminOfClients,
  name: 'CLIENT|KILL',
  summary: 'Closes connections.',
  since: '2.4.0',
  arity: -3,
  args: [
    {
      name: 'filter',
      type: 'oneof',
      arguments: [
        { name: 'old-format', type: 'string', shown: 'ip:port', deprecatedSince: '2.8.12' },
        {
          name: 'new-format',
          type: 'oneof',
          multiple: true,
          arguments: [
            {
              name: 'client-id',
              type: 'integer',
              token: 'ID',
              optional: true,
              multiple: true,
              since: '2.8.12',
            },
            {
              ...typeChoice,
              since: '2.8.12',
              arguments: [
                typeToken('normal'),
                typeToken('master', '3.2.0'),
                typeToken('slave'),
                typeToken('replica', '5.0.0'),
                typeToken('pubsub'),
              ],
            },
            { name: 'username', type: 'string', token: 'USER', optional: true },
            { name: 'addr', type: 'string', shown: 'ip:port', token: 'ADDR', optional: true },
            {
              name: 'laddr',
              type: 'string',
              shown: 'ip:port',
              token: 'LADDR',
              optional: true,
              since: '6.2.0',
            },
            skipMe,
            { name: 'maxage', type: 'integer', token: 'MAXAGE', optional: true, since: '7.4.0' },
            ...newerFilters,
          ],
        },
      ],
    },
  ],
  history: [
    ['2.8.12', 'Added filters, among them ID.'],
    ['3.2.0', 'Added the type master.'],
    ['5.0.0', 'Added the type replica; slave is still accepted.'],
    ['6.2.0', 'Added LADDR.'],
    ['7.4.0', 'Added the filter MAXAGE.'],
  ],
  run(context, args) {
    const isOldForm = args.count === 3;
    const victims = isOldForm
      ? clientsFrom(context, args.text())
      : new Set(filtered(context, readFilters(args, context, killRules)));
    for (const victim of victims) {
      if (victim !== context.client) context.clients.kill(victim);
    }
    if (!isOldForm) context.reply.integer(victims.size);
    else if (victims.size === 0) throw new CommandError('ERR No such client');
    else context.reply.ok();
    if (victims.has(context.client)) context.client.quit();
  },
});

/** Clients of an address: the old form, by which a client may close itself. */
function clientsFrom({ clients }: ConnectionContext, address: string): ReadonlySet<ClientPort> {
  return new Set(clients.all().filter(({ socket }) => socket.remoteAddress === address));
}

const unblock = onMain<ConnectionContext>({
  ...adminOfClients,
  name: 'CLIENT|UNBLOCK',
  summary: 'Unblocks a client that waits in a blocking command.',
  since: '5.0.0',
  complexity: 'O(log N), N being the number of clients.',
  arity: -3,
  args: [
    { name: 'client-id', type: 'integer' },
    {
      name: 'unblock-type',
      type: 'oneof',
      optional: true,
      arguments: [
        { name: 'timeout', type: 'pure-token', token: 'TIMEOUT' },
        { name: 'error', type: 'pure-token', token: 'ERROR' },
      ],
    },
  ],
  run(context, args) {
    if (args.count > 4) throw errors.subcommandSyntax(args.latin1(1), 'CLIENT');
    const withError = args.count === 4 && readReason(args);
    args.position = 2;
    const client = context.clients.byId(args.integer());
    if (client?.wait.canUnblock !== true) {
      context.reply.integer(0);
      return;
    }
    const answer = context.defer();
    context.clients.unblock(client, withError, (isDone) => {
      answer((reply) => {
        reply.integer(Number(isDone));
      });
    });
  },
});

function readReason(args: Arguments): boolean {
  args.position = 3;
  if (args.takes('ERROR')) return true;
  if (args.takes('TIMEOUT')) return false;
  throw new CommandError('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR');
}

export const clientListCommands = [info, list, kill, unblock];
