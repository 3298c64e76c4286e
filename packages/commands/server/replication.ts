/** ROLE and REPLICAOF: the server's place among others. */

import { CommandError } from '#base';
import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ServerContext } from './ports/ports.ts';

const role = onMain<ServerContext>({
  name: 'ROLE',
  summary: 'Returns the replication role of the server, and its replicas or its primary.',
  since: '2.8.12',
  complexity: 'O(1)',
  group: 'server',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast'],
  keys: noKeys,
  args: [],
  acl: { add: ['admin', 'dangerous'] },
  run({ reply, replication, replicas }) {
    const report = replication.role;
    if (report.role === 'slave') {
      reply.arrayHeader(5);
      reply.text('slave');
      reply.text(report.host);
      reply.integer(report.port);
      reply.text(report.state);
      reply.integer(report.offset);
      return;
    }
    const { online, offset } = replicas;
    reply.arrayHeader(3);
    reply.text('master');
    reply.integer(offset);
    reply.arrayHeader(online.length);
    for (const replica of online) {
      reply.arrayHeader(3);
      reply.text(replica.host);
      reply.text(String(replica.port));
      reply.text(String(replica.offset));
    }
  },
});

const failingOver = new CommandError('ERR REPLICAOF not allowed while failing over.');
const askedByReplica = new CommandError('ERR Command is not valid when client is a replica.');
const invalidPort = new CommandError('ERR Invalid master port');
const PORT_MAX = 65_535;

function following(name: 'REPLICAOF' | 'SLAVEOF', since: string) {
  return onMain<ServerContext>({
    name,
    summary: 'Makes the server a replica of another, or with NO ONE a primary.',
    since,
    complexity: 'O(1)',
    group: 'server',
    arity: 3,
    flags: ['admin', 'noscript', 'stale', 'no_async_loading'],
    keys: noKeys,
    args: [
      {
        name: 'args',
        type: 'oneof',
        arguments: [
          {
            name: 'host-port',
            type: 'block',
            arguments: [
              { name: 'host', type: 'string' },
              { name: 'port', type: 'integer' },
            ],
          },
          {
            name: 'no-one',
            type: 'block',
            arguments: [
              { name: 'no', type: 'pure-token', token: 'NO' },
              { name: 'one', type: 'pure-token', token: 'ONE' },
            ],
          },
        ],
      },
    ],
    ...(name === 'SLAVEOF' ? { deprecated: { since: '5.0.0', replacedBy: '`REPLICAOF`' } } : {}),
    run({ client, reply, replication }, args) {
      if (replication.failover.isUnderWay) throw failingOver;
      if (args.spellsAt(1, 'NO') && args.spellsAt(2, 'ONE')) {
        replication.replicaOfNone();
        reply.simple('OK');
        return;
      }
      if (client.roles.isReplica) throw askedByReplica;
      const port = args.roundedAt(2, invalidPort);
      if (port < 0 || port > PORT_MAX) throw invalidPort;
      const isNew = replication.replicaOf(args.latin1(1), port);
      reply.simple(isNew ? 'OK' : 'OK Already connected to specified master');
    },
  });
}

const replicaof = following('REPLICAOF', '5.0.0');
const slaveof = following('SLAVEOF', '1.0.0');

export const serverReplication = [role, replicaof, slaveof];
