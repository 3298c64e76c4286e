/** WAIT and WAITAOF: block until the writes of a client are on replicas and on disk. */

import { CommandError } from '#base';
import type { ReplyWriter } from '#resp';
import { onMain } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';
import { millisecondsAt } from '../../arguments/timeout.ts';
import type { ServerContext } from '../ports/ports.ts';
import type { Acks, AckWish } from '../ports/replicas-port.ts';

const noLog = new CommandError(
  'ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.',
);
const waitOnReplica = new CommandError(
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.',
);
const waitaofOnReplica = new CommandError(
  'ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just local and are not propagated.',
);
const notInRange = new CommandError('ERR value is out of range, must be between 0 and 1');
const notPositive = new CommandError('ERR value is out of range, must be positive');

const wait = onMain<ServerContext>({
  name: 'WAIT',
  summary:
    'Blocks until a number of replicas have acknowledged the writes of this client, or until a timeout.',
  since: '3.0.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 3,
  flags: ['blocking'],
  keys: noKeys,
  args: [
    { name: 'numreplicas', type: 'integer' },
    { name: 'timeout', type: 'integer' },
  ],
  acl: { add: ['connection'], drop: ['keyspace'] },
  tips: ['request_policy:all_shards', 'response_policy:agg_min'],
  run(context, args) {
    if (context.replication.role.role === 'slave') throw waitOnReplica;
    const replicas = args.roundedAt(1);
    const timeoutMs = millisecondsAt(args, 2, context.nowMs);
    const wish = { replicas, onDisk: false, isLocal: false };
    awaitAcks(context, wish, timeoutMs, (reply, acks) => {
      reply.integer(acks.replicas);
    });
  },
});

const waitaof = onMain<ServerContext>({
  name: 'WAITAOF',
  summary:
    'Blocks until the writes of this client are on disk here and on a number of replicas, or until a timeout.',
  since: '7.2.0',
  complexity: 'O(1)',
  group: 'generic',
  arity: 4,
  flags: ['blocking'],
  keys: noKeys,
  args: [
    { name: 'numlocal', type: 'integer' },
    { name: 'numreplicas', type: 'integer' },
    { name: 'timeout', type: 'integer' },
  ],
  acl: { add: ['connection'], drop: ['keyspace'] },
  tips: ['request_policy:all_shards', 'response_policy:agg_min'],
  run(context, args) {
    const local = args.roundedAt(1);
    if (local !== 0 && local !== 1) throw notInRange;
    const replicas = args.roundedAt(2);
    if (replicas < 0) throw notPositive;
    const timeoutMs = millisecondsAt(args, 3, context.nowMs);
    if (context.replication.role.role === 'slave') throw waitaofOnReplica;
    if (local === 1 && !context.replicas.keepsLog) throw noLog;
    const wish = { replicas, onDisk: true, isLocal: local === 1 };
    awaitAcks(context, wish, timeoutMs, (reply, acks) => {
      reply.arrayHeader(2);
      reply.integer(acks.local);
      reply.integer(acks.replicas);
    });
  },
});

/** Replies once there are enough acknowledgements, or with their number at the timeout. */
function awaitAcks(
  context: ServerContext,
  wish: AckWish,
  timeoutMs: number,
  write: (reply: ReplyWriter, acks: Acks) => void,
): void {
  const { client, replicas, reply, timers, mayBlock } = context;
  const now = replicas.acks(client, wish);
  const isFulfilled = now.replicas >= wish.replicas && now.local >= Number(wish.isLocal);
  if (isFulfilled || !mayBlock) {
    write(reply, now);
    return;
  }
  const timedOut = (late: ReplyWriter): void => {
    write(late, giveUp());
  };
  const answer = context.defer(timedOut);
  const giveUp = replicas.await(client, wish, (acks) => {
    answer((late) => {
      write(late, acks);
    });
  });
  if (timeoutMs === 0) return;
  timers.after(timeoutMs, () => {
    answer(timedOut);
  });
}

export const serverWaits = [wait, waitaof];
