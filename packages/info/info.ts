/** INFO: sections of `name:value` lines, in Redis' names where the meaning is Redis'. What is not measured is left out. */

import { machineLimits, unixUs } from '#base';
import { commandTable } from '#commands';
import { frontCountOf, VERSION } from '#config';
import {
  ACCESS_QUANTITIES,
  CLIENT_QUANTITIES,
  COMMAND_QUANTITIES,
  KEY_QUANTITIES,
  MEMORY_QUANTITIES,
  type PageQuantity,
  QUANTITIES,
  REPLICATION_QUANTITIES,
  SCRIPT_QUANTITIES,
  TIER_QUANTITIES,
} from '#quantities';
import { errorCounts, latencyVerdict, percentileUs, TICKS_PER_US } from '#stats';
import { keyspace, keySizes, keySizesAge, prefixes } from './info-keys.ts';
import { linesOfParts, rowsOfParts, type Line, type Part } from './info-lines.ts';
import { replicaLagLines, replicasLines } from './info-primary.ts';
import { replicaLines } from './info-replica.ts';
import { listeners, tcpPort } from './info-listeners.ts';
import { PERSISTENCE } from './info-persistence.ts';
import { cpu, MEMORY } from './info-resources.ts';
import type { InfoSection } from '#main';
import type { ServerMetrics } from './server-metrics.ts';

interface Section {
  name: string;
  /** Kind of INFO that shows it besides one that names it: a bare one, or one of all. */
  shownBy: 'bare' | 'all' | 'none';
  /** Undefined when there is nothing that the section is about: then it has no head either. */
  lines: readonly Part[] | ((metrics: ServerMetrics) => readonly Line[] | undefined);
  /** Lines of the section in INFO ALL, if it has fewer there. */
  linesOfAll?: (metrics: ServerMetrics) => readonly Line[] | undefined;
  /** The section is there only while this holds. */
  when?: (metrics: ServerMetrics) => boolean;
}

/** Time that is left of the wait for replicas before the server ends, as Redis shows it: only then. */
function ending(main: ServerMetrics['main'], nowMs: number): Line[] {
  const untilMs = main.get('shutdownUntilMs');
  return untilMs === 0
    ? []
    : [['shutdown_in_milliseconds', Math.max(0, Math.ceil(untilMs - nowMs))]];
}

function server({
  settings,
  shardCount,
  runId,
  uptimeSeconds,
  nowMs,
  executable,
  multiplexingApi,
  main,
}: ServerMetrics): Line[] {
  const limits = machineLimits();
  return [
    ['redis_version', settings.string('server.reported-redis-version')],
    ['svc_version', VERSION],
    ['redis_mode', settings.boolean('cluster.enabled') ? 'cluster' : 'standalone'],
    ...cluster({ settings }),
    ['os', `${process.platform} ${process.arch}`],
    ['arch_bits', 64],
    ['multiplexing_api', multiplexingApi],
    ['node_version', process.version],
    ['process_id', process.pid],
    ['process_supervised', 'no'],
    ['run_id', runId],
    tcpPort(settings),
    ['server_time_usec', unixUs()],
    ['uptime_in_seconds', uptimeSeconds],
    ['uptime_in_days', Math.floor(uptimeSeconds / 86_400)],
    ['lru_clock', Math.floor(nowMs / 1_000) & 0xff_ffff],
    ['hz', settings.number('server.hz')],
    ['configured_hz', settings.number('server.hz')],
    ['shards', shardCount],
    ['usable_processors', limits.processors],
    ...(limits.processorLimit === undefined
      ? []
      : [['processor_limit', limits.processorLimit.toFixed(2)] as const]),
    // Redis has threads beside main only while there is much to do; front threads always are there.
    ['io_threads_active', Number(frontCountOf(settings) > 0)],
    ['executable', executable],
    ['config_file', settings.file ?? ''],
    ['availability_zone', settings.string('server.availability-zone')],
    ...ending(main, nowMs),
    ...listeners(settings),
  ];
}

/** Clients look for it in a bare INFO, where Redis has a section of it. */
function cluster({ settings }: Pick<ServerMetrics, 'settings'>): Line[] {
  return [['cluster_enabled', Number(settings.boolean('cluster.enabled'))]];
}

function connections({ clients: all, settings }: ServerMetrics): Line[] {
  const biggest = (
    pick: (traffic: { queryMemoryBytes: number; outputBytes: number }) => number,
  ): number => all.reduce((most, client) => Math.max(most, pick(client.traffic)), 0);
  return [
    ['cluster_connections', 0],
    ['maxclients', settings.number('server.max-clients')],
    ['client_recent_max_input_buffer', biggest(({ queryMemoryBytes }) => queryMemoryBytes)],
    ['client_recent_max_output_buffer', biggest(({ outputBytes }) => outputBytes)],
  ];
}

function watches({ clients: all }: ServerMetrics): Line[] {
  return [
    ['watching_clients', all.filter(({ watches }) => watches.keys.size > 0).length],
    ['total_watched_keys', new Set(all.flatMap(({ watches }) => [...watches.keys.keys()])).size],
  ];
}

const CLIENTS: readonly Part[] = [
  CLIENT_QUANTITIES.clients,
  connections,
  CLIENT_QUANTITIES.blocked,
  watches,
  CLIENT_QUANTITIES.blockingKeys,
  CLIENT_QUANTITIES.trackingClients,
  CLIENT_QUANTITIES.pubsubClients,
];

/** One thread has all sockets, or front threads have them, which count nothing of the kind. */
const NEVER: readonly Line[] = [
  ['io_threaded_reads_processed', 0],
  ['io_threaded_writes_processed', 0],
];

const STATS: readonly Part[] = [
  CLIENT_QUANTITIES.accepted,
  COMMAND_QUANTITIES.processed,
  ({ rates }) => [['instantaneous_ops_per_sec', Math.round(rates.main.commandsPerSecond)]],
  CLIENT_QUANTITIES.traffic,
  REPLICATION_QUANTITIES.traffic,
  ({ rates }) => [
    ['instantaneous_input_kbps', (rates.bytesRead.perSecond / 1_024).toFixed(2)],
    ['instantaneous_output_kbps', (rates.bytesWritten.perSecond / 1_024).toFixed(2)],
  ],
  ({ main }) => [
    ['instantaneous_input_repl_kbps', (main.get('replicationInputRate') / 1_024).toFixed(2)],
    ['instantaneous_output_repl_kbps', (main.get('replicationOutputRate') / 1_024).toFixed(2)],
  ],
  CLIENT_QUANTITIES.refused,
  KEY_QUANTITIES.expired,
  KEY_QUANTITIES.expiredFields,
  (metrics) => [['expired_stale_perc', stalePercent(metrics).toFixed(2)]],
  KEY_QUANTITIES.expiry,
  KEY_QUANTITIES.fates,
  KEY_QUANTITIES.evicted,
  CLIENT_QUANTITIES.evicted,
  KEY_QUANTITIES.eviction,
  SCRIPT_QUANTITIES.evicted,
  SCRIPT_QUANTITIES.runs,
  KEY_QUANTITIES.lookups,
  REPLICATION_QUANTITIES.syncs,
  REPLICATION_QUANTITIES.syncReasons,
  REPLICATION_QUANTITIES.links,
  REPLICATION_QUANTITIES.ownKeys,
  () => NEVER,
  KEY_QUANTITIES.defragmentation,
  CLIENT_QUANTITIES.pubsub,
  CLIENT_QUANTITIES.tracking,
  COMMAND_QUANTITIES.errors,
  CLIENT_QUANTITIES.closedForQuery,
  CLIENT_QUANTITIES.closedForOutput,
  CLIENT_QUANTITIES.closedForSilence,
  COMMAND_QUANTITIES.scatter,
  ({ main }) => [['scatter_gather_p99_usec', percentileUs(main.scatterHistogram, 0.99).toFixed(3)]],
  COMMAND_QUANTITIES.lending,
  COMMAND_QUANTITIES.barriers,
  COMMAND_QUANTITIES.stalls,
  MEMORY_QUANTITIES.refused,
  COMMAND_QUANTITIES.reports,
  COMMAND_QUANTITIES.slow,
  ACCESS_QUANTITIES.denied,
];

/** Returns the percentage of stale keys of all shards together: each counts by its keys that expire. */
function stalePercent({ shards, databases }: ServerMetrics): number {
  let expires = 0;
  let stale = 0;
  for (const page of shards) {
    let own = 0;
    for (let index = 0; index < databases; index += 1) own += page.expires(index);
    expires += own;
    stale += own * page.get('stalePercent');
  }
  return expires > 0 ? stale / expires : 0;
}

function replication({
  replication: { id, offset, replica, primary, failover },
  settings,
  nowMs,
}: ServerMetrics): Line[] {
  return [
    ['role', replica === undefined ? 'master' : 'slave'],
    ...(replica === undefined ? [] : replicaLines(replica, settings, nowMs)),
    ...replicasLines(primary, settings, nowMs),
    ['master_failover_state', failover.state],
    ['master_replid', id],
    ['master_replid2', primary.stream.secondId],
    ['master_repl_offset', offset],
    ['second_repl_offset', primary.stream.secondOffset],
    ['repl_backlog_active', Number(primary.isActive)],
    ['repl_backlog_size', settings.number('replication.backlog-size')],
    ['repl_backlog_first_byte_offset', primary.backlogBegin],
    ['repl_backlog_histlen', primary.backlogUsed],
    ...replicaLagLines(primary, nowMs),
  ];
}

const REPLICATION: readonly Part[] = [replication, REPLICATION_QUANTITIES.flow];

/** Every entry that was called or rejected, with what all threads counted for it. */
function usedCommands(metrics: ServerMetrics): { name: string; id: number; calls: number }[] {
  return commandTable.entries
    .map(({ lowerName, id }) => ({ name: lowerName, id, calls: metrics.command(id, 'calls') }))
    .filter(({ calls, id }) => calls > 0 || metrics.command(id, 'rejected') > 0);
}

function commandStats(metrics: ServerMetrics): Line[] {
  return usedCommands(metrics).map(({ name, id, calls }) => {
    const us = metrics.command(id, 'ticks') / TICKS_PER_US;
    const perCall = calls > 0 ? us / calls : 0;
    const rejected = metrics.command(id, 'rejected');
    const failed = metrics.command(id, 'failed');
    return [
      `cmdstat_${name}`,
      `calls=${String(calls)},usec=${String(Math.round(us))},usec_per_call=${perCall.toFixed(2)},rejected_calls=${String(rejected)},failed_calls=${String(failed)}`,
    ];
  });
}

function errorStats(metrics: ServerMetrics): Line[] {
  return errorCounts([metrics.main, ...metrics.shards]).map(([code, count]) => [
    `errorstat_${code}`,
    `count=${String(count)}`,
  ]);
}

function latencyStats(metrics: ServerMetrics): Line[] {
  const { settings } = metrics;
  if (!settings.boolean('latency.tracking')) return [];
  const wanted = settings.numbers('latency.tracking-info-percentiles');
  return usedCommands(metrics)
    .filter(({ calls }) => calls > 0)
    .map(({ name, id }) => {
      const counts = metrics.histogram(id);
      const shown = wanted.map((percent) => {
        const us = percentileUs(counts, percent / 100);
        return `p${String(percent)}=${us.toFixed(3)}`;
      });
      return [`latency_percentiles_usec_${name}`, shown.join(',')];
    });
}

/** Returns the results of the latency test at the start; nothing when there was none. */
function latencyBaseline({ baseline, settings }: ServerMetrics): Line[] {
  if (baseline === undefined) return [];
  const thresholdUs = settings.number('latency.warning-threshold-us');
  return [
    ['latency_baseline_seconds', baseline.seconds],
    ['latency_baseline_samples', baseline.samples],
    ['latency_baseline_min_us', baseline.minUs.toFixed(3)],
    ['latency_baseline_avg_us', baseline.avgUs.toFixed(3)],
    ['latency_baseline_p50_us', baseline.p50Us.toFixed(3)],
    ['latency_baseline_p99_us', baseline.p99Us.toFixed(3)],
    ['latency_baseline_p99.9_us', baseline.p999Us.toFixed(3)],
    ['latency_baseline_max_us', baseline.maxUs.toFixed(3)],
    ['latency_baseline_verdict', latencyVerdict(baseline, thresholdUs)],
  ];
}

const TIERED: readonly Part[] = [
  ({ settings }) => [['tiered_enabled', Number(settings.boolean('tiered.enabled'))]],
  ...Object.values(TIER_QUANTITIES),
];

const RATE_LIMIT: readonly Part[] = [ACCESS_QUANTITIES.limitedUsers, ACCESS_QUANTITIES.limited];

/** Rows with a line that no section has a place for: a new list of the table is shown all the same. */
const REST = unshownRows(QUANTITIES, [
  CLIENTS,
  MEMORY,
  PERSISTENCE,
  STATS,
  REPLICATION,
  RATE_LIMIT,
  TIERED,
]);

/** Returns the rows that have a line and are in none of the sections. */
export function unshownRows(
  rows: readonly PageQuantity[],
  sections: readonly (readonly Part[])[],
): readonly PageQuantity[] {
  const shown = new Set(sections.flatMap(rowsOfParts).map(({ info }) => info));
  return rows.filter(({ info }) => info !== undefined && !shown.has(info));
}

/** In the order of the report: those of a bare INFO, then the others. */
const SECTIONS: readonly Section[] = [
  { name: 'Server', shownBy: 'bare', lines: server },
  { name: 'Clients', shownBy: 'bare', lines: CLIENTS },
  { name: 'Memory', shownBy: 'bare', lines: MEMORY },
  { name: 'Persistence', shownBy: 'bare', lines: PERSISTENCE },
  { name: 'Stats', shownBy: 'bare', lines: [...STATS, REST] },
  { name: 'Replication', shownBy: 'bare', lines: REPLICATION },
  { name: 'CPU', shownBy: 'bare', lines: cpu },
  { name: 'Keyspace', shownBy: 'bare', lines: keyspace },
  {
    name: 'Ratelimit',
    shownBy: 'bare',
    lines: RATE_LIMIT,
    // Only while a user has a limit.
    when: ({ main }) => main.get('limitedUsers') > 0,
  },
  { name: 'Commandstats', shownBy: 'all', lines: commandStats },
  { name: 'Errorstats', shownBy: 'all', lines: errorStats },
  { name: 'Latencystats', shownBy: 'all', lines: latencyStats },
  { name: 'Latency_baseline', shownBy: 'all', lines: latencyBaseline },
  { name: 'Tiered', shownBy: 'all', lines: TIERED },
  { name: 'Keysizes', shownBy: 'all', lines: keySizes, linesOfAll: keySizesAge },
  { name: 'Prefixes', shownBy: 'all', lines: prefixes },
];

/** Behind the sections that modules contribute. */
const LAST: readonly Section[] = [{ name: 'Modules', shownBy: 'none', lines: () => [] }];

/**
 * Renders the sections named (in lower case; `default`, `all` and `everything` too), in the order of the table; those that
 * modules contribute follow.
 */
export function renderInfo(
  wanted: readonly string[],
  metrics: ServerMetrics,
  contributed: readonly InfoSection[],
): string {
  const isEverything = wanted.includes('everything');
  const isAll = isEverything || wanted.includes('all');
  const withDefault = wanted.length === 0 || wanted.includes('default');
  const sections: readonly Section[] = [...SECTIONS, ...contributed, ...LAST];
  const chosen = sections.filter(
    ({ name, shownBy }) =>
      (isAll && shownBy !== 'none') ||
      (withDefault && shownBy === 'bare') ||
      wanted.includes(name.toLowerCase()),
  );
  return chosen
    .filter(({ when }) => when === undefined || when(metrics))
    .flatMap(({ name, lines, linesOfAll = lines }) => {
      const isWhole = isEverything || wanted.includes(name.toLowerCase());
      const all = isWhole ? lines : linesOfAll;
      const body = (typeof all === 'function' ? all(metrics) : linesOfParts(metrics, all))?.map(
        ([field, value]) => `${field}:${String(value)}\r\n`,
      );
      return body === undefined ? [] : [`# ${name}\r\n${body.join('')}`];
    })
    .join('\r\n');
}
