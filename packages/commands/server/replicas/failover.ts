/** FAILOVER: hands the role of the primary over to a replica, without losing a write. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../../arguments/arguments.ts';
import { onMain } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';
import type { ServerContext } from '../ports/ports.ts';
import type { FailoverTarget, FailoverWish } from '../ports/failover-port.ts';

const noneUnderWay = new CommandError('ERR No failover in progress.');
const underWay = new CommandError('ERR FAILOVER already in progress.');
const onReplica = new CommandError('ERR FAILOVER is not valid when server is a replica.');
const noReplicas = new CommandError('ERR FAILOVER requires connected replicas.');
const badTimeout = new CommandError('ERR FAILOVER timeout must be greater than 0');
const forceNeedsMore = new CommandError(
  'ERR FAILOVER with force option requires both a timeout and target HOST and IP.',
);
const noReplica = new CommandError('ERR FAILOVER target HOST and PORT is not a replica.');
const notOnline = new CommandError('ERR FAILOVER target replica is not online.');

const failover = onMain<ServerContext>({
  name: 'FAILOVER',
  summary:
    'Hands the primary role over to a replica once it has all data; this server becomes its replica.',
  since: '6.2.0',
  complexity: 'O(1)',
  group: 'server',
  arity: -1,
  flags: ['admin', 'noscript', 'stale'],
  keys: noKeys,
  args: [
    {
      name: 'target',
      type: 'block',
      token: 'TO',
      optional: true,
      arguments: [
        { name: 'host', type: 'string' },
        { name: 'port', type: 'integer' },
        { name: 'force', type: 'pure-token', token: 'FORCE', optional: true },
      ],
    },
    { name: 'abort', type: 'pure-token', token: 'ABORT', optional: true },
    { name: 'milliseconds', type: 'integer', token: 'TIMEOUT', optional: true },
  ],
  run(context, args) {
    const { reply, replication } = context;
    if (args.count === 2 && args.spellsAt(1, 'ABORT')) {
      if (!replication.failover.isUnderWay) throw noneUnderWay;
      replication.failover.abort('Failover manually aborted');
      reply.ok();
      return;
    }
    const wish = readWish(args);
    mayBegin(context, wish);
    replication.failover.begin(wish);
    reply.ok();
  },
});

function readWish(args: Arguments): FailoverWish {
  let target: FailoverTarget | undefined;
  let timeoutMs = 0;
  let isForced = false;
  for (let index = 1; index < args.count; index += 1) {
    const left = args.count - index - 1;
    if (args.spellsAt(index, 'TIMEOUT') && left >= 1 && timeoutMs === 0) {
      timeoutMs = args.roundedAt(index + 1);
      if (timeoutMs <= 0) throw badTimeout;
      index += 1;
    } else if (args.spellsAt(index, 'TO') && left >= 2 && target === undefined) {
      target = { host: args.latin1(index + 1), port: args.roundedAt(index + 2) };
      index += 2;
    } else if (args.spellsAt(index, 'FORCE') && !isForced) {
      isForced = true;
    } else {
      throw errors.syntax;
    }
  }
  return { target, timeoutMs, isForced };
}

/** Throws why a failover cannot begin; in the order in which Redis judges it. */
function mayBegin({ replication, replicas }: ServerContext, wish: FailoverWish): void {
  const { target, timeoutMs, isForced } = wish;
  if (replication.failover.isUnderWay) throw underWay;
  if (replication.role.role === 'slave') throw onReplica;
  if (replicas.count === 0) throw noReplicas;
  if (isForced && (timeoutMs === 0 || target === undefined)) throw forceNeedsMore;
  if (target === undefined) return;
  const state = replicas.stateOf(target);
  if (state === undefined) throw noReplica;
  if (state !== 'online') throw notOnline;
}

export const failoverCommands = [failover];
