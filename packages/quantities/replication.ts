/** Quantities of replication. */

import { MAIN_COUNTER, MAIN_GAUGE, MAIN_TOTAL, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';
import { REPLICA_QUANTITIES } from './replica.ts';

/** Common part of the rows of full syncs by reason. */
const REASON = {
  ...MAIN_COUNTER,
  help: 'Full syncs requested by replicas, by the reason why no partial resync was possible.',
  metric: 'svc_replication_full_sync_reasons_total',
} as const;

export const REPLICATION_QUANTITIES = {
  /** State of the server as a replica; all are 0 on a primary. */
  replica: REPLICA_QUANTITIES,
  /** Syncs of this server as a replica, and broken links. */
  links: [
    {
      ...MAIN_COUNTER,
      counter: 'primaryFullSyncs',
      help: 'Full syncs received by this server as a replica.',
      info: 'replica_sync_full',
      status: 'replication.own_full_syncs_total',
      metric: 'svc_primary_full_syncs_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'primaryPartialSyncs',
      help: 'Partial resyncs of this server as a replica.',
      info: 'replica_sync_partial',
      status: 'replication.own_partial_syncs_total',
      metric: 'svc_primary_partial_syncs_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'primaryLinkBreaks',
      help: 'Broken links to the primary.',
      info: 'replica_link_breaks',
      status: 'replication.link_breaks_total',
      metric: 'svc_primary_link_breaks_total',
    },
  ],
  /** Keys written by clients to a writable replica. */
  ownKeys: [
    {
      ...SHARD_GAUGE,
      counter: 'ownExpiries',
      help: 'Keys with an expiry written by clients to this writable replica.',
      info: 'slave_expires_tracked_keys',
      metric: 'svc_replica_own_expiries',
      exporter: 'redis_slave_expires_tracked_keys',
    },
  ],
  /** State of the server as a primary. */
  primary: [
    /** Unix milliseconds until which a shutdown waits for replicas; 0 without one. */
    { ...MAIN_GAUGE, counter: 'shutdownUntilMs' },
    /** 1 since the first replica connected. */
    { ...MAIN_GAUGE, counter: 'isPrimary' },
    /** Maximum number of concurrent replicas since the creation of the backlog. */
    { ...MAIN_GAUGE, counter: 'replicasSeen' },
    /** 1 while shards write a full sync. */
    { ...MAIN_GAUGE, counter: 'writesFullSync' },
    {
      ...MAIN_GAUGE,
      counter: 'lacksReplicas',
      help: '1 while writes are refused because of min-replicas-to-write.',
      metric: 'svc_replication_lacks_replicas',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicas',
      help: 'Connected replicas.',
      status: 'replication.replicas',
      metric: 'svc_replicas_connected',
      exporter: 'redis_connected_slaves',
    },
    {
      ...MAIN_GAUGE,
      counter: 'goodReplicas',
      moves: true,
      help: 'Replicas that follow the stream and have acknowledged within min-replicas-max-lag.',
      status: 'replication.good_replicas',
      metric: 'svc_replicas_good',
    },
    {
      ...MAIN_GAUGE,
      counter: 'streamOffset',
      unit: 'bytes',
      moves: true,
      help: 'Offset of the stream to replicas.',
      status: 'replication.offset',
      metric: 'svc_replication_offset_bytes',
      exporter: 'redis_master_repl_offset',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicaLagBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes of the stream not yet acknowledged by the slowest replica.',
      status: 'replication.lag_bytes',
      metric: 'svc_replica_lag_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicaLagUs',
      unit: 'us',
      moves: true,
      help: 'Time for which the slowest replica has been behind.',
      status: 'replication.lag_us',
      metric: 'svc_replica_lag_seconds',
    },
    {
      ...MAIN_GAUGE,
      counter: 'backlogBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes used by the backlog.',
      status: 'replication.backlog_used_bytes',
      metric: 'svc_replication_backlog_used_bytes',
      exporter: 'redis_repl_backlog_history_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationBytes',
      unit: 'bytes',
      moves: true,
      help: 'Memory of the stream and of full syncs not yet read by replicas.',
      status: 'replication.buffer_bytes',
      metric: 'svc_replication_buffer_bytes',
    },
  ],
  /** Traffic of replication links, and the time that the backlog covers at the current rate. */
  flow: [
    {
      ...MAIN_GAUGE,
      counter: 'backlogSize',
      unit: 'bytes',
      help: 'Size limit of the backlog, in bytes.',
      status: 'replication.backlog_size_bytes',
      metric: 'svc_replication_backlog_size_bytes',
      exporter: 'redis_replication_backlog_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'backlogLastsSecs',
      moves: true,
      help: 'Seconds for which a replica may be disconnected at the current write rate before it needs a full sync; -1 without writes.',
      info: 'repl_backlog_lasts_seconds',
      status: 'replication.backlog_lasts_seconds',
      metric: 'svc_replication_backlog_lasts_seconds',
    },
    {
      ...MAIN_GAUGE,
      counter: 'streamRate',
      moves: true,
      info: 'repl_stream_bytes_per_sec',
      status: 'replication.stream_bytes_per_sec',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationInputRate',
      moves: true,
      info: 'repl_input_bytes_per_sec',
      status: 'replication.input_bytes_per_sec',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationOutputRate',
      moves: true,
      info: 'repl_output_bytes_per_sec',
      status: 'replication.output_bytes_per_sec',
    },
  ],
  traffic: [
    {
      ...MAIN_TOTAL,
      counter: 'streamBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes appended to the replication stream, own writes and those forwarded from a primary.',
      metric: 'svc_replication_stream_bytes_total',
      status: 'replication.stream_bytes_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'replicationInputBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes received from the primary.',
      info: 'total_net_repl_input_bytes',
      status: 'replication.input_bytes_total',
      metric: 'svc_replication_input_bytes_total',
      exporter: 'redis_net_repl_input_bytes_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'replicationOutputBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes sent to replicas.',
      info: 'total_net_repl_output_bytes',
      status: 'replication.output_bytes_total',
      metric: 'svc_replication_output_bytes_total',
      exporter: 'redis_net_repl_output_bytes_total',
    },
  ],
  syncs: [
    {
      ...MAIN_COUNTER,
      counter: 'fullSyncs',
      help: 'Full syncs requested by replicas.',
      info: 'sync_full',
      status: 'replication.full_syncs_total',
      metric: 'svc_replication_full_syncs_total',
      exporter: 'redis_replica_resyncs_full',
    },
    {
      ...MAIN_COUNTER,
      counter: 'partialSyncs',
      help: 'Partial resyncs of replicas from the backlog.',
      info: 'sync_partial_ok',
      status: 'replication.partial_syncs_total',
      metric: 'svc_replication_partial_syncs_total',
      exporter: 'redis_replica_partial_resync_accepted',
    },
    {
      ...MAIN_COUNTER,
      counter: 'partialSyncsRefused',
      help: 'Refused partial resyncs of replicas.',
      info: 'sync_partial_err',
      status: 'replication.partial_syncs_refused_total',
      metric: 'svc_replication_partial_syncs_refused_total',
      exporter: 'redis_replica_partial_resync_denied',
    },
  ],
  /** Full syncs by the reason why no partial resync was possible. */
  syncReasons: [
    {
      ...REASON,
      counter: 'fullSyncsFirst',
      info: 'sync_full_first',
      status: 'replication.full_syncs_first_total',
      label: ['reason', 'first'],
    },
    {
      ...REASON,
      counter: 'fullSyncsDataOnly',
      info: 'sync_full_data_only',
      status: 'replication.full_syncs_data_only_total',
      label: ['reason', 'data-only'],
    },
    {
      ...REASON,
      counter: 'fullSyncsOldProtocol',
      info: 'sync_full_old_protocol',
      status: 'replication.full_syncs_old_protocol_total',
      label: ['reason', 'old-protocol'],
    },
    {
      ...REASON,
      counter: 'fullSyncsNoBacklog',
      info: 'sync_full_no_backlog',
      status: 'replication.full_syncs_no_backlog_total',
      label: ['reason', 'no-backlog'],
    },
    {
      ...REASON,
      counter: 'fullSyncsOtherStream',
      info: 'sync_full_other_stream',
      status: 'replication.full_syncs_other_stream_total',
      label: ['reason', 'other-stream'],
    },
    {
      ...REASON,
      counter: 'fullSyncsBacklogShort',
      info: 'sync_full_backlog_short',
      status: 'replication.full_syncs_backlog_short_total',
      label: ['reason', 'backlog-short'],
    },
    {
      ...REASON,
      counter: 'fullSyncsAhead',
      info: 'sync_full_ahead',
      status: 'replication.full_syncs_ahead_total',
      label: ['reason', 'ahead'],
    },
  ],
  replicaErrors: [
    {
      ...MAIN_TOTAL,
      counter: 'replicaErrors',
      help: 'Failed commands of the stream of a primary.',
      info: 'unexpected_error_replies',
      exporter: 'redis_unexpected_error_replies',
      status: 'replication.stream_errors_total',
      metric: 'svc_replica_stream_errors_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
