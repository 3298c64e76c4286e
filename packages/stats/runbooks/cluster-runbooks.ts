/** Runbooks of clusters. */

import type { HealthCode } from '#api-types';
import type { RunbookText } from './runbook.ts';

/** Codes of clusters. */
type ClusterCode = Extract<
  HealthCode,
  'NO_COORDINATOR' | 'LEASE_AT_RISK' | 'SLOTS_UNCOVERED' | 'GROUP_WITHOUT_PRIMARY'
>;

/** Runbooks of clusters by health code. */
export const CLUSTER_RUNBOOKS: Readonly<Record<ClusterCode, RunbookText>> = {
  NO_COORDINATOR: {
    meaning:
      'The node cannot reach etcd. No failover is possible, and its lease ends after `cluster.node-timeout-ms`: it then refuses commands with keys.',
    look: [
      '`etcdctl endpoint health` from the machine of the node.',
      '`/debug/cluster`: calls to etcd with their times and errors.',
    ],
    act: [
      'Start the members of etcd, or mend the network, the certificate or the password.',
      'A quorum that is lost for good: restore etcd from its snapshot; nodes register again.',
    ],
    alerts: ['SvcClusterCoordinatorDown'],
  },
  LEASE_AT_RISK: {
    meaning: 'Renewals of the lease fail or are slow. Without one the node refuses writes.',
    look: [
      '`/debug/cluster`: times of renewals.',
      "etcd's disk: `etcd_disk_wal_fsync_duration_seconds`.",
      'PROCESSOR_STARVATION and MAIN_STUCK on this node.',
    ],
    act: [
      'A disk of its own for etcd.',
      'Processors for the node.',
      'A longer `cluster.node-timeout-ms`.',
    ],
    alerts: ['SvcClusterLeaseAtRisk'],
  },
  SLOTS_UNCOVERED: {
    meaning:
      'Some slots have no primary. With `cluster-require-full-coverage yes` all commands with keys are refused, otherwise those of these slots.',
    look: ['`CLUSTER SHARDS` and `/debug/cluster`: which slots, and which group had them.'],
    act: [
      'Start the nodes of the group that has the data.',
      'Slots that were never assigned: `CLUSTER ADDSLOTSRANGE`, or `svc-server cluster rebalance`.',
    ],
    alerts: ['SvcClusterSlotsUncovered'],
  },
  GROUP_WITHOUT_PRIMARY: {
    meaning:
      'A group has no primary and no replica could take over: none is up, or none has the data.',
    look: ['`/debug/cluster`: the nodes of the group, their leases, and why each was passed over.'],
    act: [
      'Start the node of the group that was primary last.',
      'If no node has its data any more: restore a [backup](cluster.md#backup).',
    ],
    alerts: ['SvcClusterGroupWithoutPrimary'],
  },
};

/** Alerts of clusters that have no health code. */
export const CLUSTER_ALERTS: readonly (RunbookText & { readonly name: string })[] = [
  {
    name: 'SvcClusterDown',
    meaning:
      'The node refuses commands with keys: it has no lease, or slots that are required are not served.',
    look: ['`CLUSTER INFO`, and the issues of the node.'],
    act: ['The runbooks NO_COORDINATOR, LEASE_AT_RISK, SLOTS_UNCOVERED.'],
    alerts: ['SvcClusterDown'],
  },
  {
    name: 'SvcClusterNodeAway',
    meaning: 'A node that the cluster knows has no lease, or responds slowly.',
    look: [
      '`/debug/cluster`: which node, its latency and its last event.',
      'The log, the machine and the network of that node.',
    ],
    act: [
      'Start it, or mend what slows it.',
      'A node that will not return: `redis-cli --cluster del-node ANY:6379 NODE-ID`.',
    ],
    alerts: ['SvcClusterNodeAway', 'SvcClusterNodeSlow'],
  },
  {
    name: 'SvcClusterFailovers',
    meaning: 'Primaries lost their leases more than twice in 15 minutes.',
    look: [
      '`/debug/cluster`: the events with their reasons.',
      'LEASE_AT_RISK and PROCESSOR_STARVATION on the nodes that lost them.',
    ],
    act: [
      'A longer `cluster.node-timeout-ms`, if nodes are only slow.',
      'Processors for the nodes; a disk of its own for etcd.',
    ],
    alerts: ['SvcClusterFailovers'],
  },
  {
    name: 'SvcClusterDiscardedWrites',
    meaning:
      'A former primary discarded writes that its successor lacks. They are counted and stored.',
    look: ['`discarded-writes` in the data folder of the node, INFO `cluster`.'],
    act: [
      'Decide what to apply again: [discarded writes](cluster.md#discarded-writes).',
      'To lose none: WAIT after important writes, or `min-replicas-to-write`.',
    ],
    alerts: ['SvcClusterDiscardedWrites'],
  },
];
