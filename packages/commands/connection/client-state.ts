/** CLIENT subcommands that read or change the state of the connection they are sent on. */

import { CommandError, errors, untilNul } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import { onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import { readLibraryWord, readName } from './client-name.ts';
import type { ConnectionContext } from './ports.ts';
import { traceParent } from './trace-parent.ts';

const ofClient = {
  group: 'connection',
  keys: noKeys,
  complexity: 'O(1)',
  flags: ['noscript', 'loading', 'stale'],
} as const satisfies Partial<CommandHead>;

const onOff = [
  {
    name: 'enabled',
    type: 'oneof',
    arguments: [
      { name: 'on', type: 'pure-token', token: 'ON' },
      { name: 'off', type: 'pure-token', token: 'OFF' },
    ],
  },
] as const;

const id = onMain({
  ...ofClient,
  name: 'CLIENT|ID',
  sessionOnly: true,
  summary: 'Returns the id of this connection.',
  since: '5.0.0',
  arity: 2,
  args: [],
  run({ reply, client }) {
    reply.integer(client.id);
  },
});

const getName = onMain({
  ...ofClient,
  name: 'CLIENT|GETNAME',
  sessionOnly: true,
  summary: 'Returns the name of this connection.',
  since: '2.6.9',
  arity: 2,
  args: [],
  run({ reply, client }) {
    if (client.session.name === '') reply.nil();
    else reply.text(client.session.name, 'latin1');
  },
});

const setName = onMain({
  ...ofClient,
  name: 'CLIENT|SETNAME',
  sessionOnly: true,
  summary: 'Sets the name of this connection.',
  since: '2.6.9',
  arity: 3,
  args: [{ name: 'connection-name', type: 'string' }],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run({ reply, client }, args) {
    client.session.name = readName(args);
    reply.ok();
  },
});

const setInfo = onMain({
  ...ofClient,
  name: 'CLIENT|SETINFO',
  sessionOnly: true,
  summary: 'Sets the name or version of the client library of this connection.',
  since: '7.2.0',
  arity: 4,
  args: [
    {
      name: 'attr',
      type: 'oneof',
      arguments: [
        { name: 'libname', type: 'string', token: 'LIB-NAME' },
        { name: 'libver', type: 'string', token: 'LIB-VER' },
      ],
    },
  ],
  tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
  run({ reply, client }, args) {
    if (args.takes('LIB-NAME')) client.session.libraryName = readLibraryWord(args);
    else if (args.takes('LIB-VER')) client.session.libraryVersion = readLibraryWord(args);
    else throw new CommandError(`ERR Unrecognized option '${untilNul(args.latin1(2))}'`);
    reply.ok();
  },
});

const reply = onMain({
  ...ofClient,
  name: 'CLIENT|REPLY',
  sessionOnly: true,
  summary: 'Switches replies on or off, or drops the next one.',
  since: '3.2.0',
  arity: 3,
  args: [
    {
      name: 'action',
      type: 'oneof',
      arguments: [
        { name: 'on', type: 'pure-token', token: 'ON' },
        { name: 'off', type: 'pure-token', token: 'OFF' },
        { name: 'skip', type: 'pure-token', token: 'SKIP' },
      ],
    },
  ],
  run({ reply: writer, client }, args) {
    if (args.takes('ON')) {
      client.session.replyMode = 'on';
      writer.ok();
    } else if (args.takes('OFF')) {
      client.session.replyMode = 'off';
    } else if (args.takes('SKIP')) {
      if (client.session.replyMode !== 'off') client.session.replyMode = 'armed';
    } else {
      throw errors.syntax;
    }
  },
});

const noEvict = onMain({
  ...ofClient,
  name: 'CLIENT|NO-EVICT',
  sessionOnly: true,
  summary: 'Exempts this connection from client eviction.',
  since: '7.0.0',
  arity: 3,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  args: onOff,
  run({ reply: writer, client }, args) {
    client.session.noEvict = readOnOff(args);
    writer.ok();
  },
});

const noTouch = onMain({
  ...ofClient,
  name: 'CLIENT|NO-TOUCH',
  sessionOnly: true,
  summary: 'Keeps commands of this connection from updating the LRU and LFU data of keys.',
  since: '7.2.0',
  arity: 3,
  args: onOff,
  run({ reply: writer, client }, args) {
    client.session.noTouch = readOnOff(args);
    writer.ok();
  },
});

function readOnOff(args: Arguments): boolean {
  if (args.takes('ON')) return true;
  if (args.takes('OFF')) return false;
  throw errors.syntax;
}

const pause = onMain<ConnectionContext>({
  ...ofClient,
  name: 'CLIENT|PAUSE',
  summary: 'Suspends the commands of all clients for a number of milliseconds.',
  since: '3.0.0',
  arity: -3,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  args: [
    { name: 'timeout', type: 'integer' },
    {
      name: 'mode',
      type: 'oneof',
      optional: true,
      since: '6.2.0',
      arguments: [
        { name: 'write', type: 'pure-token', token: 'WRITE' },
        { name: 'all', type: 'pure-token', token: 'ALL' },
      ],
    },
  ],
  history: [['6.2.0', 'Added WRITE, which suspends only commands that may write.']],
  run({ clients, reply: writer, nowMs }, args) {
    if (args.count > 4) throw errors.subcommandSyntax(args.latin1(1), 'CLIENT');
    const mode = args.count === 4 ? readPauseMode(args) : 'all';
    args.position = 2;
    const timeoutMs = args.integer(errors.timeoutNotInteger);
    if (timeoutMs < 0) throw errors.timeoutNegative;
    clients.pause(mode, nowMs + timeoutMs);
    writer.ok();
  },
});

function readPauseMode(args: Arguments): 'all' | 'write' {
  args.position = 3;
  if (args.takes('WRITE')) return 'write';
  if (args.takes('ALL')) return 'all';
  throw new CommandError('ERR CLIENT PAUSE mode must be WRITE or ALL');
}

const unpause = onMain<ConnectionContext>({
  ...ofClient,
  name: 'CLIENT|UNPAUSE',
  summary: 'Ends a CLIENT PAUSE.',
  since: '6.2.0',
  complexity: 'O(N), N being the number of clients held back.',
  arity: 2,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  args: [],
  run({ clients, reply: writer }) {
    clients.unpause();
    writer.ok();
  },
});

const help = onMain({
  ...ofClient,
  name: 'CLIENT|HELP',
  summary: 'Lists the subcommands of CLIENT.',
  since: '5.0.0',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply: writer }) {
    helpReply(writer, 'CLIENT', [
      [
        'CACHING (YES|NO)',
        'Switches tracking of the keys of the next command, in OPTIN or OPTOUT mode.',
      ],
      [
        'GETREDIR',
        'Returns the id of the connection that receives the invalidation messages of this one.',
      ],
      ['GETNAME', 'Returns the name of this connection.'],
      ['ID', 'Returns the id of this connection.'],
      ['INFO', 'Returns the CLIENT LIST line of this connection.'],
      ['KILL <ip:port>', 'Closes the connection from <ip:port>.'],
      [
        'KILL <option> <value> [<option> <value> [...]]',
        'Closes all connections that match every option:',
        '* ADDR <ip:port>, LADDR <ip:port>: by remote or local address.',
        '* TYPE (NORMAL|MASTER|REPLICA|PUBSUB): by kind.',
        '* USER <username>: by user.',
        '* ID <client-id> [...]: by ids.',
        '* NAME <name>, LIB-NAME <name>, LIB-VER <version>, IP <ip>, DB <index>: by that field.',
        '* FLAGS <letters>: with all of these flags. CAPA <letters>: with these capabilities.',
        '* MAXAGE <seconds>, IDLE <seconds>: at least that old, or idle for that long.',
        '* SKIPME (YES|NO): spare this connection (default: yes).',
        '* NOT- and any of these but MAXAGE, IDLE and SKIPME: all others.',
      ],
      [
        'LIST [<option> <value> [...]]',
        'Returns one line for each connection that matches every option of KILL.',
      ],
      ['NO-EVICT (ON|OFF)', 'Exempts this connection from client eviction.'],
      [
        'NO-TOUCH (ON|OFF)',
        'Keeps commands of this connection from updating the LRU and LFU data of keys.',
      ],
      [
        'PAUSE <timeout> [WRITE|ALL]',
        'Suspends the commands of all clients for <timeout> milliseconds.',
      ],
      ['REPLY (ON|OFF|SKIP)', 'Switches replies on or off, or drops the next one.'],
      ['SETINFO <option> <value>', 'Sets LIB-NAME or LIB-VER of this connection.'],
      ['SETNAME <name>', 'Sets the name of this connection.'],
      [
        'TRACEPARENT (<traceparent> [NEXT]|OFF)',
        'Sets the parent trace of all commands of this connection, or of the next one.',
      ],
      [
        'TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
        '         [OPTIN] [OPTOUT] [NOLOOP]',
        'Switches invalidation messages for keys read by this connection on or off.',
      ],
      ['TRACKINGINFO', 'Returns the tracking state of this connection.'],
      [
        'UNBLOCK <client-id> [TIMEOUT|ERROR]',
        'Unblocks a client that waits in a blocking command.',
      ],
      ['UNPAUSE', 'Ends a CLIENT PAUSE.'],
    ]);
  },
});

export const clientStateCommands = [
  id,
  getName,
  setName,
  setInfo,
  reply,
  noEvict,
  noTouch,
  traceParent,
  pause,
  unpause,
  help,
];
