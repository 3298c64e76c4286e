/** PSYNC, SYNC and REPLCONF: how replicas speak with their primary. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../../arguments/arguments.ts';
import { answerOrError, writeOk } from '../../contexts/answer-later.ts';
import type { ClientPort } from '../../contexts/contexts.ts';
import { onMain } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';
import type { ReplicationPort, ServerContext } from '../ports/ports.ts';
import type { ReplicaDetails } from '../ports/replicas-port.ts';

/** Capability of servers of this kind: they answer timestamps in the stream. */
const STAMP_CAPABILITY = 'SVC-STAMPS';
/** Maximum length of the address that a replica announces. */
const HOST_BYTES_MAX = 255;
const NODE_ID_LENGTH = 40;
const noNodeId = new CommandError('ERR REPLCONF cluster-node takes the id of a node');

const isPrimary = new CommandError("ERR PSYNC FAILOVER can't be sent to a master.");
const otherStream = new CommandError('ERR PSYNC FAILOVER replid must match my replid.');
const pending = new CommandError('ERR SYNC and PSYNC are invalid with pending output');
const needsEof = new CommandError('ERR Filtered replica requires EOF capability');
const tooLong = (bytes: number): CommandError =>
  new CommandError(
    `ERR REPLCONF ip-address provided by replica instance is too long: ${bytes} bytes`,
  );
const unknownOption = (name: string): CommandError =>
  new CommandError(`ERR Unrecognized REPLCONF option: ${name}`);
const unknownFilter = (name: string): CommandError =>
  new CommandError(`ERR Unsupported rdb-filter-only option: ${name}`);
const notInRange = new CommandError('ERR value is out of range, must be between 0 and 1');

const psync = onMain<ServerContext>({
  name: 'PSYNC',
  summary: 'Requests the replication stream from an offset, or a full sync followed by the stream.',
  since: '2.8.0',
  complexity: 'O(N) where all data is sent, N being the number of keys; else O(1).',
  group: 'server',
  arity: -3,
  flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
  keys: noKeys,
  args: [
    { name: 'replicationid', type: 'string' },
    { name: 'offset', type: 'integer' },
  ],
  run({ client, reply, replicas, replication }, args) {
    // Who is a replica already is not answered, as in Redis.
    if (client.roles.isReplica) return;
    if (args.count > 3 && args.spellsAt(3, 'FAILOVER')) takeOver(replication, args.latin1(1));
    maySync(replication);
    const offset = args.roundedAt(2);
    mayFollow(client, replicas.detailsOf(client));
    const line = replicas.resume(client, args.latin1(1), offset);
    if (line !== undefined) reply.simple(line);
  },
});

const sync = onMain<ServerContext>({
  name: 'SYNC',
  summary: 'Requests a full sync followed by the replication stream.',
  since: '1.0.0',
  complexity: 'O(N), N being the number of keys.',
  group: 'server',
  arity: 1,
  flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
  keys: noKeys,
  args: [],
  run({ client, replicas, replication }) {
    if (client.roles.isReplica) return;
    maySync(replication);
    mayFollow(client, replicas.detailsOf(client));
    replicas.requestFull(client);
  },
});

/** Becomes the primary, since the one there was hands over and follows this server from now on. */
function takeOver(replication: ReplicationPort, id: string): void {
  if (replication.role.role === 'master') throw isPrimary;
  if (!replication.takeOver(id)) throw otherStream;
}

/** Throws the reason if no replica can be served now. */
function maySync({ syncRefusal }: ReplicationPort): void {
  if (syncRefusal !== undefined) throw syncRefusal;
}

/** Throws why a connection cannot be that of a replica. */
function mayFollow(client: ClientPort, details: ReplicaDetails): void {
  // Unsent bytes may have reached the replica: over TLS, completion is reported later.
  if (client.traffic.unsentBytes > 0) throw pending;
  // What is filtered is never put into a file, of which the length would be known.
  if (details.filter !== 'all' && !details.hasEof) throw needsEof;
}

const replconf = onMain<ServerContext>({
  name: 'REPLCONF',
  summary: 'Reports properties and the offset of a replica to its primary.',
  since: '3.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: -1,
  flags: ['admin', 'noscript', 'loading', 'stale', 'allow_busy'],
  isInternal: true,
  keys: noKeys,
  args: [],
  run(context, args) {
    const { client, reply, replicas } = context;
    if (args.count % 2 === 0) throw errors.syntax;
    for (let index = 1; index < args.count; index += 2) {
      const name = args.latin1(index);
      switch (name.toLowerCase()) {
        case 'ack':
          if (client.roles.isReplica) readAck(args, index, client, replicas);
          // It is never answered.
          return;
        case 'getack':
          // Only GETACK of a primary gets an acknowledgement.
          return;
        case 'slot-migration':
          // The other node sends it alone.
          answerOrError(context, replicas.takesSlots(client, args.latin1(index + 1)), writeOk);
          return;
        default:
          readOption(name, args, index + 1, replicas.detailsOf(client));
      }
    }
    reply.ok();
  },
});

function readAck(
  args: Arguments,
  index: number,
  client: ClientPort,
  replicas: ServerContext['replicas'],
): void {
  const offset = args.integerAt(index + 1);
  if (Number.isNaN(offset)) return;
  const hasDisk = args.count > index + 3 && args.spellsAt(index + 2, 'FACK');
  const onDisk = hasDisk ? args.integerAt(index + 3) : 0;
  replicas.acknowledge(client, offset, Number.isNaN(onDisk) ? 0 : onDisk);
}

function readOption(name: string, args: Arguments, index: number, details: ReplicaDetails): void {
  switch (name.toLowerCase()) {
    case 'listening-port':
      details.listeningPort = args.roundedAt(index);
      break;
    case 'ip-address':
      if (args.length(index) > HOST_BYTES_MAX) throw tooLong(args.length(index));
      details.ipAddress = args.latin1(index);
      break;
    case 'cluster-node':
      if (args.length(index) !== NODE_ID_LENGTH) throw noNodeId;
      details.nodeId = args.latin1(index);
      break;
    case 'capa':
      if (args.spellsAt(index, 'EOF')) details.hasEof = true;
      else if (args.spellsAt(index, 'PSYNC2')) details.hasPsync2 = true;
      else if (args.spellsAt(index, STAMP_CAPABILITY)) details.hasStamps = true;
      break;
    case 'version':
      details.version = args.latin1(index);
      break;
    case 'rdb-only':
      details.isRdbOnly = readSwitch(args, index);
      break;
    case 'rdb-filter-only':
      details.filter = readFilter(args.latin1(index));
      break;
    default:
      throw unknownOption(name);
  }
}

function readSwitch(args: Arguments, index: number): boolean {
  const value = args.roundedAt(index);
  if (value !== 0 && value !== 1) throw notInRange;
  return value === 1;
}

function readFilter(text: string): ReplicaDetails['filter'] {
  const names = text.split(/\s+/).filter((name) => name !== '');
  const unknown = names.find((name) => name.toLowerCase() !== 'functions');
  if (unknown !== undefined) throw unknownFilter(unknown);
  return names.length > 0 ? 'functions' : 'nothing';
}

export const primaryCommands = [psync, sync, replconf];
