/** Lines of INFO about each thread: pauses and heap. */

import { GC_KINDS, pauseReport } from '#stats';
import type { Line } from './info-lines.ts';
import type { ServerMetrics } from './server-metrics.ts';

/** A line for each thread, with microseconds where a name ends in `us`. */
export function threadLines(metrics: ServerMetrics): Line[] {
  return metrics.threads.map(([name, page]) => {
    const pauses = pauseReport(page);
    const fields: readonly Line[] = [
      ...GC_KINDS.map(({ kind, count }): Line => [`gc_${kind}`, page.get(count)]),
      ['gc_us', Math.round(pauses.collectionUs)],
      ['gc_max_us', Math.round(pauses.collectionUsMax)],
      ['loop_p50_us', pauses.loopUsP50.toFixed(3)],
      ['loop_p99_us', pauses.loopUsP99.toFixed(3)],
      ['loop_max_us', pauses.loopUsMax.toFixed(3)],
      ['heap_used', page.get('heapUsedBytes')],
      ['heap', page.get('heapTotalBytes')],
      ['external', page.get('externalBytes')],
    ];
    return [`thread_${name}`, fields.map(([field, value]) => `${field}=${value}`).join(',')];
  });
}
