/** Quantities of commands: counts, outcomes, and commands over several shards. */

import { MAIN_COUNTER, MAIN_GAUGE, MAIN_TOTAL, SHARD_COUNTER } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const COMMAND_QUANTITIES = {
  processed: [
    {
      ...MAIN_COUNTER,
      counter: 'commands',
      moves: true,
      help: 'Commands received from clients.',
      info: 'total_commands_processed',
      status: 'commands.total_processed',
      metric: 'svc_commands_processed_total',
      exporter: 'redis_commands_processed_total',
      live: 'ops',
    },
  ],
  /** Shards count executed commands; main counts all received commands. */
  byShard: [
    {
      ...SHARD_COUNTER,
      counter: 'commands',
      perShard: true,
      help: 'Commands executed by each shard.',
      shards: 'ops_total',
      metric: 'svc_shard_commands_total',
    },
  ],
  /** The metric of errors has a label for the code, and is read from other fields of the pages. */
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
  /** Commands logged as slow. */
  slow: [
    {
      counter: 'slowCommands',
      by: 'all',
      kind: 'counter',
      resets: true,
      moves: true,
      help: 'Commands logged as slow.',
      info: 'slowlog_commands_count',
      metric: 'svc_slow_commands_total',
    },
    {
      counter: 'slowCommandUs',
      by: 'all',
      kind: 'counter',
      unit: 'us',
      resets: true,
      help: 'Execution time of commands logged as slow.',
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
  /** Commands logged for their size. */
  large: [
    {
      counter: 'largeRequests',
      by: 'all',
      kind: 'counter',
      resets: true,
      help: 'Commands logged for a large request.',
      info: 'commandlog_large_requests',
      metric: 'svc_large_requests_total',
    },
    {
      counter: 'largeReplies',
      by: 'all',
      kind: 'counter',
      resets: true,
      help: 'Commands logged for a large reply.',
      info: 'commandlog_large_replies',
      metric: 'svc_large_replies_total',
    },
  ],
  reports: [
    {
      ...MAIN_COUNTER,
      counter: 'missingShardReplies',
      help: 'Replies and pages without the part of a shard that did not reply in time.',
      info: 'missing_shard_replies',
      metric: 'svc_missing_shard_replies_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'missingShardReplies',
      isFormer: true,
      help: 'Former name of svc_missing_shard_replies_total.',
      info: 'report_gaps',
      metric: 'svc_report_gaps_total',
    },
  ],
  /** Requests to several shards. */
  scatter: [
    {
      ...MAIN_COUNTER,
      counter: 'scatters',
      help: 'Commands split over several shards.',
      info: 'scatter_gather_commands',
      metric: 'svc_scatter_gather_commands_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'scatterShards',
      help: 'Shards involved in split commands, summed.',
      info: 'scatter_gather_shards',
      metric: 'svc_scatter_gather_shards_total',
    },
    /** Sum of the page's histogram `scatter`. */
    {
      ...MAIN_COUNTER,
      counter: 'scatterUs',
      unit: 'us',
      info: 'scatter_gather_usec',
      infoAs: 'whole-us',
    },
  ],
  barriers: [
    {
      ...MAIN_COUNTER,
      counter: 'barriers',
      help: 'Transactions for which all shards stopped.',
      info: 'barriers',
      metric: 'svc_transaction_barriers_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'barrierUs',
      unit: 'us',
      help: 'Time for which all shards stopped for transactions, from the first command to the end of the last.',
      info: 'barriers_usec',
      infoAs: 'whole-us',
      metric: 'svc_transaction_barrier_seconds_total',
    },
  ],
  lending: [
    {
      ...SHARD_COUNTER,
      counter: 'lends',
      help: 'Key loans from one shard to another for commands over several shards.',
      info: 'lent_commands',
      metric: 'svc_shard_lends_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'deferred',
      help: 'Commands that waited for a lent key.',
      info: 'deferred_commands',
      metric: 'svc_shard_deferred_commands_total',
    },
  ],
  /** Waits for full rings, on either side. */
  stalls: [
    {
      ...MAIN_COUNTER,
      counter: 'readStalls',
      help: 'Pauses of reading because of a full ring.',
      info: 'full_ring_stalls',
      metric: 'svc_read_stalls_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'waitsForRoom',
      perShard: true,
      help: 'Waits of a shard for room for its replies.',
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
      help: 'Queue times that were negative because of clock differences between threads, counted as 0.',
      metric: 'svc_shard_queue_wait_clamped_total',
    },
  ],
  /** Sums of times, for percentages and means. */
  state: [
    { ...SHARD_COUNTER, counter: 'queueUs', unit: 'us' },
    { ...SHARD_COUNTER, counter: 'executeTicks' },
    { ...MAIN_COUNTER, counter: 'replyUs', unit: 'us' },
    { ...MAIN_COUNTER, counter: 'replies' },
    /** Lowest id of an entry of each log that counts: a reset drops earlier ones. */
    { ...MAIN_GAUGE, counter: 'slowFirstId' },
    { ...MAIN_GAUGE, counter: 'largeRequestFirstId' },
    { ...MAIN_GAUGE, counter: 'largeReplyFirstId' },
    /** Generation of the latency bands counted on this page: the number of resets before. */
    { counter: 'bandsGeneration', by: 'all', kind: 'gauge' },
  ],
  /** Traced requests, and dropped traces. */
  traces: [
    {
      ...MAIN_TOTAL,
      counter: 'tracesSampled',
      help: 'Requests sampled for tracing.',
      metric: 'svc_traces_sampled_total',
    },
    { ...MAIN_TOTAL, counter: 'tracesDropped' },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
