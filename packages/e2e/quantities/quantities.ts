/**
 * The quantities that stand on surfaces, and where: those of the table in `quantities/`, and those that surfaces work
 * out. Another counter is a row of that table; another figure that is worked out is one more entry of `workedOut`.
 */

import {
  KEY_QUANTITIES,
  LOG_QUANTITIES,
  type LogQuantity,
  type PageQuantity,
  QUANTITIES,
} from '#quantities';

/** The places of a quantity; several names are summed up. */
interface Places {
  /** INFO: `keyspace_hits`, or a part of a line, `db0.keys`. */
  readonly info?: readonly string[] | undefined;
  /** The status document: `keyspace.hits_total`. It is read as STATUS JSON, /status/json and of the live samples. */
  readonly status?: string | undefined;
  /** A field of its shards, summed up; it is read of /debug/api/shard-stats too. */
  readonly shards?: string | undefined;
  /** Metrics with all their samples, or those with a label. They are read as text, as JSON and as pushed by OTLP. */
  readonly metrics?: readonly string[] | undefined;
  /** Name that redis_exporter gives it; read as metrics are. */
  readonly exporter?: string | undefined;
  /** A field of CLIENT LIST and of /debug/api/clients, summed up over clients. */
  readonly clients?: readonly [list: string, api: string];
  /** Calls of a command: by LATENCY HISTOGRAM, /debug/api/latency and the status document. */
  readonly calls?: string;
  /** A reason for which keys go: by KEYFATE COUNTS and /debug/api/key-fates. */
  readonly fate?: string | undefined;
}

export interface Quantity {
  readonly what: string;
  readonly on: Places;
  /** It only grows: then it is compared while the server works, too. */
  readonly grows?: boolean;
  /** It changes by being read, or by itself: then it is equal nowhere. */
  readonly moves?: boolean;
}

/** Quantities that are sums of other rows, or that are on no page. */
export const workedOut: readonly Quantity[] = [
  {
    what: 'keys',
    on: { info: ['db0.keys'], status: 'keyspace.total_keys', metrics: ['svc_keyspace_keys'] },
  },
  {
    what: 'processors that the process may use',
    on: { info: ['usable_processors'], status: 'machine.processors' },
  },
  {
    what: 'memory that the process may use',
    on: { info: ['usable_memory'], status: 'machine.memory_bytes' },
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
    what: 'expired keys, by the reason',
    grows: true,
    on: {
      info: ['keyfate_expired_active', 'keyfate_expired_lazy'],
      metrics: ['svc_expired_keys_total'],
    },
  },
  {
    what: 'keys of databases that were emptied',
    grows: true,
    on: { info: ['lazyfreed_objects'], fate: 'flushed' },
  },
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
    what: 'clients allowed',
    on: {
      info: ['maxclients'],
      status: 'clients.max_clients',
      metrics: ['svc_connections_max'],
    },
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
    what: 'errors, by their code',
    grows: true,
    on: {
      info: ['total_error_replies'],
      status: 'commands.errors_total',
      metrics: ['svc_errors_total'],
    },
  },
  {
    what: 'errors of one code',
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
    what: 'age of what is not on disk',
    moves: true,
    on: { info: ['durability_lag_ms'], status: 'persistence.wal.max_durability_lag_ms' },
  },
  {
    what: 'the last snapshot',
    on: { info: ['rdb_last_save_time'], status: 'persistence.snapshot.last_timestamp' },
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

const GONE: readonly PageQuantity[] = KEY_QUANTITIES.fates;

function whatOf(row: PageQuantity): string {
  if (GONE.includes(row)) return `keys gone: ${row.label![1]}`;
  return row.shards === undefined ? row.counter : `${row.counter} of shards`;
}

/** The metric of a row, by the label that the row has; those of threads are summed up over all their labels. */
function metricOf({ metric, label, by }: PageQuantity): string | undefined {
  if (label === undefined || by === 'each') return metric;
  return `${metric}{${label[0]}="${label[1]}"}`;
}

/** Times have another unit on each surface, and threads keep counting while they are read: both are never equal. */
function isEqual({ by, unit }: Partial<PageQuantity>): boolean {
  return by !== 'each' && unit !== 'us';
}

function quantityOf(what: string, row: Partial<PageQuantity>, on: Places): Quantity {
  const grows = row.kind === 'counter' && isEqual(row);
  return { what, grows, moves: row.moves === true || !isEqual(row), on };
}

const ofPages = QUANTITIES.map((row) => {
  const { info, shards, exporter } = row;
  // These are in the document of a node of a cluster alone, and compared there (cluster/surfaces.test.ts).
  const status = row.status?.startsWith('cluster.') === true ? undefined : row.status;
  const fate = GONE.includes(row) ? row.label?.[1] : undefined;
  const on = { info: listOf(info), status, shards, metrics: listOf(metricOf(row)), exporter, fate };
  return quantityOf(whatOf(row), row, on);
});

const ofLogs = Object.values(LOG_QUANTITIES)
  .flat<readonly (readonly LogQuantity[])[]>()
  .map((row) => {
    const { figure, info, status, metric } = row;
    const on = { info: listOf(info), status, metrics: listOf(metric) };
    return quantityOf(`${figure} of logs`, row, on);
  });

function listOf(name: string | undefined): readonly string[] | undefined {
  return name === undefined ? undefined : [name];
}

/** All that stand on a surface. */
export const quantities: readonly Quantity[] = [...workedOut, ...ofPages, ...ofLogs].filter(
  ({ on }) => Object.values(on).some((place) => place !== undefined),
);

/** Numbers of the status document that stand nowhere else, or are a time of its own. */
export const onlyInStatus: readonly string[] = ['frogdb.timestamp'];
export const onlyOfShards: readonly string[] = ['id', 'ops_per_sec', 'busy_percent'];
