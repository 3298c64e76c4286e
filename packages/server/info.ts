/** INFO: sections of `name:value` lines, in Redis' names where the meaning is Redis'. What is not measured is left out. */

import { freemem, totalmem } from 'node:os';
import { ERROR_CODES } from '#base';
import { commandTable } from '#commands';
import { percentileUs, TICKS_PER_US } from '#diag';
import type { Measures } from './measures.ts';
import { REDIS_VERSION, VERSION } from './version.ts';

type Line = readonly [name: string, value: string | number];

interface Section {
  name: string;
  /** Shown by a bare INFO. */
  isDefault: boolean;
  lines: (measures: Measures) => readonly Line[];
}

const BYTE_UNITS = ['B', 'K', 'M', 'G', 'T', 'P'];

/** 1.50M, as Redis writes sizes for people. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${String(bytes)}B` : `${value.toFixed(2)}${BYTE_UNITS[unit] ?? ''}`;
}

function size(name: string, bytes: number): Line[] {
  return [
    [name, bytes],
    [`${name}_human`, humanBytes(bytes)],
  ];
}

function server({
  settings,
  shardCount,
  runId,
  uptimeSeconds,
  nowMs,
  executable,
}: Measures): Line[] {
  return [
    ['redis_version', REDIS_VERSION],
    ['svc_version', VERSION],
    ['redis_mode', 'standalone'],
    ['os', `${process.platform} ${process.arch}`],
    ['arch_bits', 64],
    ['multiplexing_api', 'libuv'],
    ['node_version', process.version],
    ['process_id', process.pid],
    ['process_supervised', 'no'],
    ['run_id', runId],
    ['tcp_port', settings.number('server.port')],
    ['server_time_usec', Math.round(nowMs * 1_000)],
    ['uptime_in_seconds', uptimeSeconds],
    ['uptime_in_days', Math.floor(uptimeSeconds / 86_400)],
    ['hz', settings.number('server.hz')],
    ['configured_hz', settings.number('server.hz')],
    ['shards', shardCount],
    ['executable', executable],
    ['config_file', settings.file ?? ''],
  ];
}

function clients(measures: Measures): Line[] {
  const { clients: all, settings, main } = measures;
  const biggest = (
    pick: (traffic: { queryMemoryBytes: number; outputBytes: number }) => number,
  ): number => all.reduce((most, client) => Math.max(most, pick(client.traffic)), 0);
  return [
    ['connected_clients', all.length],
    ['cluster_connections', 0],
    ['maxclients', settings.number('server.max-clients')],
    ['client_recent_max_input_buffer', biggest(({ queryMemoryBytes }) => queryMemoryBytes)],
    ['client_recent_max_output_buffer', biggest(({ outputBytes }) => outputBytes)],
    ['blocked_clients', main.get('blockedClients')],
    ['watching_clients', all.filter(({ watched }) => watched.size > 0).length],
    ['total_watched_keys', new Set(all.flatMap(({ watched }) => [...watched.keys()])).size],
    ['total_blocking_keys', measures.total('blockingKeys')],
    ['total_blocking_keys_on_nokey', measures.total('blockingNoKeys')],
  ];
}

function memory(measures: Measures): Line[] {
  const { settings, rssBytes } = measures;
  const used = measures.total('usedBytes');
  const dataset =
    measures.total('recordBytes') + measures.total('blobBytes') + measures.total('objectBytes');
  const segments = measures.total('segmentBytes');
  const records = measures.total('recordBytes');
  const limit = settings.number('memory.maxmemory');
  const ratio = (part: number, whole: number): string => (whole > 0 ? part / whole : 1).toFixed(2);
  return [
    ...size('used_memory', used),
    ...size('used_memory_rss', rssBytes),
    ...size('used_memory_peak', measures.peakBytes),
    ['used_memory_peak_perc', `${((used * 100) / Math.max(measures.peakBytes, 1)).toFixed(2)}%`],
    ['used_memory_overhead', used - dataset],
    ['used_memory_dataset', dataset],
    ['used_memory_dataset_perc', `${((dataset * 100) / Math.max(used, 1)).toFixed(2)}%`],
    ['allocator_allocated', records],
    ['allocator_active', segments],
    ...size('total_system_memory', totalmem()),
    ['free_system_memory', freemem()],
    ...size('maxmemory', limit),
    ['maxmemory_policy', settings.string('memory.maxmemory-policy')],
    ['allocator_frag_ratio', ratio(segments, records)],
    ['allocator_frag_bytes', Math.max(0, segments - records)],
    ['mem_fragmentation_ratio', ratio(rssBytes, used)],
    ['mem_fragmentation_bytes', rssBytes - used],
    ['mem_clients_normal', measures.clientBytes],
    ['mem_shared_link', measures.linkBytes],
    ['mem_allocator', 'svc-slab'],
  ];
}

function persistence(measures: Measures): Line[] {
  return [
    ['loading', 0],
    ['async_loading', 0],
    ['rdb_changes_since_last_save', measures.total('changes')],
    ['rdb_bgsave_in_progress', 0],
    ['aof_enabled', 0],
    ['aof_rewrite_in_progress', 0],
  ];
}

function stats(measures: Measures): Line[] {
  const { main, rates } = measures;
  return [
    ['total_connections_received', main.get('connectionsTotal')],
    ['total_commands_processed', main.get('commands')],
    ['instantaneous_ops_per_sec', Math.round(rates.main.commandsPerSecond)],
    ['total_net_input_bytes', main.get('bytesRead')],
    ['total_net_output_bytes', main.get('bytesWritten')],
    ['instantaneous_input_kbps', (rates.bytesRead.perSecond / 1_024).toFixed(2)],
    ['instantaneous_output_kbps', (rates.bytesWritten.perSecond / 1_024).toFixed(2)],
    ['rejected_connections', main.get('connectionsRejected')],
    ['expired_keys', measures.total('expired')],
    ['expired_subkeys', measures.total('expiredFields')],
    ['expired_time_cap_reached_count', measures.total('expiredTimeCapReached')],
    ['evicted_keys', measures.total('evicted')],
    ['keyspace_hits', measures.total('hits')],
    ['keyspace_misses', measures.total('misses')],
    ['total_error_replies', main.get('errors') + measures.total('errors')],
    ['client_query_buffer_limit_disconnections', main.get('queryLimitDisconnections')],
    ['client_output_buffer_limit_disconnections', main.get('outputLimitDisconnections')],
    ['client_timeout_disconnections', main.get('clientTimeouts')],
    ['scatter_gather_commands', main.get('scatters')],
    ['lent_commands', measures.total('lends')],
    ['deferred_commands', measures.total('deferred')],
    ['barriers', main.get('barriers')],
    ['full_ring_stalls', main.get('readStalls')],
    ['oom_rejections', main.get('oomRejections')],
  ];
}

function replication({ runId }: Measures): Line[] {
  return [
    ['role', 'master'],
    ['connected_slaves', 0],
    ['master_replid', runId],
    ['master_repl_offset', 0],
  ];
}

function cpu(measures: Measures): Line[] {
  const { user, system } = process.cpuUsage();
  const busy = measures.rates.shards.map((rates, index): Line => [
    `shard${String(index)}_busy_percent`,
    rates.busyPercent.toFixed(2),
  ]);
  return [
    ['used_cpu_sys', (system / 1e6).toFixed(6)],
    ['used_cpu_user', (user / 1e6).toFixed(6)],
    ['main_busy_percent', measures.rates.main.busyPercent.toFixed(2)],
    ...busy,
  ];
}

/** Every entry that was called or rejected, with what all threads counted for it. */
function usedCommands(measures: Measures): { name: string; id: number; calls: number }[] {
  return commandTable.entries
    .map(({ lowerName, id }) => ({ name: lowerName, id, calls: measures.command(id, 'calls') }))
    .filter(({ calls, id }) => calls > 0 || measures.command(id, 'rejected') > 0);
}

function commandStats(measures: Measures): Line[] {
  return usedCommands(measures).map(({ name, id, calls }) => {
    const us = measures.command(id, 'ticks') / TICKS_PER_US;
    const perCall = calls > 0 ? us / calls : 0;
    const rejected = measures.command(id, 'rejected');
    const failed = measures.command(id, 'failed');
    return [
      `cmdstat_${name}`,
      `calls=${String(calls)},usec=${String(Math.round(us))},usec_per_call=${perCall.toFixed(2)},rejected_calls=${String(rejected)},failed_calls=${String(failed)}`,
    ];
  });
}

function errorStats(measures: Measures): Line[] {
  return ERROR_CODES.map((code, index): [string, number] => [code, measures.errors(index)])
    .filter(([, count]) => count > 0)
    .map(([code, count]) => [`errorstat_${code}`, `count=${String(count)}`]);
}

function latencyStats(measures: Measures): Line[] {
  const { settings } = measures;
  if (!settings.boolean('latency.tracking')) return [];
  const wanted = settings.numbers('latency.tracking-info-percentiles');
  return usedCommands(measures)
    .filter(({ calls }) => calls > 0)
    .map(({ name, id }) => {
      const counts = measures.histogram(id);
      const shown = wanted.map((percent) => {
        const us = percentileUs(counts, percent / 100);
        return `p${String(percent)}=${us.toFixed(3)}`;
      });
      return [`latency_percentiles_usec_${name}`, shown.join(',')];
    });
}

function keyspace({ shards, settings }: Measures): Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < settings.number('server.databases'); index += 1) {
    let keys = 0;
    let expires = 0;
    let subexpiry = 0;
    for (const page of shards) {
      keys += page.keys(index);
      expires += page.expires(index);
      subexpiry += page.fieldExpires(index);
    }
    if (keys > 0) {
      const counts = `keys=${String(keys)},expires=${String(expires)},subexpiry=${String(subexpiry)}`;
      lines.push([`db${String(index)}`, counts]);
    }
  }
  return lines;
}

const SECTIONS: readonly Section[] = [
  { name: 'Server', isDefault: true, lines: server },
  { name: 'Clients', isDefault: true, lines: clients },
  { name: 'Memory', isDefault: true, lines: memory },
  { name: 'Persistence', isDefault: true, lines: persistence },
  { name: 'Stats', isDefault: true, lines: stats },
  { name: 'Replication', isDefault: true, lines: replication },
  { name: 'CPU', isDefault: true, lines: cpu },
  { name: 'Commandstats', isDefault: false, lines: commandStats },
  { name: 'Errorstats', isDefault: false, lines: errorStats },
  { name: 'Latencystats', isDefault: false, lines: latencyStats },
  { name: 'Keyspace', isDefault: true, lines: keyspace },
];

/** The sections named (in lower case; `default`, `all` and `everything` too), in the order of the table. */
export function renderInfo(wanted: readonly string[], measures: Measures): string {
  const isAll = wanted.includes('all') || wanted.includes('everything');
  const withDefault = wanted.length === 0 || wanted.includes('default');
  const chosen = SECTIONS.filter(
    ({ name, isDefault }) =>
      isAll || (withDefault && isDefault) || wanted.includes(name.toLowerCase()),
  );
  return chosen
    .map(({ name, lines }) => {
      const body = lines(measures).map(([field, value]) => `${field}:${String(value)}\r\n`);
      return `# ${name}\r\n${body.join('')}`;
    })
    .join('\r\n');
}
