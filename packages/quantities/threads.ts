/** Quantities of a thread: signs of life, work, processor time, pauses, heap. */

import { MAIN_GAUGE, SHARD_GAUGE, THREAD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const PROCESSOR = {
  by: 'each',
  kind: 'counter',
  unit: 'us',
  help: 'Processor time of each thread.',
  metric: 'svc_thread_cpu_seconds_total',
} as const;

const COLLECTION = {
  by: 'each',
  kind: 'counter',
  resets: true,
  help: 'Garbage collections of each thread.',
  metric: 'svc_thread_gc_pauses_total',
} as const;

const COLLECTION_TIME = {
  by: 'each',
  kind: 'counter',
  unit: 'us',
  resets: true,
  help: 'Time for which garbage collections stopped each thread.',
  metric: 'svc_thread_gc_pause_seconds_total',
} as const;

export const THREAD_QUANTITIES = {
  /** State that only the observer's `threads/` and `status/` read. */
  life: [
    /** Monotonic microseconds of the last sign of life. */
    { ...THREAD_GAUGE, counter: 'heartbeatUs', unit: 'us' },
    /** Execution under way: command id + 1 (0 = nothing), its start, its client, and its frame. */
    { ...THREAD_GAUGE, counter: 'executing' },
    { ...THREAD_GAUGE, counter: 'executingSinceUs', unit: 'us' },
    { ...THREAD_GAUGE, counter: 'executingClient' },
    { ...THREAD_GAUGE, counter: 'executingFrame' },
    /** Monotonic microseconds of the start of the running script; 0 = none. */
    { ...SHARD_GAUGE, counter: 'scriptSinceUs', unit: 'us' },
    /** Client whose input main processed last (its id), and its command (id + 1); 0 for none. */
    { ...MAIN_GAUGE, counter: 'workClient' },
    { ...MAIN_GAUGE, counter: 'workCommand' },
    /** Id of the thread in the system; 0 where the system gives none. */
    { ...THREAD_GAUGE, counter: 'threadId' },
    /** Line that the running script was at when it was last interrupted; 0 = unknown. */
    { ...SHARD_GAUGE, counter: 'scriptLine' },
    { ...THREAD_GAUGE, counter: 'startedUs', unit: 'us' },
    { counter: 'turns', by: 'each', kind: 'counter' },
    /** Monotonic microseconds at which a thread with an event loop last published its vitals, idle or not. */
    { ...THREAD_GAUGE, counter: 'aliveUs', unit: 'us' },
    /** Number of the enumeration Phase. */
    { ...MAIN_GAUGE, counter: 'phase' },
    /** Monotonic microseconds since which the thread has been idle; 0 while it is busy. */
    { ...THREAD_GAUGE, counter: 'idleSinceUs', unit: 'us' },
    /** Sum of the page's histogram `loop`. */
    { counter: 'loopUs', by: 'each', kind: 'counter', unit: 'us', resets: true },
  ],
  /** Work time since the start, as published by ThreadWork. */
  work: [
    {
      counter: 'workedUs',
      by: 'each',
      kind: 'counter',
      unit: 'us',
      help: 'Time in which each thread was busy.',
      metric: 'svc_thread_busy_seconds_total',
    },
  ],
  /** CPU time of the thread, as counted by the system; 0 if the system does not count it. */
  processor: [
    { ...PROCESSOR, counter: 'cpuUserUs', label: ['mode', 'user'] },
    { ...PROCESSOR, counter: 'cpuSystemUs', label: ['mode', 'system'] },
  ],
  /** Garbage collections by kind with their time, and the longest one. */
  collections: [
    { ...COLLECTION, counter: 'gcMinor', label: ['kind', 'minor'] },
    { ...COLLECTION, counter: 'gcMajor', label: ['kind', 'major'] },
    { ...COLLECTION, counter: 'gcIncremental', label: ['kind', 'incremental'] },
    { ...COLLECTION, counter: 'gcWeak', label: ['kind', 'weakcb'] },
    { ...COLLECTION_TIME, counter: 'gcMinorUs', label: ['kind', 'minor'] },
    { ...COLLECTION_TIME, counter: 'gcMajorUs', label: ['kind', 'major'] },
    { ...COLLECTION_TIME, counter: 'gcIncrementalUs', label: ['kind', 'incremental'] },
    { ...COLLECTION_TIME, counter: 'gcWeakUs', label: ['kind', 'weakcb'] },
    {
      counter: 'gcUsMax',
      by: 'each',
      kind: 'gauge',
      unit: 'us',
      resets: true,
      help: 'Longest garbage collection of each thread.',
      metric: 'svc_thread_gc_pause_max_seconds',
    },
  ],
  heaps: [
    {
      ...THREAD_GAUGE,
      counter: 'heapUsedBytes',
      unit: 'bytes',
      help: 'Used JavaScript heap of each thread.',
      metric: 'svc_thread_heap_used_bytes',
    },
    {
      ...THREAD_GAUGE,
      counter: 'heapTotalBytes',
      unit: 'bytes',
      help: 'Allocated JavaScript heap of each thread.',
      metric: 'svc_thread_heap_bytes',
    },
    {
      ...THREAD_GAUGE,
      counter: 'externalBytes',
      unit: 'bytes',
      help: 'Memory outside of the JavaScript heap that is owned by its buffers.',
      metric: 'svc_thread_external_bytes',
    },
  ],
  /** Work of front threads; 0 for the others. */
  fronts: [
    {
      ...THREAD_GAUGE,
      counter: 'frontConnections',
      help: 'Client connections served by each front thread.',
      metric: 'svc_front_connections',
    },
    {
      counter: 'frontBytesIn',
      by: 'each',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes read from clients by each front thread.',
      metric: 'svc_front_read_bytes_total',
    },
    {
      counter: 'frontBytesOut',
      by: 'each',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes written to clients by each front thread.',
      metric: 'svc_front_written_bytes_total',
    },
    {
      counter: 'frontHandshakes',
      by: 'each',
      kind: 'counter',
      help: 'TLS handshakes completed by each front thread.',
      metric: 'svc_front_handshakes_total',
    },
  ],
  /** Time between the arrival of bytes at a front thread and at main, one value for each delivery; written by main. */
  frontWait: [{ counter: 'frontWaitUs', by: 'each', kind: 'counter', unit: 'us' }],
  /** Upper bound of the difference between the thread's clock and those of the others. */
  clocks: [
    {
      ...THREAD_GAUGE,
      counter: 'clockErrorUs',
      unit: 'us',
      help: 'Upper bound of the clock difference between each thread and the others, measured at its start.',
      metric: 'svc_thread_clock_error_seconds',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
