/** A line of CLIENT LIST. Fields and their order are Redis 7.4's, with the totals of Valkey 8 behind them. */

import type { ClientPort } from '../contexts/contexts.ts';

/** Returns the line of one client. Memory of a client besides its buffers is not measured. */
export function clientLine(client: ClientPort, nowMs: number): string {
  const { traffic, subscriptions } = client;
  const seconds = (sinceMs: number): string =>
    String(Math.max(0, Math.floor((nowMs - sinceMs) / 1_000)));
  const fields: readonly (readonly [string, string | number])[] = [
    ['id', client.id],
    ['addr', client.address],
    ['laddr', client.localAddress],
    ['fd', client.descriptor],
    ['name', client.name],
    ['age', seconds(client.createdMs)],
    ['idle', seconds(client.lastCommandMs)],
    ['flags', flagsOf(client)],
    ['db', client.database],
    ['sub', subscriptions?.channel.size ?? 0],
    ['psub', subscriptions?.pattern.size ?? 0],
    ['ssub', subscriptions?.shardChannel.size ?? 0],
    ['multi', client.queuedCount],
    ['watch', client.watched.size],
    ['qbuf', traffic.queryBytes],
    ['qbuf-free', Math.max(0, traffic.queryMemoryBytes - traffic.queryBytes)],
    ['argv-mem', traffic.parsedBytes],
    ['multi-mem', client.queuedBytes],
    ['rbs', 0],
    ['rbp', 0],
    ['obl', 0],
    ['oll', traffic.outputBytes > 0 ? 1 : 0],
    ['omem', traffic.outputBytes],
    ['tot-mem', client.memoryBytes],
    ['events', traffic.outputBytes > 0 ? 'rw' : 'r'],
    ['cmd', client.lastCommand === '' ? 'NULL' : client.lastCommand],
    ['user', client.user],
    ['redir', client.tracking?.redirection ?? -1],
    ['resp', client.protocol],
    ['lib-name', client.libraryName],
    ['lib-ver', client.libraryVersion],
    ['tot-net-in', traffic.bytesRead],
    ['tot-net-out', traffic.bytesWritten],
    ['tot-cmds', client.commandsTotal],
    ...tlsFields(client),
  ];
  return fields.map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

/** Version and cipher of a secured connection; others have Redis' line, without such a field. */
function tlsFields({ tls }: ClientPort): readonly (readonly [string, string])[] {
  return tls === undefined ? [] : [['tls', `${tls.version}/${tls.cipher}`]];
}

/** The letters of the field `flags`. */
export function flagsOf(client: ClientPort): string {
  const flags = FLAGS.filter(([, isSet]) => isSet(client)).map(([letter]) => letter);
  return flags.length === 0 ? 'N' : flags.join('');
}

/** Letters in Redis' order, each with what it stands for. */
const FLAGS: readonly (readonly [letter: string, isSet: (client: ClientPort) => boolean])[] = [
  ['O', ({ isMonitor }) => isMonitor],
  ['S', ({ isReplica, isMonitor }) => isReplica && !isMonitor],
  ['M', ({ isPrimary }) => isPrimary],
  ['P', ({ subscriptions }) => subscriptions !== undefined],
  ['x', ({ queuedCount }) => queuedCount >= 0],
  ['b', ({ isBlocked, isPostponed }) => isBlocked || isPostponed],
  ['t', ({ tracking }) => tracking !== undefined],
  ['R', ({ tracking }) => tracking?.isBroken === true],
  ['B', ({ tracking }) => tracking?.broadcasts === true],
  ['c', ({ isEnding }) => isEnding],
  ['U', ({ isUnix }) => isUnix],
  ['e', ({ noEvict }) => noEvict],
  ['T', ({ noTouch }) => noTouch],
];

/** CLIENT LIST TYPE and CLIENT KILL TYPE. */
export type ClientType = 'normal' | 'master' | 'replica' | 'pubsub';

export function clientTypeOf(name: string): ClientType | undefined {
  const lower = name.toLowerCase();
  if (lower === 'slave') return 'replica';
  return (['normal', 'master', 'replica', 'pubsub'] as const).find((type) => type === lower);
}

/** True when a client is of that kind: who listens to messages is of another than who does not. */
export function isOfType(client: ClientPort, type: ClientType): boolean {
  if (client.isPrimary) return type === 'master';
  if (client.isReplica) return type === 'replica';
  return type === (client.subscriptions === undefined ? 'normal' : 'pubsub');
}
