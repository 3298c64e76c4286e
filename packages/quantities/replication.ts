/** Quantities of replication. */

import type { Quantity } from './quantity.ts';

export const REPLICATION_QUANTITIES = {
  /** State of the server as a replica: 1 while it is one, and while its link is up. */
  replica: [
    { counter: 'isReplica', by: 'main', kind: 'gauge' },
    { counter: 'primaryLinkUp', by: 'main', kind: 'gauge' },
    /** Unix milliseconds since which there has been no link; 0 while there is one. */
    { counter: 'primaryLinkDownSinceMs', by: 'main', kind: 'gauge' },
    /** 1 while the data of the primary are coming. */
    { counter: 'syncInProgress', by: 'main', kind: 'gauge' },
    /** Keys and bytes of them so far. */
    { counter: 'syncKeys', by: 'main', kind: 'gauge' },
    { counter: 'syncBytes', by: 'main', kind: 'gauge', unit: 'bytes' },
  ],
  /** Keys of a writable replica that are its own. */
  ownKeys: [
    {
      counter: 'ownExpiries',
      by: 'shards',
      kind: 'gauge',
      help: 'Keys with an end that clients have written on a writable replica.',
      info: 'slave_expires_tracked_keys',
      metric: 'svc_replica_own_expiries',
      exporter: 'redis_slave_expires_tracked_keys',
    },
  ],
  /** State of the server as a primary. */
  primary: [
    /** 1 from when the first replica was attached on. */
    { counter: 'isPrimary', by: 'main', kind: 'gauge' },
    /** The most replicas that were there at once since the backlog was made. */
    { counter: 'replicasSeen', by: 'main', kind: 'gauge' },
    /** 1 while shards write a full synchronisation. */
    { counter: 'writesFullSync', by: 'main', kind: 'gauge' },
    /** 1 while writes are refused for want of replicas. */
    { counter: 'lacksReplicas', by: 'main', kind: 'gauge' },
    {
      counter: 'replicas',
      by: 'main',
      kind: 'gauge',
      help: 'Replicas that are connected.',
      metric: 'svc_replicas_connected',
      exporter: 'redis_connected_slaves',
    },
    {
      counter: 'goodReplicas',
      by: 'main',
      kind: 'gauge',
      moves: true,
      help: 'Replicas that follow the stream and have acknowledged within min-replicas-max-lag.',
      metric: 'svc_replicas_good',
    },
    {
      counter: 'streamOffset',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Offset of the stream to replicas.',
      metric: 'svc_replication_offset_bytes',
      exporter: 'redis_master_repl_offset',
    },
    {
      counter: 'replicaLagBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Bytes of the stream that the slowest replica has not acknowledged.',
      metric: 'svc_replica_lag_bytes',
    },
    {
      counter: 'replicaLagUs',
      by: 'main',
      kind: 'gauge',
      unit: 'us',
      moves: true,
      help: 'Time for which the slowest replica has lacked something.',
      metric: 'svc_replica_lag_seconds',
    },
    {
      counter: 'backlogBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Bytes of the backlog that are used.',
      metric: 'svc_replication_backlog_used_bytes',
      exporter: 'redis_replication_backlog_bytes',
    },
    {
      counter: 'replicationBytes',
      by: 'main',
      kind: 'gauge',
      unit: 'bytes',
      moves: true,
      help: 'Memory of the stream and of full synchronisations that replicas have not taken.',
      metric: 'svc_replication_buffer_bytes',
    },
  ],
  syncs: [
    {
      counter: 'fullSyncs',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Full synchronisations that replicas have asked for.',
      info: 'sync_full',
      metric: 'svc_replication_full_syncs_total',
      exporter: 'redis_replica_resyncs_full',
    },
    {
      counter: 'partialSyncs',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Replicas that went on from the backlog.',
      info: 'sync_partial_ok',
      metric: 'svc_replication_partial_syncs_total',
      exporter: 'redis_replica_partial_resync_accepted',
    },
    {
      counter: 'partialSyncsRefused',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Replicas that could not go on from the backlog.',
      info: 'sync_partial_err',
      metric: 'svc_replication_partial_syncs_refused_total',
      exporter: 'redis_replica_partial_resync_denied',
    },
  ],
  replicaErrors: [
    {
      counter: 'replicaErrors',
      by: 'main',
      kind: 'counter',
      help: 'Commands of the stream of a primary that could not be run.',
      info: 'unexpected_error_replies',
      exporter: 'redis_unexpected_error_replies',
      metric: 'svc_replica_stream_errors_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
