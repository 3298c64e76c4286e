/** CLIENT subcommands that look at clients or end them. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ClientPort } from '../contexts/contexts.ts';
import { onMain, type ArgumentDoc, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { clientLine, clientTypeOf, isOfType, type ClientType } from './client-report.ts';
import type { AuthenticationPort, ConnectionContext } from './ports.ts';

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
    const lines = chosen(context, args).map((client) => `${clientLine(client, nowMs)}\n`);
    context.reply.verbatim(lines.join(''));
  },
});

function chosen({ clients }: ConnectionContext, args: Arguments): readonly ClientPort[] {
  if (!args.more) return clients.all();
  if (args.count === 4 && args.takes('TYPE')) {
    const type = readType(args);
    return clients.all().filter((client) => isOfType(client, type));
  }
  if (args.count < 4 || !args.takes('ID')) throw errors.syntax;
  const found: ClientPort[] = [];
  while (args.left > 0) {
    const client = clients.byId(args.integer(invalidId));
    if (client !== undefined) found.push(client);
  }
  return found;
}

const invalidId = new CommandError('ERR Invalid client ID');

function readType(args: Arguments): ClientType {
  const name = args.text();
  const type = clientTypeOf(name);
  if (type === undefined) throw new CommandError(`ERR Unknown client type '${name}'`);
  return type;
}

interface KillFilter {
  address?: string;
  localAddress?: string;
  type?: ClientType;
  id?: number;
  user?: string;
  ageSecondsMin?: number;
  skipsMe: boolean;
}

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
            {
              name: 'skipme',
              type: 'oneof',
              token: 'SKIPME',
              optional: true,
              arguments: [
                { name: 'yes', type: 'pure-token', token: 'YES' },
                { name: 'no', type: 'pure-token', token: 'NO' },
              ],
            },
            { name: 'maxage', type: 'integer', token: 'MAXAGE', optional: true, since: '7.4.0' },
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
    const filter = isOldForm
      ? { address: args.text(), skipsMe: false }
      : readFilter(args, context.authentication);
    const victims = context.clients
      .all()
      .filter((client) => isMeant(client, filter, context.client, context.nowMs));
    for (const victim of victims) {
      if (victim !== context.client) context.clients.kill(victim);
    }
    if (!isOldForm) context.reply.integer(victims.length);
    else if (victims.length === 0) throw new CommandError('ERR No such client');
    else context.reply.ok();
    if (victims.includes(context.client)) context.client.quit();
  },
});

function isMeant(client: ClientPort, filter: KillFilter, me: ClientPort, nowMs: number): boolean {
  const ageSeconds = Math.floor((nowMs - client.account.createdMs) / 1_000);
  return (
    fits(filter.address, client.socket.remoteAddress) &&
    fits(filter.localAddress, client.socket.localAddress) &&
    fits(filter.id, client.id) &&
    fits(filter.user, client.session.user) &&
    (filter.type === undefined || isOfType(client, filter.type)) &&
    ageSeconds >= (filter.ageSecondsMin ?? 0) &&
    !(client === me && filter.skipsMe)
  );
}

/** True when a property equals the wanted value, or when there is no wanted value. */
function fits(wanted: string | number | undefined, actual: string | number): boolean {
  return wanted === undefined || wanted === actual;
}

function readFilter(args: Arguments, authentication: AuthenticationPort): KillFilter {
  const filter: KillFilter = { skipsMe: true };
  while (args.more) {
    if (args.left === 1) throw errors.syntax;
    readOption(args, filter, authentication);
  }
  return filter;
}

const idNotPositive = new CommandError('ERR client-id should be greater than 0');
const ageNotInteger = new CommandError('ERR maxage is not an integer or out of range');
const ageNotPositive = new CommandError('ERR maxage should be greater than 0');

function readOption(args: Arguments, filter: KillFilter, authentication: AuthenticationPort): void {
  if (args.takes('ID')) {
    filter.id = args.roundedAt(args.next(), idNotPositive);
    if (filter.id < 1) throw idNotPositive;
  } else if (args.takes('MAXAGE')) {
    filter.ageSecondsMin = args.roundedAt(args.next(), ageNotInteger);
    if (filter.ageSecondsMin <= 0) throw ageNotPositive;
  } else if (args.takes('TYPE')) {
    filter.type = readType(args);
  } else if (args.takes('ADDR')) {
    filter.address = args.text();
  } else if (args.takes('LADDR')) {
    filter.localAddress = args.text();
  } else if (args.takes('USER')) {
    filter.user = readUser(args, authentication);
  } else if (args.takes('SKIPME')) {
    filter.skipsMe = readYesOrNo(args);
  } else {
    throw errors.syntax;
  }
}

function readUser(args: Arguments, authentication: AuthenticationPort): string {
  const name = args.text();
  if (!authentication.isUser(name)) throw new CommandError(`ERR No such user '${name}'`);
  return name;
}

function readYesOrNo(args: Arguments): boolean {
  if (args.takes('YES')) return true;
  if (args.takes('NO')) return false;
  throw errors.syntax;
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
