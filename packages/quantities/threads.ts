/** Quantities of a thread: signs of life, work, processor time, pauses, heap. */

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
  help: 'Time that garbage collections stopped each thread.',
  metric: 'svc_thread_gc_pause_seconds_total',
} as const;

export const THREAD_QUANTITIES = {
  /** State that only `threads/` and `status/` read. */
  life: [
    /** Monotonic microseconds of the last sign of life. */
    { counter: 'heartbeatUs', by: 'each', kind: 'gauge', unit: 'us' },
    /** Execution under way: command id + 1 (0 = nothing), its start, its client, and its frame. */
    { counter: 'executing', by: 'each', kind: 'gauge' },
    { counter: 'executingSinceUs', by: 'each', kind: 'gauge', unit: 'us' },
    { counter: 'executingClient', by: 'each', kind: 'gauge' },
    { counter: 'executingFrame', by: 'each', kind: 'gauge' },
    /** Since when a script runs (0 = none does). */
    { counter: 'scriptSinceUs', by: 'shards', kind: 'gauge', unit: 'us' },
    /** The client whose bytes main has looked at last (its id), and the command of it (id + 1); 0 for none. */
    { counter: 'workClient', by: 'main', kind: 'gauge' },
    { counter: 'workCommand', by: 'main', kind: 'gauge' },
    { counter: 'startedUs', by: 'each', kind: 'gauge', unit: 'us' },
    { counter: 'turns', by: 'each', kind: 'counter' },
    /** Monotonic microseconds at which a thread told its vitals that has an event loop, idle or not. */
    { counter: 'aliveUs', by: 'each', kind: 'gauge', unit: 'us' },
    /** A number of Phase. */
    { counter: 'phase', by: 'main', kind: 'gauge' },
    /** Since when the thread waits for work (0 = it does not). */
    { counter: 'idleSinceUs', by: 'each', kind: 'gauge', unit: 'us' },
    /** Sum of the page's histogram `loop`. */
    { counter: 'loopUs', by: 'each', kind: 'counter', unit: 'us', resets: true },
  ],
  /** Time of work since the start, as ThreadWork tells it. */
  work: [
    {
      counter: 'workedUs',
      by: 'each',
      kind: 'counter',
      unit: 'us',
      help: 'Time in which a thread did not wait for work.',
      metric: 'svc_thread_busy_seconds_total',
    },
  ],
  /** Processor time of the thread, as the system counts it; 0 where it does not. */
  processor: [
    { ...PROCESSOR, counter: 'cpuUserUs', label: ['mode', 'user'] },
    { ...PROCESSOR, counter: 'cpuSystemUs', label: ['mode', 'system'] },
  ],
  /** Garbage collections by kind, and what they took; the longest of all. */
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
      help: 'The longest garbage collection of each thread.',
      metric: 'svc_thread_gc_pause_max_seconds',
    },
  ],
  heaps: [
    {
      counter: 'heapUsedBytes',
      by: 'each',
      kind: 'gauge',
      unit: 'bytes',
      help: 'JavaScript heap in use by each thread.',
      metric: 'svc_thread_heap_used_bytes',
    },
    {
      counter: 'heapTotalBytes',
      by: 'each',
      kind: 'gauge',
      unit: 'bytes',
      help: 'JavaScript heap of each thread.',
      metric: 'svc_thread_heap_bytes',
    },
    {
      counter: 'externalBytes',
      by: 'each',
      kind: 'gauge',
      unit: 'bytes',
      help: 'Memory outside of the heap that buffers of the heap own.',
      metric: 'svc_thread_external_bytes',
    },
  ],
  /** Work of front threads; 0 for the others. */
  fronts: [
    {
      counter: 'frontConnections',
      by: 'each',
      kind: 'gauge',
      help: 'Client connections whose bytes each front thread moves.',
      metric: 'svc_front_connections',
    },
    {
      counter: 'frontBytesIn',
      by: 'each',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes that each front thread has read from clients.',
      metric: 'svc_front_read_bytes_total',
    },
    {
      counter: 'frontBytesOut',
      by: 'each',
      kind: 'counter',
      unit: 'bytes',
      help: 'Bytes that each front thread has written to clients.',
      metric: 'svc_front_written_bytes_total',
    },
    {
      counter: 'frontHandshakes',
      by: 'each',
      kind: 'counter',
      help: 'Handshakes of TLS that each front thread has completed.',
      metric: 'svc_front_handshakes_total',
    },
  ],
  /** Time from when a front thread has bytes to when main has them, one for all that main gets at a time; by main. */
  frontWait: [{ counter: 'frontWaitUs', by: 'each', kind: 'counter', unit: 'us' }],
  /** Bound of the distance between the thread's clock and those of the others. */
  clocks: [
    {
      counter: 'clockErrorUs',
      by: 'each',
      kind: 'gauge',
      unit: 'us',
      help: "Bound of how far each thread's clock is from the other threads', as measured at its start.",
      metric: 'svc_thread_clock_error_seconds',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
