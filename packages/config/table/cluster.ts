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
    meaning: 'Shares the slots with other servers, which agree by a coordinator (etcd).',
  },
  'cluster.name': {
    kind: text,
    default: 'svc',
    effect: 'start',
    meaning: 'Name of the cluster: nodes of one name at one coordinator belong together.',
  },
  'cluster.coordinator-endpoints': {
    kind: words(16),
    default: [],
    effect: 'start',
    meaning:
      'Addresses of the coordinator, as host:port or URLs, with spaces or commas between them; all members of one etcd.',
  },
  'cluster.coordinator-username': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'User of the node at the coordinator; empty for none.',
  },
  'cluster.coordinator-password': {
    kind: password,
    default: '',
    effect: 'start',
    isMasked: true,
    isSecret: true,
    meaning: 'Password of that user.',
  },
  'cluster.coordinator-password-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'File with that password; empty for none.',
  },
  'cluster.coordinator-ca-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'Certificates (PEM) that the coordinator is checked by; empty for a way without TLS.',
  },
  'cluster.coordinator-cert-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'Certificate of this node towards the coordinator; empty for none.',
  },
  'cluster.coordinator-key-file': {
    kind: text,
    default: '',
    effect: 'start',
    meaning: 'Key of that certificate.',
  },
  'cluster.announce-address': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'cluster-announce-ip',
    meaning: 'Address that other nodes and clients are told; empty for the one that is bound.',
  },
  'cluster.announce-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    meaning: 'Port that other nodes and clients are told; 0 for the one that is bound.',
  },
  'cluster.announce-tls-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    meaning: 'Port of TLS that other nodes and clients are told; 0 for the one that is bound.',
  },
  'cluster.announce-hostname': {
    kind: hostname,
    default: '',
    effect: 'live',
    meaning: 'Name that clients are told besides the address; empty for none.',
  },
  'cluster.announce-human-nodename': {
    kind: nodeName,
    default: '',
    effect: 'live',
    meaning:
      'Name that people have for this node; logs and the debug pages of all nodes show it beside the id. Empty for none.',
  },
  'cluster.preferred-endpoint-type': {
    kind: oneOf('ip', 'hostname', 'unknown-endpoint'),
    default: 'ip',
    effect: 'live',
    meaning:
      'Place that clients are sent to: the address of a node, its host name, or none, so that they stay with the one that they have used; with a port in any case.',
  },
  'cluster.node-timeout-ms': {
    kind: integer({ least: 1_000, most: 3_600_000 }),
    default: 5_000,
    effect: 'start',
    config: 'cluster-node-timeout',
    meaning:
      "Milliseconds that a node's lease lives, in whole seconds: a primary that is away for longer loses its place. The coordinator has a least of its own, two seconds for an etcd as it comes.",
  },
  'cluster.require-full-coverage': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Has all nodes refuse commands with keys while nobody serves some of the slots.',
  },
  'cluster.allow-reads-when-down': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Answers reads of own slots though the cluster is down, or the lease is not sure.',
  },
  'cluster.allow-pubsubshard-when-down': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Serves shard channels of own slots though the cluster is down.',
  },
  'cluster.link-sendbuf-limit': {
    kind: bytes(),
    default: 16 * 1024 * 1024,
    effect: 'live',
    meaning:
      'Most bytes of published messages that wait for another node; what is more is lost. 0 for no limit.',
  },
  'cluster.slot-stats-enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning:
      'Counts time and bytes of commands by the slots of their keys, and has CLUSTER SLOT-STATS tell them; keys are counted in any case.',
  },
  'cluster.allow-replica-migration': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning:
      'Lets this replica go to a primary that has lost its replicas, and a primary without slots follow the group that has taken its last.',
  },
  'cluster.migration-barrier': {
    kind: integer({ most: 999 }),
    default: 1,
    effect: 'live',
    meaning: 'Replicas that a primary keeps when one of them goes to a primary without.',
  },
  'cluster.replica-no-failover': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    aliases: ['cluster-slave-no-failover'],
    meaning: 'Never lets this node take the place of its primary by itself.',
  },
  'cluster.group': {
    kind: text,
    default: '',
    effect: 'start',
    meaning:
      'Group that a new node joins: as its primary where it has none, else as a replica. Empty for a group of its own, which meets others by CLUSTER MEET.',
  },
});
