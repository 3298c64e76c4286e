/** Quantities of a server as a node of a cluster; all are 0 without a cluster. */

import { MAIN_GAUGE, MAIN_TOTAL } from './heads.ts';
import type { Quantity } from './quantity.ts';

const REDIRECT = {
  ...MAIN_TOTAL,
  help: 'Commands not executed on this node because of their slots, by error reply.',
  metric: 'svc_cluster_redirects_total',
} as const;

const COORDINATOR_ERROR = {
  ...MAIN_TOTAL,
  help: 'Failed calls to the coordinator and broken watches, by call.',
  metric: 'svc_cluster_coordinator_errors_total',
} as const;

const FAILOVER = {
  ...MAIN_TOTAL,
  help: 'Failovers of any group seen by this node since its start, by reason.',
  metric: 'svc_cluster_failovers_total',
} as const;

export const CLUSTER_QUANTITIES = {
  state: [
    {
      ...MAIN_GAUGE,
      counter: 'clusterEnabled',
      help: '1 if the server is a node of a cluster.',
      metric: 'svc_cluster_enabled',
      exporter: 'redis_cluster_enabled',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterUp',
      help: '1 while this node accepts commands with keys: it has a lease, and all required slots are served.',
      status: 'cluster.up',
      metric: 'svc_cluster_state',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterIsPrimary',
      help: '1 while this node is the primary of its group.',
      status: 'cluster.is_primary',
      metric: 'svc_cluster_is_primary',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterKnownNodes',
      help: 'Known nodes of the cluster, including this one.',
      status: 'cluster.known_nodes',
      metric: 'svc_cluster_known_nodes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterNodesPresent',
      help: 'Known nodes with a lease.',
      status: 'cluster.nodes_present',
      metric: 'svc_cluster_nodes_present',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterSize',
      help: 'Primaries with slots.',
      status: 'cluster.size',
      metric: 'svc_cluster_size',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterGroupsWithoutPrimary',
      help: 'Groups whose primary has no lease.',
      status: 'cluster.groups_without_primary',
      metric: 'svc_cluster_groups_without_primary',
    },
  ],
  links: [
    {
      ...MAIN_GAUGE,
      counter: 'clusterLinkBytes',
      unit: 'bytes',
      moves: true,
      help: 'Messages queued for other nodes, sampled once a second.',
      info: 'mem_cluster_links',
      status: 'cluster.link_bytes',
      metric: 'svc_cluster_link_memory_bytes',
      exporter: 'redis_mem_cluster_links',
    },
  ],
  slots: [
    {
      ...MAIN_GAUGE,
      counter: 'clusterSlotsAssigned',
      help: 'Slots assigned to a group.',
      status: 'cluster.slots_assigned',
      metric: 'svc_cluster_slots_assigned',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterSlotsOk',
      help: 'Slots whose group has a primary with a lease.',
      status: 'cluster.slots_ok',
      metric: 'svc_cluster_slots_ok',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterSlotsFailed',
      help: 'Slots of groups whose primary has no lease.',
      status: 'cluster.slots_fail',
      metric: 'svc_cluster_slots_failed',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterSlotsFree',
      help: 'Slots not assigned to any group.',
      status: 'cluster.slots_free',
      metric: 'svc_cluster_slots_free',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterOwnSlots',
      help: 'Slots of the group of this node.',
      status: 'cluster.own_slots',
      metric: 'svc_cluster_own_slots',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterOpenSlots',
      help: 'Slots open for migration key by key.',
      status: 'cluster.open_slots',
      metric: 'svc_cluster_open_slots',
    },
  ],
  epochs: [
    {
      counter: 'clusterEpoch',
      by: 'main',
      kind: 'gauge',
      moves: true,
      help: 'Latest coordinator revision seen by this node: the epoch of the cluster.',
      status: 'cluster.current_epoch',
      metric: 'svc_cluster_epoch',
    },
    {
      ...MAIN_GAUGE,
      counter: 'clusterOwnEpoch',
      help: "Coordinator revision of the last change of this node's group: its epoch.",
      status: 'cluster.my_epoch',
      metric: 'svc_cluster_own_epoch',
    },
  ],
  lease: [
    /** Monotonic microseconds of the last lease renewal, and from which writes are refused; 0 without a lease. */
    { ...MAIN_GAUGE, counter: 'clusterLeaseRenewedUs' },
    { ...MAIN_GAUGE, counter: 'clusterLeaseUntilUs' },
    {
      ...MAIN_GAUGE,
      counter: 'clusterLeaseTtlUs',
      unit: 'us',
      help: 'Time to live of the lease of this node, as granted by the coordinator.',
      metric: 'svc_cluster_lease_ttl_seconds',
    },
    {
      ...MAIN_TOTAL,
      counter: 'clusterLeaseLosses',
      help: 'Leases of this node that expired or were revoked.',
      status: 'cluster.lease_losses_total',
      metric: 'svc_cluster_lease_losses_total',
    },
  ],
  coordinator: [
    {
      ...MAIN_GAUGE,
      counter: 'clusterCoordinatorUp',
      help: '1 while the coordinator is reachable.',
      status: 'cluster.coordinator_up',
      metric: 'svc_cluster_coordinator_up',
    },
    /** Unix milliseconds since which the coordinator has not replied; 0 while it does. */
    { ...MAIN_GAUGE, counter: 'clusterCoordinatorDownSinceMs' },
    {
      ...COORDINATOR_ERROR,
      counter: 'clusterReadErrors',
      status: 'cluster.coordinator_read_errors_total',
      label: ['call', 'read'],
    },
    {
      ...COORDINATOR_ERROR,
      counter: 'clusterWatchErrors',
      status: 'cluster.coordinator_watch_errors_total',
      label: ['call', 'watch'],
    },
    {
      ...COORDINATOR_ERROR,
      counter: 'clusterCommitErrors',
      status: 'cluster.coordinator_commit_errors_total',
      label: ['call', 'commit'],
    },
    {
      ...COORDINATOR_ERROR,
      counter: 'clusterGrantErrors',
      status: 'cluster.coordinator_grant_errors_total',
      label: ['call', 'grant'],
    },
    {
      ...COORDINATOR_ERROR,
      counter: 'clusterKeepAliveErrors',
      status: 'cluster.coordinator_keep_alive_errors_total',
      label: ['call', 'keep-alive'],
    },
  ],
  redirects: [
    {
      ...REDIRECT,
      counter: 'clusterMoved',
      status: 'cluster.redirects_moved_total',
      label: ['kind', 'moved'],
    },
    {
      ...REDIRECT,
      counter: 'clusterAsk',
      status: 'cluster.redirects_ask_total',
      label: ['kind', 'ask'],
    },
    {
      ...REDIRECT,
      counter: 'clusterTryAgain',
      status: 'cluster.redirects_tryagain_total',
      label: ['kind', 'tryagain'],
    },
    {
      ...REDIRECT,
      counter: 'clusterCrossSlot',
      status: 'cluster.redirects_crossslot_total',
      label: ['kind', 'crossslot'],
    },
    {
      ...REDIRECT,
      counter: 'clusterDown',
      status: 'cluster.redirects_clusterdown_total',
      label: ['kind', 'clusterdown'],
    },
  ],
  discards: [
    {
      ...MAIN_TOTAL,
      counter: 'discardedWrites',
      help: 'Writes accepted as a primary and discarded because the new primary lacks them; writes that could not be read are counted in bytes only.',
      status: 'cluster.discarded_writes_total',
      metric: 'svc_cluster_discarded_writes_total',
    },
    {
      ...MAIN_TOTAL,
      counter: 'discardedBytes',
      unit: 'bytes',
      help: 'Bytes of the replication stream accepted as a primary and discarded because the new primary lacks them.',
      status: 'cluster.discarded_bytes_total',
      metric: 'svc_cluster_discarded_bytes_total',
    },
  ],
  failovers: [
    {
      ...FAILOVER,
      counter: 'clusterFailoversLeaseLost',
      status: 'cluster.failovers_lease_lost_total',
      label: ['reason', 'lease-lost'],
    },
    {
      ...FAILOVER,
      counter: 'clusterFailoversHandover',
      status: 'cluster.failovers_handover_total',
      label: ['reason', 'handover'],
    },
    {
      ...FAILOVER,
      counter: 'clusterFailoversOther',
      status: 'cluster.failovers_other_total',
      label: ['reason', 'other'],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
