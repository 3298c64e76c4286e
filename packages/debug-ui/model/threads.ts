/** What the metrics say of each thread, as one row. */

import type { Metric, MetricSample } from './api.ts';

export interface ThreadRow {
  readonly thread: string;
  readonly busyPercent: number | null;
  readonly cpuPercent: number | null;
  readonly heapUsedBytes: number | null;
  readonly heapBytes: number | null;
  /** Since the start. */
  readonly collections: number | null;
  readonly collectionMeanUs: number | null;
  /** Share of the time between two readings that went to collecting garbage. */
  readonly collectionPercent: number | null;
  /** How late the event loop came to its timers. */
  readonly delayP99Us: number | null;
}

/** Two readings of the metrics, and the seconds between them. */
export interface Readings {
  readonly now: readonly Metric[];
  readonly before: readonly Metric[] | null;
  readonly seconds: number;
}

export function threadRows({ now, before, seconds }: Readings): ThreadRow[] {
  const busy = now.find(({ name }) => name === 'svc_thread_busy_seconds_total');
  return (busy?.samples ?? []).map(({ labels }) => {
    const thread = labels['thread'] ?? '';
    const grown = (name: string, field: 'value' | 'sum'): number | null => {
      const value = total(now, name, thread, field);
      const old = before === null ? null : total(before, name, thread, field);
      if (value === null || old === null || seconds <= 0) return null;
      return Math.min(100, (100 * Math.max(0, value - old)) / seconds);
    };
    const collections = total(now, GC, thread, 'count');
    const collecting = total(now, GC, thread, 'sum');
    return {
      thread,
      busyPercent: grown('svc_thread_busy_seconds_total', 'value'),
      cpuPercent: grown('svc_thread_cpu_seconds_total', 'value'),
      heapUsedBytes: total(now, 'svc_thread_heap_used_bytes', thread, 'value'),
      heapBytes: total(now, 'svc_thread_heap_bytes', thread, 'value'),
      collections,
      collectionMeanUs: collections ? ((collecting ?? 0) / collections) * 1e6 : null,
      collectionPercent: grown(GC, 'sum'),
      delayP99Us: delayOf(now, thread),
    };
  });
}

const GC = 'svc_thread_gc_pause_seconds';
const LOOP_DELAY = 'svc_thread_event_loop_delay_seconds';

function samplesOf(metrics: readonly Metric[], name: string, thread: string): MetricSample[] {
  const metric = metrics.find((each) => each.name === name);
  return (metric?.samples ?? []).filter(({ labels }) => labels['thread'] === thread);
}

/** The sum over all other labels; null where the thread has no such metric. */
function total(
  metrics: readonly Metric[],
  name: string,
  thread: string,
  field: 'value' | 'count' | 'sum',
): number | null {
  const samples = samplesOf(metrics, name, thread);
  if (samples.length === 0) return null;
  return samples.reduce((sum, sample) => sum + (sample[field] ?? 0), 0);
}

/** From a gauge by quantile, or from a histogram: the upper end of the bucket that holds it. */
function delayOf(metrics: readonly Metric[], thread: string): number | null {
  const samples = samplesOf(metrics, LOOP_DELAY, thread);
  const gauge = samples.find(({ labels }) => labels['quantile'] === '0.99');
  if (gauge?.value !== undefined) return gauge.value * 1e6;
  const buckets = samples[0]?.buckets ?? [];
  const all = buckets.at(-1)?.count ?? 0;
  const bucket = buckets.find(({ count }) => count >= 0.99 * all);
  return all === 0 || bucket === undefined ? null : Number(bucket.le) * 1e6;
}
