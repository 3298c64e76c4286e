/** What the metrics say of each thread, as one row. */

import type { Metric, Pauses } from './api.ts';

export interface ThreadRow {
  readonly thread: string;
  readonly busyPercent: number | null;
  readonly cpuPercent: number | null;
  readonly heapUsedBytes: number | null;
  readonly heapBytes: number | null;
  /** Garbage collections and event-loop delay. */
  readonly pauses: Pauses | null;
}

/** Two readings of the metrics, and the seconds between them; and the pauses of each thread. */
export interface Readings {
  readonly now: readonly Metric[];
  readonly before: readonly Metric[] | null;
  readonly seconds: number;
  readonly pauses: readonly Pauses[];
}

export function threadRows({ now, before, seconds, pauses }: Readings): ThreadRow[] {
  const busy = now.find(({ name }) => name === 'svc_thread_busy_seconds_total');
  return (busy?.samples ?? []).map(({ labels }) => {
    const thread = labels['thread'] ?? '';
    const share = (name: string): number | null => {
      const value = total(now, name, thread);
      const old = before === null ? null : total(before, name, thread);
      if (value === null || old === null || seconds <= 0) return null;
      return Math.min(100, (100 * Math.max(0, value - old)) / seconds);
    };
    return {
      thread,
      busyPercent: share('svc_thread_busy_seconds_total'),
      cpuPercent: share('svc_thread_cpu_seconds_total'),
      heapUsedBytes: total(now, 'svc_thread_heap_used_bytes', thread),
      heapBytes: total(now, 'svc_thread_heap_bytes', thread),
      pauses: pauses.find((each) => each.thread === thread) ?? null,
    };
  });
}

/** The sum over all other labels; null where the thread has no such metric. */
function total(metrics: readonly Metric[], name: string, thread: string): number | null {
  const metric = metrics.find((each) => each.name === name);
  const samples = (metric?.samples ?? []).filter(({ labels }) => labels['thread'] === thread);
  if (samples.length === 0) return null;
  return samples.reduce((sum, { value = 0 }) => sum + value, 0);
}
