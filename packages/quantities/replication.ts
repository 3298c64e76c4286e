/** Quantities of replication. */

import { MAIN_COUNTER, MAIN_GAUGE, MAIN_TOTAL, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';
import { REPLICA_QUANTITIES } from './replica.ts';

/** Beginning of the rows of full synchronisations by their reasons. */
const REASON = {
  ...MAIN_COUNTER,
  help: 'Full synchronisations that replicas have asked for, by the reason why they could not go on.',
  metric: 'svc_replication_full_sync_reasons_total',
} as const;

export const REPLICATION_QUANTITIES = {
  /** State of the server as a replica; all are 0 on a primary. */
  replica: REPLICA_QUANTITIES,
  /** Synchronisations that a replica has had, and links that it has lost. */
  links: [
    {
      ...MAIN_COUNTER,
      counter: 'primaryFullSyncs',
      help: 'Full synchronisations that the server has had as a replica.',
      info: 'replica_sync_full',
      status: 'replication.own_full_syncs_total',
      metric: 'svc_primary_full_syncs_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'primaryPartialSyncs',
      help: 'Links to a primary on which its stream went on where it was left.',
      info: 'replica_sync_partial',
      status: 'replication.own_partial_syncs_total',
      metric: 'svc_primary_partial_syncs_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'primaryLinkBreaks',
      help: 'Links to a primary that broke while it was followed.',
      info: 'replica_link_breaks',
      status: 'replication.link_breaks_total',
      metric: 'svc_primary_link_breaks_total',
    },
  ],
  /** Keys of a writable replica that are its own. */
  ownKeys: [
    {
      ...SHARD_GAUGE,
      counter: 'ownExpiries',
      help: 'Keys with an end that clients have written on a writable replica.',
      info: 'slave_expires_tracked_keys',
      metric: 'svc_replica_own_expiries',
      exporter: 'redis_slave_expires_tracked_keys',
    },
  ],
  /** State of the server as a primary. */
  primary: [
    /** Unix milliseconds until which the server waits for replicas before it ends; 0 while it does not. */
    { ...MAIN_GAUGE, counter: 'shutdownUntilMs' },
    /** 1 from when the first replica was attached on. */
    { ...MAIN_GAUGE, counter: 'isPrimary' },
    /** The most replicas that were there at once since the backlog was made. */
    { ...MAIN_GAUGE, counter: 'replicasSeen' },
    /** 1 while shards write a full synchronisation. */
    { ...MAIN_GAUGE, counter: 'writesFullSync' },
    {
      ...MAIN_GAUGE,
      counter: 'lacksReplicas',
      help: '1 while writes are refused for want of replicas.',
      metric: 'svc_replication_lacks_replicas',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicas',
      help: 'Replicas that are connected.',
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
      help: 'Bytes of the stream that the slowest replica has not acknowledged.',
      status: 'replication.lag_bytes',
      metric: 'svc_replica_lag_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicaLagUs',
      unit: 'us',
      moves: true,
      help: 'Time for which the slowest replica has lacked something.',
      status: 'replication.lag_us',
      metric: 'svc_replica_lag_seconds',
    },
    {
      ...MAIN_GAUGE,
      counter: 'backlogBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes of the backlog that are used.',
      status: 'replication.backlog_used_bytes',
      metric: 'svc_replication_backlog_used_bytes',
      exporter: 'redis_repl_backlog_history_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationBytes',
      unit: 'bytes',
      moves: true,
      help: 'Memory of the stream and of full synchronisations that replicas have not taken.',
      status: 'replication.buffer_bytes',
      metric: 'svc_replication_buffer_bytes',
    },
  ],
  /** Traffic of links to replicas and to a primary, and how long the backlog lasts at the present rate. */
  flow: [
    {
      ...MAIN_GAUGE,
      counter: 'backlogSize',
      unit: 'bytes',
      help: 'Bytes of the stream that the backlog may keep.',
      status: 'replication.backlog_size_bytes',
      metric: 'svc_replication_backlog_size_bytes',
      exporter: 'redis_replication_backlog_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'backlogLastsSecs',
      moves: true,
      help: 'Seconds for which a replica may be away at the present rate of writes before it needs all data; -1 while nothing is written.',
      info: 'repl_backlog_lasts_seconds',
      status: 'replication.backlog_lasts_seconds',
      metric: 'svc_replication_backlog_lasts_seconds',
    },
    {
      ...MAIN_GAUGE,
      counter: 'streamRate',
      moves: true,
      help: 'Bytes per second by which the stream grows, over the last second or two.',
      info: 'repl_stream_bytes_per_sec',
      status: 'replication.stream_bytes_per_sec',
      metric: 'svc_replication_stream_rate_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationInputRate',
      moves: true,
      help: 'Bytes per second that come from the primary, over the last second or two.',
      info: 'repl_input_bytes_per_sec',
      status: 'replication.input_bytes_per_sec',
      metric: 'svc_replication_input_rate_bytes',
    },
    {
      ...MAIN_GAUGE,
      counter: 'replicationOutputRate',
      moves: true,
      help: 'Bytes per second that go to replicas, over the last second or two.',
      info: 'repl_output_bytes_per_sec',
      status: 'replication.output_bytes_per_sec',
      metric: 'svc_replication_output_rate_bytes',
    },
  ],
  traffic: [
    {
      ...MAIN_TOTAL,
      counter: 'streamBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes that the stream to replicas has grown by, its own and those of a primary that were handed on.',
      metric: 'svc_replication_stream_bytes_total',
      status: 'replication.stream_bytes_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'replicationInputBytes',
      unit: 'bytes',
      moves: true,
      help: 'Bytes that have come from a primary.',
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
      help: 'Bytes that were given to the connections of replicas.',
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
      help: 'Full synchronisations that replicas have asked for.',
      info: 'sync_full',
      status: 'replication.full_syncs_total',
      metric: 'svc_replication_full_syncs_total',
      exporter: 'redis_replica_resyncs_full',
    },
    {
      ...MAIN_COUNTER,
      counter: 'partialSyncs',
      help: 'Replicas that went on from the backlog.',
      info: 'sync_partial_ok',
      status: 'replication.partial_syncs_total',
      metric: 'svc_replication_partial_syncs_total',
      exporter: 'redis_replica_partial_resync_accepted',
    },
    {
      ...MAIN_COUNTER,
      counter: 'partialSyncsRefused',
      help: 'Replicas that could not go on from the backlog.',
      info: 'sync_partial_err',
      status: 'replication.partial_syncs_refused_total',
      metric: 'svc_replication_partial_syncs_refused_total',
      exporter: 'redis_replica_partial_resync_denied',
    },
  ],
  /** Full synchronisations by the reason why the replica could not go on. */
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
      help: 'Commands of the stream of a primary that could not be run.',
      info: 'unexpected_error_replies',
      exporter: 'redis_unexpected_error_replies',
      status: 'replication.stream_errors_total',
      metric: 'svc_replica_stream_errors_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
