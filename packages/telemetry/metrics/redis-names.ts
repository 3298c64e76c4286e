/**
 * Metrics under the names of redis_exporter, for its dashboards, with the values that it would report. Only with
 * `[http] redis-exporter-names`.
 */

import type { PrimaryReport, ReplicaReport } from '#api-types';
import { type PageQuantity, QUANTITIES, SCRIPT_QUANTITIES } from '#quantities';
import {
  type DurabilityReport,
  errorCounts,
  lastSaveSeconds,
  readQuantity,
  savingSeconds,
  sumOfLogs,
} from '#stats';
import { eachCommand, pagesOf, secondsOf } from './families/commands.ts';
import { metric, sumOf, type MetricDefinition, type MetricSource } from './definition.ts';
import { replicasByPlace } from './families/replication.ts';
import { fragmentationOf, usedBytes } from './families/keyspace.ts';

const SAME = 'As redis_exporter has it.';

const simple = (
  kind: 'counter' | 'gauge',
  name: string,
  of: (source: MetricSource) => number,
): MetricDefinition =>
  metric(kind, { name, help: SAME }, 'as its svc_ counterpart', (source, samples) => {
    samples.value(of(source));
  });

/** Names of rows that redis_exporter has too. */
function named(rows: readonly PageQuantity[]): MetricDefinition[] {
  return rows.flatMap((row) => {
    const { exporter, kind } = row;
    if (exporter === undefined) return [];
    return [simple(kind, exporter, ({ main, shards }) => readQuantity(row, main, shards))];
  });
}

function perDatabase(name: string, of: (source: MetricSource, index: number) => number) {
  const head = { name, help: SAME, labels: ['db'] };
  return metric('gauge', head, 'as its svc_ counterpart', (source, samples) => {
    for (let index = 0; index < source.shape.databases; index += 1) {
      samples.value(of(source, index), `db${index}`);
    }
  });
}

/** A value of the report that INFO is made from, where something is kept on disk. */
const disk = (
  kind: 'counter' | 'gauge',
  name: string,
  of: (report: DurabilityReport, source: MetricSource) => number,
): MetricDefinition =>
  metric(kind, { name, help: SAME }, 'as its svc_ counterpart', (source, samples) => {
    if (source.durability.isEnabled) samples.value(of(source.durability, source));
  });

const perCommand = (name: string, field: 'calls' | 'rejected' | 'failed'): MetricDefinition =>
  metric(
    'counter',
    { name, help: SAME, labels: ['cmd'] },
    `all pages: ${field} of each command`,
    (source, samples) => {
      eachCommand(source, field, (command, count) => {
        samples.value(count, command);
      });
    },
  );

const errors = metric(
  'counter',
  { name: 'redis_errors_total', help: SAME, labels: ['err'] },
  'all pages: errors by code',
  (source, samples) => {
    for (const [code, count] of errorCounts(pagesOf(source))) samples.value(count, code);
  },
);

/** Labels in the order of their names: they are the same in every source. */
const INSTANCE_LABELS = [
  ...['maxmemory_policy', 'os', 'process_id', 'redis_mode', 'redis_version', 'role', 'run_id'],
  'tcp_port',
] as const;

const instance = metric(
  'gauge',
  { name: 'redis_instance_info', help: SAME, labels: INSTANCE_LABELS },
  'settings, and the process',
  (source, samples) => {
    samples.value(1, ...INSTANCE_LABELS.map((label) => source.instance[label] ?? ''));
  },
);

/** Average remaining time of keys with an expiry of a database, in seconds. */
function averageTtl({ shards, wallMs }: MetricSource, database: number): number {
  const expires = sumOf(shards, (page) => page.expires(database));
  if (expires === 0) return 0;
  const sumMs = sumOf(
    shards,
    (page) => page.expires(database) * (page.meanExpiry(database) - wallMs),
  );
  return Math.max(0, sumMs / expires / 1_000);
}

/** Entries that SLOWLOG LEN counts. */
function slowLogLength({ main, slowLogUpcoming, settings }: MetricSource): number {
  return Math.min(slowLogUpcoming - main.get('slowFirstId'), settings.slowLogLengthMax);
}

const durabilityNames: readonly MetricDefinition[] = [
  simple(
    'gauge',
    'redis_rdb_changes_since_last_save',
    (source) => source.durability.changesSinceSave,
  ),
  simple('gauge', 'redis_rdb_bgsave_in_progress', ({ durability }) =>
    Number(durability.isSaving || durability.isSyncing),
  ),
  disk('gauge', 'redis_rdb_last_save_timestamp_seconds', (report) =>
    Math.floor(report.lastSaveMs / 1_000),
  ),
  disk('gauge', 'redis_rdb_last_bgsave_status', (report) => Number(!report.hasLastSaveFailed)),
  disk('gauge', 'redis_rdb_last_bgsave_duration_sec', lastSaveSeconds),
  disk('gauge', 'redis_rdb_current_bgsave_duration_sec', (report, { wallMs }) =>
    savingSeconds(report, wallMs),
  ),
  disk('gauge', 'redis_rdb_last_cow_size_bytes', (report) => report.preservedBytes),
  disk('counter', 'redis_rdb_saves_total', (report) => report.saves),
  simple('gauge', 'redis_loading_dump_file', (source) => Number(source.durability.isLoading)),
  simple('gauge', 'redis_aof_enabled', (source) => Number(source.durability.isEnabled)),
  simple('gauge', 'redis_aof_rewrite_in_progress', (source) => Number(source.durability.isSaving)),
  disk('gauge', 'redis_aof_last_bgrewrite_status', (report) => Number(!report.hasLastSaveFailed)),
  disk('gauge', 'redis_aof_last_write_status', (report) => Number(!report.hasLogFailed)),
  disk('gauge', 'redis_aof_last_rewrite_duration_sec', lastSaveSeconds),
  disk('gauge', 'redis_aof_current_rewrite_duration_sec', (report, { wallMs }) =>
    savingSeconds(report, wallMs),
  ),
  disk('gauge', 'redis_aof_last_cow_size_bytes', (report) => report.preservedBytes),
  disk('gauge', 'redis_aof_current_size_bytes', (report) => report.currentBytes),
  disk('gauge', 'redis_aof_base_size_bytes', (report) => report.baseBytes),
  disk('gauge', 'redis_aof_pending_bio_fsync', (_report, { logs }) =>
    Number(sumOfLogs(logs, 'unsyncedBytes') > 0),
  ),
  disk('gauge', 'redis_aof_delayed_fsync', (_report, { logs }) => sumOfLogs(logs, 'delayedSyncs')),
];

const SLAVE_LABELS = ['slave_ip', 'slave_port', 'slave_state'];

const perSlave = (name: string, of: (replica: ReplicaReport) => number): MetricDefinition =>
  metric(
    'gauge',
    { name, help: SAME, labels: SLAVE_LABELS },
    'main, reported every second',
    (source, samples) => {
      for (const replica of replicasByPlace(source)) {
        const { host, listening_port: port, state } = replica;
        samples.value(of(replica), host, String(port), state);
      }
    },
  );

/** Metrics that only a replica has. */
const ofSlave = (
  name: string,
  labels: readonly string[],
  read: (primary: PrimaryReport, source: MetricSource) => readonly [value: number, ...string[]],
): MetricDefinition =>
  metric(
    'gauge',
    { name, help: SAME, labels },
    'main, reported every second',
    (source, samples) => {
      const primary = source.replication?.primary;
      if (primary) samples.value(...read(primary, source));
    },
  );

const MASTER_LABELS = ['master_host', 'master_port'];
const masterOf = ({ host, port }: PrimaryReport): readonly [string, string] => [host, String(port)];

/** Seconds since the last acknowledgement of a replica, which is the lag in Redis. */
function slaveLag({ state, ack_age_ms: ms }: ReplicaReport): number {
  return state === 'online' ? Math.floor(ms / 1_000) : 0;
}

const replicationNames: readonly MetricDefinition[] = [
  perSlave('redis_connected_slave_offset_bytes', ({ offset }) => offset),
  perSlave('redis_connected_slave_lag_seconds', slaveLag),
  ofSlave('redis_master_link_up', MASTER_LABELS, (primary, { main }) => [
    main.get('primaryLinkUp'),
    ...masterOf(primary),
  ]),
  ofSlave('redis_master_sync_in_progress', MASTER_LABELS, (primary, { main }) => [
    main.get('syncInProgress'),
    ...masterOf(primary),
  ]),
  ofSlave('redis_master_last_io_seconds_ago', MASTER_LABELS, (primary) => [
    primary.state === 'connected' ? Math.floor(primary.silent_ms / 1_000) : -1,
    ...masterOf(primary),
  ]),
  ofSlave('redis_slave_info', [...MASTER_LABELS, 'read_only'], (primary) => [
    1,
    ...masterOf(primary),
    primary.read_only ? '1' : '0',
  ]),
  ofSlave('redis_slave_priority', [], ({ priority }) => [priority]),
  ofSlave('redis_slave_repl_offset', MASTER_LABELS, (primary) => [
    Math.max(0, primary.offset),
    ...masterOf(primary),
  ]),
  simple('gauge', 'redis_repl_backlog_is_active', ({ replication }) =>
    Number(replication?.backlog.active ?? false),
  ),
  simple(
    'gauge',
    'redis_repl_backlog_first_byte_offset',
    ({ replication }) => replication?.backlog.first_byte_offset ?? 0,
  ),
  simple(
    'gauge',
    'redis_second_repl_offset',
    ({ replication }) => replication?.second_offset ?? -1,
  ),
];

/** Metrics of CLUSTER INFO, which only a node of a cluster has. */
const ofCluster = (name: string, of: (source: MetricSource) => number): MetricDefinition =>
  metric('gauge', { name, help: SAME }, 'as its svc_ counterpart', (source, samples) => {
    if (source.main.get('clusterEnabled') === 1) samples.value(of(source));
  });

const clusterNames: readonly MetricDefinition[] = [
  ofCluster('redis_cluster_state', ({ main }) => main.get('clusterUp')),
  ofCluster('redis_cluster_slots_assigned', ({ main }) => main.get('clusterSlotsAssigned')),
  ofCluster('redis_cluster_slots_ok', ({ main }) => main.get('clusterSlotsOk')),
  // A node fails when its lease expires: there is no earlier suspicion.
  ofCluster('redis_cluster_slots_pfail', () => 0),
  ofCluster('redis_cluster_slots_fail', ({ main }) => main.get('clusterSlotsFailed')),
  ofCluster('redis_cluster_known_nodes', ({ main }) => main.get('clusterKnownNodes')),
  ofCluster('redis_cluster_size', ({ main }) => main.get('clusterSize')),
  ofCluster('redis_cluster_current_epoch', ({ main }) => main.get('clusterEpoch')),
  ofCluster('redis_cluster_my_epoch', ({ main }) => main.get('clusterOwnEpoch')),
];

/** Metrics that are always 0, because this version does not have the feature. */
const noneOf = ['redis_lazyfree_pending_objects'];

export const redisMetrics: readonly MetricDefinition[] = [
  instance,
  errors,
  ...durabilityNames,
  ...replicationNames,
  ...clusterNames,
  ...noneOf.map((name) => simple('gauge', name, () => 0)),
  perCommand('redis_commands_total', 'calls'),
  perCommand('redis_commands_rejected_calls_total', 'rejected'),
  perCommand('redis_commands_failed_calls_total', 'failed'),
  simple('gauge', 'redis_up', () => 1),
  simple('gauge', 'redis_uptime_in_seconds', ({ main: page, nowUs }) =>
    Math.floor((nowUs - page.get('startedUs')) / 1_000_000),
  ),
  simple('gauge', 'redis_start_time_seconds', ({ main: page, nowUs, wallMs }) =>
    Math.floor(wallMs / 1_000 - (nowUs - page.get('startedUs')) / 1_000_000),
  ),
  simple('gauge', 'redis_config_maxclients', ({ settings }) => settings.maxClients),
  simple('gauge', 'redis_config_maxmemory', ({ settings }) => settings.memoryLimitBytes),
  simple('gauge', 'redis_process_id', ({ instance: labels }) => Number(labels['process_id'])),
  simple('gauge', 'redis_slowlog_length', slowLogLength),
  simple('gauge', 'redis_slowlog_last_id', ({ slowLogUpcoming }) =>
    Math.max(0, slowLogUpcoming - 1),
  ),
  simple('gauge', 'redis_memory_used_bytes', usedBytes),
  simple('gauge', 'redis_memory_used_peak_bytes', (source) =>
    Math.max(source.main.get('peakBytes'), usedBytes(source)),
  ),
  simple('gauge', 'redis_memory_used_rss_bytes', ({ process: { rssBytes } }) => rssBytes),
  simple('gauge', 'redis_memory_max_bytes', ({ settings }) => settings.memoryLimitBytes),
  simple('gauge', 'redis_memory_used_scripts_bytes', ({ main, shards }) =>
    [...SCRIPT_QUANTITIES.sources, ...SCRIPT_QUANTITIES.code].reduce(
      (sum, row) => sum + readQuantity(row, main, shards),
      0,
    ),
  ),
  simple('gauge', 'redis_mem_fragmentation_ratio', (source) => fragmentationOf(source).ratio),
  simple('gauge', 'redis_mem_fragmentation_bytes', (source) => fragmentationOf(source).bytes),
  // Eviction goes by the memory in use itself.
  simple('gauge', 'redis_mem_not_counted_for_eviction_bytes', () => 0),
  metric(
    'counter',
    { name: 'redis_commands_duration_seconds_total', help: SAME, unit: 'seconds', labels: ['cmd'] },
    'all pages: ticks of each command',
    (source, samples) => {
      eachCommand(source, 'ticks', (command, ticks) => {
        samples.value(secondsOf(ticks), command);
      });
    },
  ),
  perDatabase('redis_db_keys', (source, index) => sumOf(source.shards, (page) => page.keys(index))),
  perDatabase('redis_db_avg_ttl_seconds', averageTtl),
  perDatabase('redis_db_keys_expiring', (source, index) =>
    sumOf(source.shards, (page) => page.expires(index)),
  ),
  simple('counter', 'redis_cpu_user_seconds_total', ({ process: { userUs } }) => userUs / 1e6),
  simple('counter', 'redis_cpu_sys_seconds_total', ({ process: { systemUs } }) => systemUs / 1e6),
  ...named(QUANTITIES),
];
