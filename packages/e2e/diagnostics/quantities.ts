/** The quantities that stand on two or more surfaces, and where. Another surface, or quantity, is one more entry here. */

/** The places of a quantity; several names are summed up. */
interface Places {
  /** INFO: `keyspace_hits`, or a part of a line, `db0.keys`. */
  readonly info?: readonly string[];
  /** The status document: `keyspace.hits_total`. It is read as STATUS JSON, /status/json and of the live samples. */
  readonly status?: string;
  /** A field of its shards, summed up; it is read of /debug/api/shard-stats too. */
  readonly shards?: string;
  /** Metrics with all their samples, or those with a label. They are read as text, as JSON and as pushed by OTLP. */
  readonly metrics?: readonly string[];
  /** A field of CLIENT LIST and of /debug/api/clients, summed up over clients. */
  readonly clients?: readonly [list: string, api: string];
  /** Calls of a command: by LATENCY HISTOGRAM, /debug/api/latency and the status document. */
  readonly calls?: string;
  /** A reason for which keys go: by KEYFATE COUNTS and /debug/api/key-fates. */
  readonly fate?: string;
}

export interface Quantity {
  readonly what: string;
  readonly on: Places;
  /** It only grows: then it is compared while the server works, too. */
  readonly grows?: true;
  /** It changes by being read, or by itself: then it is equal nowhere. */
  readonly moves?: true;
}

const FATES = [
  ...['expired-active', 'expired-lazy', 'expired-fields', 'evicted'],
  ...['deleted', 'overwritten', 'moved', 'flushed'],
];

export const quantities: readonly Quantity[] = [
  {
    what: 'keys',
    on: { info: ['db0.keys'], status: 'keyspace.total_keys', metrics: ['svc_keyspace_keys'] },
  },
  { what: 'keys of shards', on: { shards: 'keys', metrics: ['svc_shard_keys'] } },
  {
    what: 'keys that expire',
    on: {
      info: ['db0.expires'],
      status: 'keyspace.expires',
      metrics: ['svc_keyspace_expiring_keys'],
    },
  },
  {
    what: 'hits',
    grows: true,
    on: {
      info: ['keyspace_hits'],
      status: 'keyspace.hits_total',
      metrics: ['svc_keyspace_hits_total'],
    },
  },
  {
    what: 'misses',
    grows: true,
    on: {
      info: ['keyspace_misses'],
      status: 'keyspace.misses_total',
      metrics: ['svc_keyspace_misses_total'],
    },
  },
  {
    what: 'expired keys',
    grows: true,
    on: {
      info: ['expired_keys'],
      status: 'keyspace.expired_keys_total',
      metrics: ['svc_expired_keys_total'],
    },
  },
  {
    what: 'expired keys, by the reason',
    grows: true,
    on: {
      info: ['keyfate_expired_active', 'keyfate_expired_lazy'],
      metrics: ['svc_expired_keys_total'],
    },
  },
  {
    what: 'expired fields',
    grows: true,
    on: { info: ['expired_subkeys'], metrics: ['svc_expired_fields_total'] },
  },
  {
    what: 'evicted keys',
    grows: true,
    on: {
      info: ['evicted_keys'],
      status: 'keyspace.evicted_keys_total',
      metrics: ['svc_evicted_keys_total'],
    },
  },
  ...FATES.map((fate): Quantity => ({
    what: `keys gone: ${fate}`,
    grows: true,
    on: {
      fate,
      info: [`keyfate_${fate.replace('-', '_')}`],
      metrics: [`svc_keys_gone_total{reason="${fate}"}`],
    },
  })),
  {
    what: 'used memory',
    on: {
      info: ['used_memory'],
      status: 'memory.used_bytes',
      metrics: ['svc_memory_used_bytes'],
    },
  },
  {
    what: 'used memory, by its parts',
    on: {
      info: ['used_memory'],
      metrics: ['svc_shard_memory_bytes', 'svc_client_memory_bytes'],
    },
  },
  { what: 'memory of shards', on: { shards: 'memory_bytes', metrics: ['svc_shard_memory_bytes'] } },
  {
    what: 'memory of clients',
    on: { info: ['mem_clients_normal'], metrics: ['svc_client_memory_bytes'] },
  },
  {
    what: 'peak memory',
    on: {
      info: ['used_memory_peak'],
      status: 'memory.peak_bytes',
      metrics: ['svc_memory_peak_bytes'],
    },
  },
  {
    what: 'limit of memory',
    on: {
      info: ['maxmemory'],
      status: 'memory.limit_bytes',
      metrics: ['svc_memory_maxmemory_bytes'],
    },
  },
  {
    what: 'refused for memory',
    grows: true,
    on: { info: ['oom_rejections'], metrics: ['svc_memory_oom_rejections_total'] },
  },
  {
    what: 'clients',
    on: {
      info: ['connected_clients'],
      status: 'clients.connected',
      metrics: ['svc_connections'],
    },
  },
  {
    what: 'clients that wait',
    on: {
      info: ['blocked_clients'],
      status: 'clients.blocked',
      metrics: ['svc_blocked_clients'],
    },
  },
  {
    what: 'clients allowed',
    on: {
      info: ['maxclients'],
      status: 'clients.max_clients',
      metrics: ['svc_connections_max'],
    },
  },
  {
    what: 'connections',
    grows: true,
    on: { info: ['total_connections_received'], metrics: ['svc_connections_received_total'] },
  },
  {
    what: 'connections refused',
    grows: true,
    on: { info: ['rejected_connections'], metrics: ['svc_connections_rejected_total'] },
  },
  {
    what: 'bytes read',
    grows: true,
    moves: true,
    on: { info: ['total_net_input_bytes'], metrics: ['svc_net_input_bytes_total'] },
  },
  {
    what: 'bytes written',
    grows: true,
    moves: true,
    on: { info: ['total_net_output_bytes'], metrics: ['svc_net_output_bytes_total'] },
  },
  {
    what: 'bytes read of clients',
    grows: true,
    moves: true,
    on: { clients: ['tot-net-in', 'bytes_recv'] },
  },
  {
    what: 'bytes written to clients',
    grows: true,
    moves: true,
    on: { clients: ['tot-net-out', 'bytes_sent'] },
  },
  {
    what: 'commands of clients',
    grows: true,
    moves: true,
    on: { clients: ['tot-cmds', 'commands_total'] },
  },
  {
    what: 'commands',
    grows: true,
    moves: true,
    on: {
      info: ['total_commands_processed'],
      status: 'commands.total_processed',
      metrics: ['svc_commands_processed_total'],
    },
  },
  {
    what: 'commands of shards',
    grows: true,
    on: { shards: 'ops_total', metrics: ['svc_shard_commands_total'] },
  },
  {
    what: 'errors',
    grows: true,
    on: {
      info: ['total_error_replies'],
      status: 'commands.errors_total',
      metrics: ['svc_errors_total'],
    },
  },
  {
    what: 'errors by their code',
    grows: true,
    on: { info: ['errorstat_ERR.count'], metrics: ['svc_errors_total{code="ERR"}'] },
  },
  ...['get', 'mget', 'blpop', 'exec'].map((command): Quantity => ({
    what: `calls of ${command.toUpperCase()}`,
    grows: true,
    on: {
      info: [`cmdstat_${command}.calls`],
      calls: command,
      metrics: [`svc_commands_total{command="${command}"}`],
    },
  })),
  {
    what: 'failed LPUSHs',
    grows: true,
    on: {
      info: ['cmdstat_lpush.failed_calls'],
      metrics: ['svc_commands_failed_total{command="lpush"}'],
    },
  },
  {
    what: 'commands over several shards',
    grows: true,
    on: { info: ['scatter_gather_commands'], metrics: ['svc_scatter_gather_commands_total'] },
  },
  {
    what: 'shards that took part in them',
    grows: true,
    on: { info: ['scatter_gather_shards'], metrics: ['svc_scatter_gather_shards_total'] },
  },
  {
    what: 'barriers',
    grows: true,
    on: { info: ['barriers'], metrics: ['svc_transaction_barriers_total'] },
  },
  {
    what: 'slow commands',
    grows: true,
    moves: true,
    on: { info: ['slowlog_commands_count'], metrics: ['svc_slow_commands_total'] },
  },
  {
    what: 'records of the log',
    grows: true,
    on: { info: ['log_records_written'], metrics: ['svc_persistence_log_records_total'] },
  },
  {
    what: 'bytes of the log',
    grows: true,
    on: {
      info: ['log_bytes_written'],
      metrics: ['svc_persistence_log_written_bytes_total'],
    },
  },
  {
    what: 'syncs of the log',
    grows: true,
    moves: true,
    on: { info: ['log_syncs'], metrics: ['svc_persistence_log_syncs_total'] },
  },
  {
    what: 'records lost',
    grows: true,
    on: { info: ['log_lost_records'], metrics: ['svc_persistence_log_lost_records_total'] },
  },
  {
    what: 'bytes that are not on disk',
    moves: true,
    on: {
      info: ['log_pending_bytes'],
      status: 'persistence.wal.pending_bytes',
      metrics: ['svc_persistence_pending_bytes'],
    },
  },
  {
    what: 'records that are not on disk',
    moves: true,
    on: { info: ['log_pending_records'], status: 'persistence.wal.pending_ops' },
  },
  {
    what: 'age of what is not on disk',
    moves: true,
    on: { info: ['durability_lag_ms'], status: 'persistence.wal.max_durability_lag_ms' },
  },
  {
    what: 'the last snapshot',
    on: { info: ['rdb_last_save_time'], status: 'persistence.snapshot.last_timestamp' },
  },
  {
    what: 'snapshots',
    grows: true,
    on: { info: ['rdb_saves'], metrics: ['svc_snapshots_total'] },
  },
  {
    what: 'bytes that recovery left out',
    on: {
      info: ['recovery_lost_bytes'],
      status: 'persistence.recovery.lost_bytes',
      metrics: ['svc_recovery_lost_bytes'],
    },
  },
  {
    what: 'holes that recovery found',
    on: {
      info: ['recovery_log_holes'],
      status: 'persistence.recovery.log_holes',
      metrics: ['svc_recovery_log_holes'],
    },
  },
  {
    what: 'seconds since the start',
    grows: true,
    moves: true,
    on: { info: ['uptime_in_seconds'], status: 'frogdb.uptime_secs' },
  },
  { what: 'process', on: { info: ['process_id'], status: 'frogdb.process_id' } },
  { what: 'shards', on: { info: ['shards'], status: 'cluster.num_shards' } },
  {
    what: 'commands per second',
    moves: true,
    on: { info: ['instantaneous_ops_per_sec'], status: 'commands.ops_per_sec' },
  },
  {
    what: 'resident memory',
    moves: true,
    on: {
      info: ['used_memory_rss'],
      status: 'memory.rss_bytes',
      metrics: ['svc_process_resident_memory_bytes'],
    },
  },
  {
    what: 'memory of an empty server',
    on: { info: ['used_memory_startup'], metrics: ['svc_memory_startup_bytes'] },
  },
  {
    what: 'fragmentation',
    moves: true,
    on: {
      info: ['mem_fragmentation_ratio'],
      status: 'memory.fragmentation_ratio',
      metrics: ['svc_memory_fragmentation_ratio'],
    },
  },
  {
    what: 'frames in rings',
    moves: true,
    on: { shards: 'queue_depth', metrics: ['svc_shard_queue_depth'] },
  },
  {
    what: 'bytes in rings',
    moves: true,
    on: { shards: 'queue_bytes', metrics: ['svc_shard_queue_bytes'] },
  },
];

/** Numbers of the status document that stand nowhere else, or are a time of its own. */
export const onlyInStatus: readonly string[] = ['frogdb.timestamp'];
export const onlyOfShards: readonly string[] = [
  ...['id', 'peak_memory_bytes', 'ops_per_sec', 'busy_percent'],
];
