/** Settings of a server as a node of a cluster. */

import { bytes, integer, oneOf, password, text, yesOrNo } from '../kinds.ts';
import { words } from '../list-kinds.ts';
import { hostname, nodeName } from '../name-kinds.ts';
import { rows } from '../setting.ts';

export const clusterSettings = rows({
  'cluster.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'start',
    meaning:
      'Makes the server a node of a cluster, whose nodes agree through a coordinator (etcd).',
  },
  'cluster.name': {
    kind: text,
    default: 'svc',
    effect: 'start',
    meaning: 'Name of the cluster: nodes with the same name and coordinator form one cluster.',
  },
  'cluster.databases': {
    // The number is 16 bits of a frame and of a record of the log.
    kind: integer({ least: 1, most: 65_536 }),
    default: 1,
    effect: 'start',
    config: 'cluster-databases',
    meaning:
      'Number of databases of a node of a cluster, in place of server.databases; each takes 16 kB on every shard, and 64 kB more once it has keys. Nodes of one cluster need the same number.',
  },
  'cluster.coordinator-endpoints': {
    kind: words(16),
    default: [],
    effect: 'start',
    meaning:
      'Addresses of the coordinator, as host:port or URLs, separated by spaces or commas: members of one etcd cluster.',
  },
  'cluster.coordinator-username': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'User name of this node at the coordinator; empty for none.',
  },
  'cluster.coordinator-password': {
    kind: password,
    default: '',
    effect: 'start',
    isMasked: true,
    isSecret: true,
    meaning: 'Password of that user at the coordinator.',
  },
  'cluster.coordinator-password-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: "File with the password of the coordinator's user; empty for none.",
  },
  'cluster.coordinator-ca-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning:
      'CA certificates (PEM) by which the coordinator is verified; empty for connections without TLS.',
  },
  'cluster.coordinator-cert-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'Client certificate (PEM) of this node for the coordinator; empty for none.',
  },
  'cluster.coordinator-key-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'Private key (PEM) of the client certificate for the coordinator.',
  },
  'cluster.announce-address': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'cluster-announce-ip',
    meaning: 'Address announced to other nodes and clients; empty for the bound one.',
  },
  'cluster.announce-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    meaning: 'Port announced to other nodes and clients; 0 for the bound one.',
  },
  'cluster.announce-tls-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    meaning: 'TLS port announced to other nodes and clients; 0 for the bound one.',
  },
  'cluster.announce-hostname': {
    kind: hostname,
    default: '',
    effect: 'live',
    meaning: 'Host name announced to clients besides the address; empty for none.',
  },
  'cluster.announce-human-nodename': {
    kind: nodeName,
    default: '',
    effect: 'live',
    meaning:
      'Human-readable name of this node, shown beside the id in logs and on the debug pages of all nodes; empty for none.',
  },
  'cluster.preferred-endpoint-type': {
    kind: oneOf('ip', 'hostname', 'unknown-endpoint'),
    default: 'ip',
    effect: 'live',
    meaning:
      'Endpoint in redirects: the IP address of the node, its host name, or none, so that clients keep the host that they used; always with a port.',
  },
  'cluster.node-timeout-ms': {
    kind: integer({ least: 1_000, most: 3_600_000 }),
    default: 5_000,
    effect: 'start',
    config: 'cluster-node-timeout',
    meaning:
      "Time to live of a node's lease in milliseconds, a multiple of 1000: a primary that is unreachable for longer is replaced. The coordinator has its own minimum, two seconds for an etcd with default settings.",
  },
  'cluster.require-full-coverage': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Refuses all commands with keys, on every node, while any slot is not served.',
  },
  'cluster.allow-reads-when-down': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Serves reads of own slots even while the cluster is down or the lease is uncertain.',
  },
  'cluster.allow-pubsubshard-when-down': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Serves shard channels of own slots even while the cluster is down.',
  },
  'cluster.link-sendbuf-limit': {
    kind: bytes(),
    default: 16 * 1024 * 1024,
    effect: 'live',
    meaning:
      'Limit of published messages queued for another node, in bytes; further messages are dropped. 0 for no limit.',
  },
  'cluster.slot-stats-enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning:
      'Counts time and bytes of commands by slot, for CLUSTER SLOT-STATS; keys are always counted.',
  },
  'cluster.allow-replica-migration': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning:
      'Lets this replica migrate to a primary without replicas, and lets a primary that lost its last slot follow the group that took it.',
  },
  'cluster.migration-barrier': {
    kind: integer({ most: 999 }),
    default: 1,
    effect: 'live',
    meaning:
      'Minimum number of replicas that a primary keeps when one of them migrates to another primary.',
  },
  'cluster.replica-no-failover': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    aliases: ['cluster-slave-no-failover'],
    meaning: 'Excludes this node from automatic failover.',
  },
  'cluster.group': {
    kind: text,
    default: '',
    effect: 'start',
    meaning:
      'Group that a new node joins: as its primary if the group has none, otherwise as a replica. Empty for a new group, which joins others by CLUSTER MEET.',
  },
});
