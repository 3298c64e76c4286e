/** Metrics of shards, threads and the process. */

import {
  COMMAND_QUANTITIES,
  KEY_QUANTITIES,
  MEMORY_QUANTITIES,
  THREAD_QUANTITIES,
} from '#quantities';
import { metric, overDatabases, type MetricDefinition } from '../definition.ts';
import { frontMetricsOf, shardMetricsOf, threadMetricsOf } from '../quantities.ts';

const SECONDS_PER_US = 1e-6;

const shardMetrics: readonly MetricDefinition[] = [
  metric(
    'gauge',
    { name: 'svc_shard_keys', help: 'Keys of each shard.', labels: ['shard'] },
    'shard page: databases',
    ({ shards, shape }, samples) => {
      for (const [index, page] of shards.entries()) {
        samples.value(
          overDatabases(shape, (database) => page.keys(database)),
          String(index),
        );
      }
    },
  ),
  ...shardMetricsOf(MEMORY_QUANTITIES.byShard, COMMAND_QUANTITIES.byShard),
  metric(
    'gauge',
    {
      name: 'svc_shard_queue_depth',
      help: 'Frames queued in the ring of each shard.',
      labels: ['shard'],
    },
    "headers of the shards' request rings",
    ({ queues }, samples) => {
      for (const [index, { frames }] of queues.entries()) samples.value(frames, String(index));
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_shard_queue_bytes',
      help: 'Bytes queued in the request ring of each shard.',
      unit: 'bytes',
      labels: ['shard'],
    },
    "headers of the shards' request rings",
    ({ queues }, samples) => {
      for (const [index, { bytes }] of queues.entries()) samples.value(bytes, String(index));
    },
  ),
  metric(
    'histogram',
    {
      name: 'svc_shard_queue_wait_seconds',
      help: 'Time that requests were queued for their shard.',
      unit: 'seconds',
      labels: ['shard'],
    },
    'shard page: histogram of the queue phase',
    ({ shards }, samples) => {
      for (const [index, page] of shards.entries()) {
        samples.histogram(page.queueHistogram, page.get('queueUs') * SECONDS_PER_US, String(index));
      }
    },
  ),
  ...shardMetricsOf(COMMAND_QUANTITIES.clampedWaits),
  metric(
    'gauge',
    {
      name: 'svc_shard_executing_seconds',
      help: 'Time spent by each shard in its current command so far; 0 when idle.',
      unit: 'seconds',
      labels: ['shard'],
    },
    'shard page: executing, executingSinceUs',
    ({ shards, nowUs }, samples) => {
      for (const [index, page] of shards.entries()) {
        const sinceUs = page.get('executing') > 0 ? page.get('executingSinceUs') : nowUs;
        samples.value(Math.max(0, nowUs - sinceUs) * SECONDS_PER_US, String(index));
      }
    },
  ),
  ...shardMetricsOf(
    COMMAND_QUANTITIES.stalls,
    KEY_QUANTITIES.expiry,
    KEY_QUANTITIES.eviction,
    KEY_QUANTITIES.defragmentation,
  ),
];

const threadMetrics: readonly MetricDefinition[] = [
  ...threadMetricsOf(THREAD_QUANTITIES.work, THREAD_QUANTITIES.processor),
  metric(
    'histogram',
    {
      name: 'svc_thread_event_loop_delay_seconds',
      help: 'Event-loop delay of a thread; for a shard, duration of its rounds.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'page of each thread: histogram of the loop',
    (source, samples) => {
      for (const [thread, page] of source.threads) {
        samples.histogram(page.loopHistogram, page.get('loopUs') * SECONDS_PER_US, thread);
      }
    },
  ),
  ...threadMetricsOf(
    THREAD_QUANTITIES.collections,
    THREAD_QUANTITIES.heaps,
    THREAD_QUANTITIES.clocks,
  ),
  ...frontMetricsOf(THREAD_QUANTITIES.fronts),
  metric(
    'histogram',
    {
      name: 'svc_front_wait_seconds',
      help: 'Time that input read by a front thread waited for main: the front phase, before the queue phase.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'page of each front thread: histogram of the front phase',
    ({ fronts }, samples) => {
      for (const [thread, page] of fronts) {
        const sumSeconds = page.get('frontWaitUs') * SECONDS_PER_US;
        samples.histogram(page.queueHistogram, sumSeconds, thread);
      }
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_thread_silence_seconds',
      help: 'Time since the last heartbeat of a busy thread.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'page of each thread: heartbeatUs, idleSinceUs',
    (source, samples) => {
      for (const [thread, page] of source.threads) {
        const isAwake = page.get('idleSinceUs') === 0 && page.get('heartbeatUs') > 0;
        const silentUs = isAwake ? source.nowUs - page.get('heartbeatUs') : 0;
        samples.value(Math.max(0, silentUs) * SECONDS_PER_US, thread);
      }
    },
  ),
];

const processMetrics: readonly MetricDefinition[] = [
  metric(
    'gauge',
    {
      name: 'svc_build_info',
      help: 'Always 1; the labels describe the running version.',
      labels: ['version', 'node_version'],
    },
    'package.json and Node',
    ({ version }, samples) => {
      samples.value(1, version, process.version);
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_start_time_seconds',
      help: 'Unix time of the start of the server.',
      unit: 'seconds',
    },
    'main page: startedUs',
    ({ main, nowUs, wallMs }, samples) => {
      samples.value(wallMs / 1_000 - (nowUs - main.get('startedUs')) * SECONDS_PER_US);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_uptime_seconds', help: 'Uptime of the server.', unit: 'seconds' },
    'main page: startedUs',
    ({ main, nowUs }, samples) => {
      samples.value((nowUs - main.get('startedUs')) * SECONDS_PER_US);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_phase', help: 'Phase of the server: 0 starting, 1 ready, 2 stopping.' },
    'main page: phase',
    ({ main }, samples) => {
      samples.value(main.get('phase'));
    },
  ),
  metric(
    'gauge',
    {
      name: 'svc_process_resident_memory_bytes',
      help: 'Resident memory of the process.',
      unit: 'bytes',
    },
    'the process',
    ({ process: { rssBytes } }, samples) => {
      samples.value(rssBytes);
    },
  ),
  metric(
    'counter',
    {
      name: 'svc_process_cpu_seconds_total',
      help: 'Processor time of the process.',
      unit: 'seconds',
      labels: ['mode'],
    },
    'the process',
    ({ process: { userUs, systemUs } }, samples) => {
      samples.value(userUs * SECONDS_PER_US, 'user');
      samples.value(systemUs * SECONDS_PER_US, 'system');
    },
  ),
];

export { processMetrics, shardMetrics, threadMetrics };
