/** CLUSTER subcommands that report nodes, groups and slots. */

import { CommandError } from '#base';
import type { ReplyWriter } from '#resp';
import { onMain } from '../definition/definition.ts';
import { clusterOf, ofAdministration, ofCluster } from './enabled.ts';
import { endpointOf, type EndpointType } from './endpoint.ts';
import { nodeLine } from './node-line.ts';
import type { ClusterContext, ClusterNodeDetails, SlotSpan } from './ports.ts';

const ofReport = {
  ...ofCluster,
  arity: 2,
  args: [],
  complexity: 'O(N), N being the number of nodes.',
} as const;

const info = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|INFO',
  summary: 'Returns the state of the cluster as this node sees it.',
  since: '3.0.0',
  tips: ['nondeterministic_output'],
  run(context) {
    const lines = clusterOf(context).info.map(([name, value]) => `${name}:${value}\r\n`);
    context.reply.verbatim(lines.join(''));
  },
});

const myId = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|MYID',
  summary: 'Returns the id of this node.',
  since: '3.0.0',
  complexity: 'O(1)',
  run(context) {
    context.reply.text(clusterOf(context).id);
  },
});

const myShardId = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|MYSHARDID',
  summary: 'Returns the id of the group to which this node belongs.',
  since: '7.2.0',
  complexity: 'O(1)',
  tips: ['nondeterministic_output'],
  run(context) {
    context.reply.text(clusterOf(context).groupId);
  },
});

/** All nodes, as the client is to reach them. */
function nodesFor(context: ClusterContext): readonly ClusterNodeDetails[] {
  const isSecure = context.client.socket.tls !== undefined;
  return clusterOf(context)
    .groups(isSecure)
    .flatMap(({ nodes }) => nodes);
}

const nodes = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|NODES',
  summary: 'Returns one line for each known node.',
  since: '3.0.0',
  tips: ['nondeterministic_output'],
  run(context) {
    const lines = nodesFor(context).map((node) => `${nodeLine(node)}\n`);
    context.reply.verbatim(lines.join(''));
  },
});

const slots = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|SLOTS',
  summary: 'Returns the slot ranges with the nodes that serve them.',
  since: '3.0.0',
  deprecated: { since: '7.0.0', replacedBy: '`CLUSTER SHARDS`' },
  history: [
    ['4.0.0', 'Added ids of nodes.'],
    ['7.0.0', 'Added further endpoints of nodes.'],
  ],
  flags: ['loading', 'stale'],
  tips: ['nondeterministic_output'],
  run(context) {
    const { reply, client } = context;
    const { endpointType } = clusterOf(context);
    const groups = clusterOf(context).groups(client.socket.tls !== undefined);
    const ranges = groups
      .flatMap(({ nodes: members }) => (members[0]?.slots ?? []).map((span) => ({ span, members })))
      .toSorted((one, other) => one.span[0] - other.span[0]);
    reply.arrayHeader(ranges.length);
    for (const { span, members } of ranges) {
      const reported = members.filter(
        ({ isPresent, primary }) => isPresent || primary === undefined,
      );
      reply.arrayHeader(2 + reported.length);
      reply.integer(span[0]);
      reply.integer(span[1]);
      for (const node of reported) writePlace(reply, node, endpointType);
    }
  },
});

/** Writes a node's place, and after it what else is known of how it is reached. */
function writePlace(reply: ReplyWriter, node: ClusterNodeDetails, type: EndpointType): void {
  const { host, port, id, hostname, zone } = node;
  const more: (readonly [name: string, value: string])[] = [];
  if (type !== 'ip') more.push(['ip', host]);
  if (type !== 'hostname' && hostname !== '') more.push(['hostname', hostname]);
  if (zone !== '') more.push(['availability-zone', zone]);
  reply.arrayHeader(4);
  if (type === 'unknown-endpoint') reply.nil();
  else reply.text(endpointOf(type, node));
  reply.integer(port);
  reply.text(id);
  if (more.length === 0) {
    reply.arrayHeader(0);
    return;
  }
  reply.mapHeader(more.length);
  for (const [name, value] of more) {
    reply.text(name);
    reply.text(value);
  }
}

const shards = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|SHARDS',
  summary: 'Returns the groups of nodes with their slots.',
  since: '7.0.0',
  flags: ['loading', 'stale'],
  tips: ['nondeterministic_output'],
  run(context) {
    const { reply, client } = context;
    const { endpointType } = clusterOf(context);
    const groups = clusterOf(context).groups(client.socket.tls !== undefined);
    reply.arrayHeader(groups.length);
    for (const { nodes: members } of groups) {
      reply.mapHeader(2);
      reply.text('slots');
      writeSpans(reply, members[0]?.slots ?? []);
      reply.text('nodes');
      reply.arrayHeader(members.length);
      for (const node of members) writeMember(reply, node, endpointType);
    }
  },
});

function writeSpans(reply: ReplyWriter, spans: readonly SlotSpan[]): void {
  reply.arrayHeader(2 * spans.length);
  for (const [first, last] of spans) {
    reply.integer(first);
    reply.integer(last);
  }
}

function writeMember(reply: ReplyWriter, node: ClusterNodeDetails, type: EndpointType): void {
  const { plainPort, tlsPort, hostname, zone } = node;
  const ports = Number(plainPort > 0) + Number(tlsPort > 0);
  reply.mapHeader(6 + ports + Number(hostname !== '') + Number(zone !== ''));
  reply.text('id');
  reply.text(node.id);
  if (plainPort > 0) {
    reply.text('port');
    reply.integer(plainPort);
  }
  if (tlsPort > 0) {
    reply.text('tls-port');
    reply.integer(tlsPort);
  }
  reply.text('ip');
  reply.text(node.host);
  reply.text('endpoint');
  reply.text(endpointOf(type, node));
  if (hostname !== '') {
    reply.text('hostname');
    reply.text(hostname);
  }
  reply.text('role');
  reply.text(node.primary === undefined ? 'master' : 'replica');
  reply.text('replication-offset');
  reply.integer(Math.max(node.offset, 0));
  reply.text('health');
  reply.text(healthOf(node));
  if (zone === '') return;
  reply.text('availability-zone');
  reply.text(zone);
}

function healthOf({ isPresent, offset }: ClusterNodeDetails): string {
  if (!isPresent) return 'fail';
  return offset < 0 ? 'loading' : 'online';
}

const links = onMain<ClusterContext>({
  ...ofReport,
  name: 'CLUSTER|LINKS',
  summary: 'Returns the connections that carry published messages between this node and others.',
  since: '7.0.0',
  tips: ['nondeterministic_output'],
  run(context) {
    const { reply } = context;
    const all = clusterOf(context).links;
    reply.arrayHeader(all.length);
    for (const { direction, node, createdMs, queuedBytes } of all) {
      reply.mapHeader(6);
      reply.text('direction');
      reply.text(direction);
      reply.text('node');
      reply.text(node);
      reply.text('create-time');
      reply.integer(createdMs);
      reply.text('events');
      reply.text(queuedBytes > 0 ? 'rw' : 'r');
      for (const name of ['send-buffer-allocated', 'send-buffer-used']) {
        reply.text(name);
        reply.integer(queuedBytes);
      }
    }
  },
});

const notPrimary = new CommandError('ERR The specified node is not a master');

function replicasOf(name: 'REPLICAS' | 'SLAVES', since: string) {
  return onMain<ClusterContext>({
    ...ofReport,
    name: `CLUSTER|${name}`,
    summary: 'Returns one line for each replica of a node.',
    since,
    arity: 3,
    flags: ['admin', 'stale'],
    args: [{ name: 'node-id', type: 'string' }],
    tips: ['nondeterministic_output'],
    ...(name === 'SLAVES'
      ? { deprecated: { since: '5.0.0', replacedBy: '`CLUSTER REPLICAS`' } }
      : {}),
    run(context, args) {
      const id = args.text();
      const all = nodesFor(context);
      const asked = knownNode(all, id);
      if (asked.primary !== undefined) throw notPrimary;
      const found = all.filter(({ primary }) => primary === id);
      context.reply.arrayHeader(found.length);
      for (const node of found) context.reply.text(nodeLine(node));
    },
  });
}

function knownNode(all: readonly ClusterNodeDetails[], id: string): ClusterNodeDetails {
  const node = all.find((one) => one.id === id);
  if (node === undefined) throw new CommandError(`ERR Unknown node ${id}`);
  return node;
}

const countFailureReports = onMain<ClusterContext>({
  ...ofAdministration,
  name: 'CLUSTER|COUNT-FAILURE-REPORTS',
  summary: 'Returns 0: failures are detected by leases, not by reports of other nodes.',
  since: '3.0.0',
  complexity: 'O(N), N being the number of nodes.',
  arity: 3,
  flags: ['admin', 'stale'],
  args: [{ name: 'node-id', type: 'string' }],
  tips: ['nondeterministic_output'],
  run(context, args) {
    knownNode(nodesFor(context), args.text());
    context.reply.integer(0);
  },
});

export const clusterReports = [
  info,
  myId,
  myShardId,
  nodes,
  slots,
  shards,
  links,
  replicasOf('REPLICAS', '5.0.0'),
  replicasOf('SLAVES', '3.0.0'),
  countFailureReports,
];
