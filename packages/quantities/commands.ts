/** Quantities of commands: how many, how they ended, and the work of several shards on one. */

import type { Quantity } from './quantity.ts';

export const COMMAND_QUANTITIES = {
  processed: [
    {
      counter: 'commands',
      by: 'main',
      kind: 'counter',
      resets: true,
      moves: true,
      help: 'Commands taken from clients, of any name.',
      info: 'total_commands_processed',
      status: 'commands.total_processed',
      metric: 'svc_commands_processed_total',
      exporter: 'redis_commands_processed_total',
      live: 'ops',
    },
  ],
  /** A shard counts what it executes, and main all that clients send. */
  byShard: [
    {
      counter: 'commands',
      by: 'shards',
      kind: 'counter',
      resets: true,
      perShard: true,
      help: 'Commands that each shard executed.',
      shards: 'ops_total',
      metric: 'svc_shard_commands_total',
    },
  ],
  /** The metric of errors is by their code, and so read from other places of the pages. */
  errors: [
    {
      counter: 'errors',
      by: 'all',
      kind: 'counter',
      resets: true,
      info: 'total_error_replies',
      status: 'commands.errors_total',
      exporter: 'redis_total_error_replies',
      live: 'errors',
    },
  ],
  /** Commands that were logged as slow. */
  slow: [
    {
      counter: 'slowCommands',
      by: 'all',
      kind: 'counter',
      resets: true,
      moves: true,
      help: 'Commands that were logged as slow.',
      info: 'slowlog_commands_count',
      metric: 'svc_slow_commands_total',
    },
    {
      counter: 'slowCommandUs',
      by: 'all',
      kind: 'counter',
      unit: 'us',
      resets: true,
      help: 'Time that commands logged as slow took.',
      info: 'slowlog_commands_time_ms_sum',
      infoAs: 'exact-ms',
      metric: 'svc_slow_commands_seconds_total',
    },
    {
      counter: 'slowCommandUsMax',
      by: 'all',
      kind: 'gauge',
      unit: 'us',
      resets: true,
      over: 'greatest',
      info: 'slowlog_commands_time_ms_max',
      infoAs: 'exact-ms',
    },
  ],
  reports: [
    {
      counter: 'reportGaps',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Shards that did not answer a report in time.',
      info: 'report_gaps',
      metric: 'svc_report_gaps_total',
    },
  ],
  /** Requests to several shards. */
  scatter: [
    {
      counter: 'scatters',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Commands that were split over several shards.',
      info: 'scatter_gather_commands',
      metric: 'svc_scatter_gather_commands_total',
    },
    {
      counter: 'scatterShards',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Shards that took part in gathered commands, summed.',
      info: 'scatter_gather_shards',
      metric: 'svc_scatter_gather_shards_total',
    },
    /** Sum of the page's histogram `scatter`. */
    {
      counter: 'scatterUs',
      by: 'main',
      kind: 'counter',
      unit: 'us',
      resets: true,
      info: 'scatter_gather_usec',
      infoAs: 'whole-us',
    },
  ],
  barriers: [
    {
      counter: 'barriers',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Transactions for which all shards had to stop.',
      info: 'barriers',
      metric: 'svc_transaction_barriers_total',
    },
  ],
  lending: [
    {
      counter: 'lends',
      by: 'shards',
      kind: 'counter',
      resets: true,
      help: 'Times that a shard lent keys to another for a command over several.',
      info: 'lent_commands',
      metric: 'svc_shard_lends_total',
    },
    {
      counter: 'deferred',
      by: 'shards',
      kind: 'counter',
      resets: true,
      help: 'Commands that waited for a key that was lent.',
      info: 'deferred_commands',
      metric: 'svc_shard_deferred_commands_total',
    },
  ],
  /** Full rings, on either side. */
  stalls: [
    {
      counter: 'readStalls',
      by: 'main',
      kind: 'counter',
      resets: true,
      help: 'Times that reading paused for a full ring.',
      info: 'full_ring_stalls',
      metric: 'svc_read_stalls_total',
    },
    {
      counter: 'waitsForRoom',
      by: 'shards',
      kind: 'counter',
      resets: true,
      perShard: true,
      help: 'Times that a shard waited for room for its replies.',
      info: 'full_reply_ring_waits',
      metric: 'svc_shard_ring_waits_total',
    },
  ],
  clampedWaits: [
    {
      counter: 'clampedWaits',
      by: 'shards',
      kind: 'counter',
      resets: true,
      moves: true,
      perShard: true,
      help: "Waits of requests for their shard that two threads' clocks made negative, told as 0.",
      metric: 'svc_shard_queue_wait_clamped_total',
    },
  ],
  /** Sums of time, of which percentages and means are made. */
  state: [
    { counter: 'queueUs', by: 'shards', kind: 'counter', unit: 'us', resets: true },
    { counter: 'executeTicks', by: 'shards', kind: 'counter', resets: true },
    { counter: 'replyUs', by: 'main', kind: 'counter', unit: 'us', resets: true },
    { counter: 'replies', by: 'main', kind: 'counter', resets: true },
    /** Entries of the slow log with a lower id are forgotten. */
    { counter: 'slowFirstId', by: 'main', kind: 'gauge' },
    /** Generation of the bands that are counted here: how often they had been set to zero. */
    { counter: 'bandsGeneration', by: 'all', kind: 'gauge' },
  ],
  /** Requests that were traced, and those that should have been and could not be told of. */
  traces: [
    {
      counter: 'tracesSampled',
      by: 'main',
      kind: 'counter',
      help: 'Requests that were chosen to be traced.',
      metric: 'svc_traces_sampled_total',
    },
    { counter: 'tracesDropped', by: 'main', kind: 'counter' },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
