/** Commands about the connection they are sent on: who am I, which database, which protocol. */

import { CommandError, errors, untilNul } from '#base';
import { indexesFrom, type Arguments } from '../arguments/arguments.ts';
import { onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import { databaseIndexAt } from '../keyspace/database-index.ts';
import { readName } from './client-name.ts';
import type { ConnectionContext } from './ports.ts';

const ofConnection = {
  group: 'connection',
  keys: noKeys,
  complexity: 'O(1)',
} as const satisfies Partial<CommandHead>;

const ping = onMain({
  ...ofConnection,
  name: 'PING',
  sessionOnly: true,
  summary: 'Returns PONG, or the given message.',
  since: '1.0.0',
  arity: -1,
  flags: ['fast'],
  args: [{ name: 'message', type: 'string', optional: true }],
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  run({ reply, client }, args) {
    if (args.count > 2) throw errors.wrongArguments('ping');
    if (client.session.protocol === 2 && client.roles.subscriptions !== undefined) {
      // A client in subscription mode reads messages, and this must look like one.
      reply.arrayHeader(2);
      reply.text('pong');
      if (args.count === 1) reply.text('');
      else reply.bulk(args.source, args.at(1), args.length(1));
    } else if (args.count === 1) reply.simple('PONG');
    else reply.bulk(args.source, args.at(1), args.length(1));
  },
});

const echo = onMain({
  ...ofConnection,
  name: 'ECHO',
  sessionOnly: true,
  summary: 'Returns the given message.',
  since: '1.0.0',
  arity: 2,
  flags: ['loading', 'stale', 'fast'],
  args: [{ name: 'message', type: 'string' }],
  run({ reply }, args) {
    reply.bulk(args.source, args.at(1), args.length(1));
  },
});

const select = onMain<ConnectionContext>({
  ...ofConnection,
  name: 'SELECT',
  sessionOnly: true,
  summary: 'Selects the database of this connection.',
  since: '1.0.0',
  arity: 2,
  flags: ['loading', 'stale', 'fast'],
  args: [{ name: 'index', type: 'integer' }],
  run({ client, reply, databaseCount }, args) {
    const index = databaseIndexAt(args, 1);
    if (index < 0 || index >= databaseCount) throw errors.databaseOutOfRange;
    client.session.database = index;
    reply.ok();
  },
});

const quit = onMain({
  ...ofConnection,
  name: 'QUIT',
  sessionOnly: true,
  summary: 'Closes this connection.',
  since: '1.0.0',
  arity: -1,
  flags: ['allow_busy', 'noscript', 'loading', 'stale', 'fast', 'no_auth'],
  args: [],
  deprecated: { since: '7.2.0', replacedBy: 'just closing the connection' },
  run({ client, reply }) {
    reply.ok();
    client.quit();
  },
});

const reset = onMain<ConnectionContext>({
  ...ofConnection,
  name: 'RESET',
  summary: 'Resets this connection to the state of a new one.',
  since: '6.2.0',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  args: [],
  run(context) {
    context.resetClient();
    context.reply.simple('RESET');
  },
});

const auth = onMain<ConnectionContext>({
  ...ofConnection,
  name: 'AUTH',
  summary: 'Authenticates this connection.',
  since: '1.0.0',
  complexity: 'O(N), N being the number of passwords of the user.',
  arity: -2,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  args: [
    { name: 'username', type: 'string', optional: true, since: '6.0.0' },
    { name: 'password', type: 'string' },
  ],
  history: [['6.0.0', 'Added the user name before the password.']],
  secret: 'all',
  run(context, args) {
    if (args.count > 3) throw errors.syntax;
    if (args.count === 2 && !context.authentication.hasPassword) throw errors.noPasswordSet;
    const user = args.count === 2 ? 'default' : args.latin1(1);
    authenticate(context, user, args.latin1(args.count - 1), args.latin1(0));
    context.reply.ok();
  },
});

function authenticate(
  { authentication }: ConnectionContext,
  user: string,
  password: string,
  command: string,
): void {
  if (!authentication.login(user, password, command)) throw errors.wrongPassword;
}

const hello = onMain<ConnectionContext>({
  ...ofConnection,
  name: 'HELLO',
  summary: 'Selects the protocol version; returns properties of the server.',
  since: '6.0.0',
  arity: -1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'no_auth', 'allow_busy'],
  args: [
    {
      name: 'arguments',
      type: 'block',
      optional: true,
      arguments: [
        { name: 'protover', type: 'integer' },
        {
          name: 'auth',
          type: 'block',
          token: 'AUTH',
          optional: true,
          arguments: [
            { name: 'username', type: 'string' },
            { name: 'password', type: 'string' },
          ],
        },
        { name: 'clientname', type: 'string', token: 'SETNAME', optional: true },
      ],
    },
  ],
  history: [['6.2.0', 'Without a protocol version, the protocol is not changed.']],
  secret: helloSecrets,
  run: sayHello,
});

function sayHello(context: ConnectionContext, args: Arguments): void {
  const { client, reply } = context;
  const version = args.more ? Number(args.integer64(errors.protocolNotInteger)) : 0;
  if (args.count > 1 && version !== 2 && version !== 3) throw errors.noProtocol;
  const wish = readWish(args);
  if (wish.password !== undefined) {
    authenticate(context, wish.user, wish.password, args.latin1(0));
  }
  if (!client.session.authenticated) throw helloUnauthenticated;
  if (wish.name !== undefined) client.session.name = wish.name;
  if (version === 2 || version === 3) client.session.protocol = version;
  reply.protocol = client.session.protocol;
  const { availabilityZone: zone } = context;
  reply.mapHeader(zone === '' ? 7 : 8);
  reply.text('server');
  reply.text('redis');
  reply.text('version');
  reply.text(context.redisVersion);
  reply.text('proto');
  reply.integer(client.session.protocol);
  reply.text('id');
  reply.integer(client.id);
  reply.text('mode');
  reply.text(context.cluster === undefined ? 'standalone' : 'cluster');
  reply.text('role');
  reply.text(context.replication.role.role === 'master' ? 'master' : 'replica');
  reply.text('modules');
  reply.arrayHeader(0);
  if (zone === '') return;
  reply.text('availability_zone');
  reply.text(zone);
}

/** User and password of each AUTH; everything from where the words cease to make sense. */
function helloSecrets(args: Arguments): readonly number[] {
  const secrets: number[] = [];
  let index = 2;
  if (args.count > 1 && Number.isNaN(args.integerAt(1))) index = 1;
  while (index < args.count) {
    if (index > 1 && args.spellsAt(index, 'AUTH') && index + 2 < args.count) {
      secrets.push(index + 1, index + 2);
      index += 3;
    } else if (index > 1 && args.spellsAt(index, 'SETNAME') && index + 1 < args.count) {
      index += 2;
    } else {
      return [...secrets, ...indexesFrom(index, args.count)];
    }
  }
  return secrets;
}

const helloUnauthenticated = new CommandError(
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
);

interface HelloWish {
  user: string;
  password?: string;
  name?: string;
}

function readWish(args: Arguments): HelloWish {
  const wish: HelloWish = { user: 'default' };
  while (args.more) {
    const option = args.position;
    if (args.left > 2 && args.takes('AUTH')) {
      wish.user = args.text();
      wish.password = args.text();
    } else if (args.left > 1 && args.takes('SETNAME')) {
      wish.name = readName(args);
    } else {
      throw new CommandError(`ERR Syntax error in HELLO option '${untilNul(args.latin1(option))}'`);
    }
  }
  return wish;
}

export const sessionCommands = [ping, echo, select, quit, reset, auth, hello];
