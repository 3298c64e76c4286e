/** Metrics of shards, threads and the process. */

import { GC_KINDS, type Counter } from '#stats';
import {
  metric,
  overDatabases,
  perShard,
  perThread,
  threadsOf,
  type MetricDefinition,
} from './definition.ts';

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
  perShard(
    'gauge',
    { name: 'svc_shard_memory_bytes', help: 'Memory of the keys of each shard.', unit: 'bytes' },
    'usedBytes',
  ),
  perShard(
    'counter',
    { name: 'svc_shard_commands_total', help: 'Commands that each shard executed.' },
    'commands',
  ),
  metric(
    'gauge',
    {
      name: 'svc_shard_queue_depth',
      help: 'Frames that wait in the ring of each shard.',
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
      help: 'Bytes that wait in the request ring of each shard.',
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
      help: 'Time that requests waited for their shard.',
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
  perShard(
    'counter',
    {
      name: 'svc_shard_queue_wait_clamped_total',
      help: "Waits of requests for their shard that two threads' clocks made negative, told as 0.",
    },
    'clampedWaits',
  ),
  metric(
    'gauge',
    {
      name: 'svc_shard_executing_seconds',
      help: 'For how long each shard has been in its current command; 0 when in none.',
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
  perShard(
    'counter',
    {
      name: 'svc_shard_ring_waits_total',
      help: 'Times that a shard waited for room for its replies.',
    },
    'waitsForRoom',
  ),
  perShard(
    'counter',
    {
      name: 'svc_shard_expire_seconds_total',
      help: 'Time spent on removing what has expired.',
      unit: 'seconds',
    },
    'expireUs',
    SECONDS_PER_US,
  ),
  perShard(
    'counter',
    {
      name: 'svc_shard_eviction_seconds_total',
      help: 'Time spent on making room.',
      unit: 'seconds',
    },
    'evictionUs',
    SECONDS_PER_US,
  ),
  perShard(
    'counter',
    {
      name: 'svc_shard_defrag_seconds_total',
      help: 'Time spent on moving records out of sparse slabs.',
      unit: 'seconds',
    },
    'defragUs',
    SECONDS_PER_US,
  ),
];

/** A counter of each thread by the kind of garbage collection. */
function perGcKind(
  head: { readonly name: string; readonly help: string; readonly unit?: 'seconds' },
  of: (kind: (typeof GC_KINDS)[number]) => Counter,
  scale = 1,
): MetricDefinition {
  const labelled = { ...head, labels: ['thread', 'kind'] };
  const source = `page of each thread: ${GC_KINDS.map(of).join(', ')}`;
  return metric('counter', labelled, source, (from, samples) => {
    for (const [thread, page] of threadsOf(from)) {
      for (const kind of GC_KINDS) samples.value(page.get(of(kind)) * scale, thread, kind.kind);
    }
  });
}

const threadMetrics: readonly MetricDefinition[] = [
  perThread(
    'counter',
    {
      name: 'svc_thread_busy_seconds_total',
      help: 'Time in which a thread did not wait for work.',
      unit: 'seconds',
    },
    'workedUs',
    SECONDS_PER_US,
  ),
  metric(
    'counter',
    {
      name: 'svc_thread_cpu_seconds_total',
      help: 'Processor time of each thread.',
      unit: 'seconds',
      labels: ['thread', 'mode'],
    },
    'page of each thread: cpuUserUs, cpuSystemUs',
    (source, samples) => {
      for (const [thread, page] of threadsOf(source)) {
        samples.value(page.get('cpuUserUs') * SECONDS_PER_US, thread, 'user');
        samples.value(page.get('cpuSystemUs') * SECONDS_PER_US, thread, 'system');
      }
    },
  ),
  metric(
    'histogram',
    {
      name: 'svc_thread_event_loop_delay_seconds',
      help: 'Delay of the event loop of a thread; of a shard, duration of its rounds.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'page of each thread: histogram of the loop',
    (source, samples) => {
      for (const [thread, page] of threadsOf(source)) {
        samples.histogram(page.loopHistogram, page.get('loopUs') * SECONDS_PER_US, thread);
      }
    },
  ),
  perGcKind(
    { name: 'svc_thread_gc_pauses_total', help: 'Garbage collections of each thread.' },
    ({ count }) => count,
  ),
  perGcKind(
    {
      name: 'svc_thread_gc_pause_seconds_total',
      help: 'Time that garbage collections stopped each thread.',
      unit: 'seconds',
    },
    ({ us }) => us,
    SECONDS_PER_US,
  ),
  perThread(
    'gauge',
    {
      name: 'svc_thread_gc_pause_max_seconds',
      help: 'The longest garbage collection of each thread.',
      unit: 'seconds',
    },
    'gcUsMax',
    SECONDS_PER_US,
  ),
  perThread(
    'gauge',
    {
      name: 'svc_thread_heap_used_bytes',
      help: 'JavaScript heap in use by each thread.',
      unit: 'bytes',
    },
    'heapUsedBytes',
  ),
  perThread(
    'gauge',
    { name: 'svc_thread_heap_bytes', help: 'JavaScript heap of each thread.', unit: 'bytes' },
    'heapTotalBytes',
  ),
  perThread(
    'gauge',
    {
      name: 'svc_thread_external_bytes',
      help: 'Memory outside of the heap that buffers of the heap own.',
      unit: 'bytes',
    },
    'externalBytes',
  ),
  perThread(
    'gauge',
    {
      name: 'svc_thread_clock_error_seconds',
      help: "Bound of how far each thread's clock is from the other threads', as measured at its start.",
      unit: 'seconds',
    },
    'clockErrorUs',
    SECONDS_PER_US,
  ),
  metric(
    'gauge',
    {
      name: 'svc_thread_silence_seconds',
      help: 'Time since the last sign of life of a thread that is not waiting for work.',
      unit: 'seconds',
      labels: ['thread'],
    },
    'page of each thread: heartbeatUs, idleSinceUs',
    (source, samples) => {
      for (const [thread, page] of threadsOf(source)) {
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
      help: 'Always 1; the labels say what is running.',
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
      help: 'Start of the server, in Unix time.',
      unit: 'seconds',
    },
    'main page: startedUs',
    ({ main, nowUs, wallMs }, samples) => {
      samples.value(wallMs / 1_000 - (nowUs - main.get('startedUs')) * SECONDS_PER_US);
    },
  ),
  metric(
    'gauge',
    { name: 'svc_uptime_seconds', help: 'Time since the server was started.', unit: 'seconds' },
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
