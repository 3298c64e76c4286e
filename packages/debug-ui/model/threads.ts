/** Work of each thread between two readings. */

import type { ThreadReport, ThreadsDocument } from './api.ts';

export interface ThreadRow extends ThreadReport {
  /** Null until there are two readings. */
  readonly busyPercent: number | null;
  readonly cpuPercent: number | null;
}

export function threadRows(now: ThreadsDocument, before: ThreadsDocument | null): ThreadRow[] {
  const us = before === null ? 0 : (now.time_ms - before.time_ms) * 1_000;
  return now.threads.map((thread) => {
    const old = before?.threads.find((each) => each.thread === thread.thread);
    const share = (of: 'busy_us' | 'cpu_us'): number | null => {
      if (old === undefined || us <= 0) return null;
      return Math.min(100, (100 * Math.max(0, thread[of] - old[of])) / us);
    };
    return { ...thread, busyPercent: share('busy_us'), cpuPercent: share('cpu_us') };
  });
}
