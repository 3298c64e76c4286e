/** Quantities of a server as a node of a cluster; all are 0 where it is none. */

import type { Quantity } from './quantity.ts';

const REDIRECT = {
  by: 'main',
  kind: 'counter',
  help: 'Commands that were not run here because of their slots, by what was answered.',
  metric: 'svc_cluster_redirects_total',
} as const;

const COORDINATOR_ERROR = {
  by: 'main',
  kind: 'counter',
  help: 'Calls to the coordinator that failed, and watches that ended, by the call.',
  metric: 'svc_cluster_coordinator_errors_total',
} as const;

const FAILOVER = {
  by: 'main',
  kind: 'counter',
  help: 'Changes of the primary of a group that this node has seen since its start, by the reason.',
  metric: 'svc_cluster_failovers_total',
} as const;

export const CLUSTER_QUANTITIES = {
  state: [
    {
      counter: 'clusterEnabled',
      by: 'main',
      kind: 'gauge',
      help: '1 where the server is a node of a cluster.',
      metric: 'svc_cluster_enabled',
      exporter: 'redis_cluster_enabled',
    },
    {
      counter: 'clusterUp',
      by: 'main',
      kind: 'gauge',
      help: '1 while this node takes commands with keys: it has its lease, and the slots that it needs are served.',
      status: 'cluster.up',
      metric: 'svc_cluster_state',
    },
    {
      counter: 'clusterIsPrimary',
      by: 'main',
      kind: 'gauge',
      help: '1 while this node is the primary of its group.',
      status: 'cluster.is_primary',
      metric: 'svc_cluster_is_primary',
    },
    {
      counter: 'clusterKnownNodes',
      by: 'main',
      kind: 'gauge',
      help: 'Nodes that this node knows, itself among them.',
      status: 'cluster.known_nodes',
      metric: 'svc_cluster_known_nodes',
    },
    {
      counter: 'clusterNodesPresent',
      by: 'main',
      kind: 'gauge',
      help: 'Nodes among the known ones that have a lease.',
      status: 'cluster.nodes_present',
      metric: 'svc_cluster_nodes_present',
    },
    {
      counter: 'clusterSize',
      by: 'main',
      kind: 'gauge',
      help: 'Primaries that have slots.',
      status: 'cluster.size',
      metric: 'svc_cluster_size',
    },
    {
      counter: 'clusterGroupsWithoutPrimary',
      by: 'main',
      kind: 'gauge',
      help: 'Groups whose primary has no lease.',
      status: 'cluster.groups_without_primary',
      metric: 'svc_cluster_groups_without_primary',
    },
  ],
  links: [
    {
      counter: 'clusterLinkBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Messages that wait to be sent to other nodes, looked at once a second.',
      info: 'mem_cluster_links',
      status: 'cluster.link_bytes',
      metric: 'svc_cluster_link_memory_bytes',
      exporter: 'redis_mem_cluster_links',
    },
  ],
  slots: [
    {
      counter: 'clusterSlotsAssigned',
      by: 'main',
      kind: 'gauge',
      help: 'Slots that some group has.',
      status: 'cluster.slots_assigned',
      metric: 'svc_cluster_slots_assigned',
    },
    {
      counter: 'clusterSlotsOk',
      by: 'main',
      kind: 'gauge',
      help: 'Slots whose group has a primary with a lease.',
      status: 'cluster.slots_ok',
      metric: 'svc_cluster_slots_ok',
    },
    {
      counter: 'clusterSlotsFailed',
      by: 'main',
      kind: 'gauge',
      help: 'Slots of groups whose primary has no lease.',
      status: 'cluster.slots_fail',
      metric: 'svc_cluster_slots_failed',
    },
    {
      counter: 'clusterSlotsFree',
      by: 'main',
      kind: 'gauge',
      help: 'Slots that no group has.',
      status: 'cluster.slots_free',
      metric: 'svc_cluster_slots_free',
    },
    {
      counter: 'clusterOwnSlots',
      by: 'main',
      kind: 'gauge',
      help: 'Slots of the group of this node.',
      status: 'cluster.own_slots',
      metric: 'svc_cluster_own_slots',
    },
    {
      counter: 'clusterOpenSlots',
      by: 'main',
      kind: 'gauge',
      help: 'Slots that are being moved key by key.',
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
      help: "Revision of the coordinator up to which this node knows everything: the cluster's epoch.",
      status: 'cluster.current_epoch',
      metric: 'svc_cluster_epoch',
    },
    {
      counter: 'clusterOwnEpoch',
      by: 'main',
      kind: 'gauge',
      help: 'Revision by which the group of this node was changed last: its epoch.',
      status: 'cluster.my_epoch',
      metric: 'svc_cluster_own_epoch',
    },
  ],
  lease: [
    /** Monotonic microseconds: of the last renewal, and of when writes are taken no more; 0 without a lease. */
    { counter: 'clusterLeaseRenewedUs', by: 'main', kind: 'gauge' },
    { counter: 'clusterLeaseUntilUs', by: 'main', kind: 'gauge' },
    {
      counter: 'clusterLeaseTtlUs',
      by: 'main',
      kind: 'gauge',
      unit: 'us',
      help: 'Life of a lease of this node, as the coordinator has granted it.',
      metric: 'svc_cluster_lease_ttl_seconds',
    },
    {
      counter: 'clusterLeaseLosses',
      by: 'main',
      kind: 'counter',
      help: 'Leases of this node that ended, or that it gave up.',
      status: 'cluster.lease_losses_total',
      metric: 'svc_cluster_lease_losses_total',
    },
  ],
  coordinator: [
    {
      counter: 'clusterCoordinatorUp',
      by: 'main',
      kind: 'gauge',
      help: '1 while the coordinator answers this node.',
      status: 'cluster.coordinator_up',
      metric: 'svc_cluster_coordinator_up',
    },
    /** Unix milliseconds since which it does not answer; 0 while it does. */
    { counter: 'clusterCoordinatorDownSinceMs', by: 'main', kind: 'gauge' },
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
      counter: 'discardedWrites',
      by: 'main',
      kind: 'counter',
      help: 'Writes that this server had taken as a primary, and discarded since the primary that it follows lacks them; those that could not be read any more are in the bytes alone.',
      status: 'cluster.discarded_writes_total',
      metric: 'svc_cluster_discarded_writes_total',
    },
    {
      counter: 'discardedBytes',
      by: 'main',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes of the stream of replication that this server had made as a primary, and discarded since the primary that it follows lacks them.',
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
