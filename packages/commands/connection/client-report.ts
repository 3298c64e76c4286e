/** A line of CLIENT LIST. Fields and their order are Redis 7.4's, with the totals of Valkey 8 after them. */

import { fromLatin1, readable } from '#base';
import type { ClientConnection, ClientPort } from '../contexts/contexts.ts';

/** Returns the fields that identify a client in lines of the log. */
export function clientFields({ id, session, socket }: ClientPort): {
  readonly conn_id: number;
  readonly addr: string;
  readonly client_name: string;
  readonly user: string;
} {
  return {
    conn_id: id,
    addr: socket.remoteAddress,
    client_name: readable(fromLatin1(session.name)),
    user: readable(fromLatin1(session.user)),
  };
}

/** Returns the line of one client. Memory of a client besides its buffers is not measured. */
export function clientLine(client: ClientPort, nowMs: number): string {
  const { account, roles, session, socket, traffic, transaction } = client;
  const { subscriptions } = roles;
  const seconds = (sinceMs: number): string =>
    String(Math.max(0, Math.floor((nowMs - sinceMs) / 1_000)));
  const fields: readonly (readonly [string, string | number])[] = [
    ['id', client.id],
    ['addr', socket.remoteAddress],
    ['laddr', socket.localAddress],
    ['fd', socket.descriptor],
    ['name', session.name],
    ['age', seconds(account.createdMs)],
    ['idle', seconds(account.lastCommandMs)],
    ['flags', flagsOf(client)],
    ['db', session.database],
    ['sub', subscriptions?.channel.size ?? 0],
    ['psub', subscriptions?.pattern.size ?? 0],
    ['ssub', subscriptions?.shardChannel.size ?? 0],
    ['multi', transaction?.queue.count ?? -1],
    ['watch', client.watches.keys.size],
    ['qbuf', traffic.queryBytes],
    ['qbuf-free', Math.max(0, traffic.queryMemoryBytes - traffic.queryBytes)],
    ['argv-mem', traffic.parsedBytes],
    ['multi-mem', transaction?.queue.memoryBytes ?? 0],
    ['rbs', 0],
    ['rbp', 0],
    ['obl', 0],
    ['oll', traffic.outputBytes > 0 ? 1 : 0],
    ['omem', traffic.outputBytes],
    ['tot-mem', client.memoryBytes],
    ['events', traffic.outputBytes > 0 ? 'rw' : 'r'],
    ['cmd', account.lastCommand === '' ? 'NULL' : account.lastCommand],
    ['user', session.user],
    ['redir', roles.tracking?.redirection ?? -1],
    ['resp', session.protocol],
    ['lib-name', session.libraryName],
    ['lib-ver', session.libraryVersion],
    ['tot-net-in', traffic.bytesRead],
    ['tot-net-out', traffic.bytesWritten],
    ['tot-cmds', account.commandsTotal],
    ...tlsFields(socket),
  ];
  return fields.map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

/** Version and cipher of a secured connection; others have Redis' line, without such a field. */
function tlsFields({ tls }: ClientConnection): readonly (readonly [string, string])[] {
  return tls === undefined ? [] : [['tls', `${tls.version}/${tls.cipher}`]];
}

/** The letters of the field `flags`. */
export function flagsOf(client: ClientPort): string {
  const flags = FLAGS.filter(([, isSet]) => isSet(client)).map(([letter]) => letter);
  return flags.length === 0 ? 'N' : flags.join('');
}

/** Flag letters in Redis' order, each with its condition. */
const FLAGS: readonly (readonly [letter: string, isSet: (client: ClientPort) => boolean])[] = [
  ['O', ({ roles }) => roles.isMonitor],
  ['S', ({ roles }) => roles.isReplica && !roles.isMonitor],
  ['M', ({ roles }) => roles.isPrimary],
  ['P', ({ roles }) => roles.subscriptions !== undefined],
  ['x', ({ transaction }) => transaction !== undefined],
  ['b', ({ wait }) => wait.isBlocked || wait.isPostponed],
  ['t', ({ roles }) => roles.tracking !== undefined],
  ['R', ({ roles }) => roles.tracking?.isBroken === true],
  ['B', ({ roles }) => roles.tracking?.broadcasts === true],
  ['c', ({ isEnding }) => isEnding],
  ['U', ({ socket }) => socket.isUnix],
  ['e', ({ session }) => session.noEvict],
  ['T', ({ session }) => session.noTouch],
];

/** CLIENT LIST TYPE and CLIENT KILL TYPE. */
type ClientType = 'normal' | 'master' | 'replica' | 'pubsub';

export function clientTypeOf(name: string): ClientType | undefined {
  const lower = name.toLowerCase();
  if (lower === 'slave') return 'replica';
  return (['normal', 'master', 'replica', 'pubsub'] as const).find((type) => type === lower);
}

/** True when a client has this type; clients with subscriptions are of type pubsub, not normal. */
export function isOfType(client: ClientPort, type: ClientType): boolean {
  if (client.roles.isPrimary) return type === 'master';
  if (client.roles.isReplica) return type === 'replica';
  return type === (client.roles.subscriptions === undefined ? 'normal' : 'pubsub');
}
