/**
 * The names that dashboards for redis_exporter ask for, with the values that exporter would read. Only with
 * `[http] redis-exporter-names`.
 */

import { eachCommand, secondsOf } from './commands.ts';
import {
  metric,
  ofAllShards,
  ofMain,
  sumOf,
  type MetricDefinition,
  type MetricSource,
} from './definition.ts';
import { usedBytes } from './keyspace.ts';

const SAME = 'As redis_exporter has it.';

const simple = (
  kind: 'counter' | 'gauge',
  name: string,
  of: (source: MetricSource) => number,
): MetricDefinition =>
  metric(kind, { name, help: SAME }, 'as its svc_ counterpart', (source, samples) => {
    samples.value(of(source));
  });

const main = (kind: 'counter' | 'gauge', name: string, counter: Parameters<typeof ofMain>[2]) =>
  ofMain(kind, { name, help: SAME }, counter);
const shards = (kind: 'counter' | 'gauge', name: string, counter: Parameters<typeof ofMain>[2]) =>
  ofAllShards(kind, { name, help: SAME }, counter);

function perDatabase(name: string, of: (source: MetricSource, index: number) => number) {
  const head = { name, help: SAME, labels: ['db'] };
  return metric('gauge', head, 'as its svc_ counterpart', (source, samples) => {
    for (let index = 0; index < source.shape.databases; index += 1) {
      samples.value(of(source, index), `db${index}`);
    }
  });
}

export const redisMetrics: readonly MetricDefinition[] = [
  simple('gauge', 'redis_up', () => 1),
  simple('gauge', 'redis_uptime_in_seconds', ({ main: page, nowUs }) =>
    Math.floor((nowUs - page.get('startedUs')) / 1_000_000),
  ),
  simple('gauge', 'redis_start_time_seconds', ({ main: page, nowUs, wallMs }) =>
    Math.floor(wallMs / 1_000 - (nowUs - page.get('startedUs')) / 1_000_000),
  ),
  main('gauge', 'redis_connected_clients', 'connections'),
  main('gauge', 'redis_blocked_clients', 'blockedClients'),
  simple('gauge', 'redis_config_maxclients', ({ settings }) => settings.maxClients),
  simple('gauge', 'redis_memory_used_bytes', usedBytes),
  simple('gauge', 'redis_memory_used_peak_bytes', (source) =>
    Math.max(source.main.get('peakBytes'), usedBytes(source)),
  ),
  simple('gauge', 'redis_memory_used_rss_bytes', ({ process: { rssBytes } }) => rssBytes),
  simple('gauge', 'redis_memory_max_bytes', ({ settings }) => settings.memoryLimitBytes),
  simple(
    'gauge',
    'redis_mem_fragmentation_ratio',
    (source) => source.process.rssBytes / Math.max(1, usedBytes(source)),
  ),
  main('counter', 'redis_commands_processed_total', 'commands'),
  metric(
    'counter',
    { name: 'redis_commands_total', help: SAME, labels: ['cmd'] },
    'all pages: calls of each command',
    (source, samples) => {
      eachCommand(source, 'calls', (command, count) => {
        samples.value(count, command);
      });
    },
  ),
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
  shards('counter', 'redis_keyspace_hits_total', 'hits'),
  shards('counter', 'redis_keyspace_misses_total', 'misses'),
  shards('counter', 'redis_expired_keys_total', 'expired'),
  shards('counter', 'redis_evicted_keys_total', 'evicted'),
  main('counter', 'redis_net_input_bytes_total', 'bytesRead'),
  main('counter', 'redis_net_output_bytes_total', 'bytesWritten'),
  main('counter', 'redis_connections_received_total', 'connectionsTotal'),
  main('counter', 'redis_rejected_connections_total', 'connectionsRejected'),
  main('gauge', 'redis_pubsub_channels', 'pubsubChannels'),
  main('gauge', 'redis_pubsub_patterns', 'pubsubPatterns'),
  perDatabase('redis_db_keys', (source, index) => sumOf(source.shards, (page) => page.keys(index))),
  perDatabase('redis_db_keys_expiring', (source, index) =>
    sumOf(source.shards, (page) => page.expires(index)),
  ),
  simple('counter', 'redis_cpu_user_seconds_total', ({ process: { userUs } }) => userUs / 1e6),
  simple('counter', 'redis_cpu_sys_seconds_total', ({ process: { systemUs } }) => systemUs / 1e6),
];
