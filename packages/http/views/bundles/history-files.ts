/** The past in a bundle: all series of three lengths of time, some of each thread, and the events. */

import { EVENT_KINDS } from '#base';
import type { EventsDocument, HistoryDocument } from '#api-types';
import type { History } from '#history';

interface Extent {
  readonly steps: number;
  readonly stepSeconds: number;
}

/** 15 minutes, 6 hours and 14 days. */
export const EXTENTS = {
  'history-15min.json': { steps: 900, stepSeconds: 1 },
  'history-6h.json': { steps: 360, stepSeconds: 60 },
  'history-14d.json': { steps: 336, stepSeconds: 3_600 },
} as const satisfies Record<string, Extent>;

/** Series that are given for each thread. */
const OF_THREADS = [
  ...['worked_us', 'cpu_user_us', 'cpu_system_us', 'loop_p99_us', 'loop_max_us', 'gc_major_us'],
  ...['commands', 'queue_depth', 'execute_p99_us', 'execute_max_us', 'queue_p99_us', 'keys'],
  ...['used_bytes', 'sync_lag_us', 'heap_used_bytes'],
];

/** Returns all series of an extent that ends now; those without any value are left out. */
export async function pastOf(
  history: History,
  wallMs: number,
  { steps, stepSeconds }: Extent,
): Promise<HistoryDocument> {
  const names = history.about().series.map(({ name }) => name);
  const columns = history.columns(names, 'all');
  return withoutEmpty(
    await history.document({ range: rangeOf(wallMs, steps, stepSeconds), columns }),
  );
}

/** Returns the last hour of each thread. */
export async function pastOfThreads(history: History, wallMs: number): Promise<HistoryDocument> {
  const columns = history.columns(OF_THREADS, 'each');
  return withoutEmpty(await history.document({ range: rangeOf(wallMs, 360, 10), columns }));
}

export function allEvents(history: History): EventsDocument {
  const found = history.events.select({
    fromMs: 0,
    toMs: Infinity,
    kinds: new Set(EVENT_KINDS),
    level: 'trace',
    count: Infinity,
  });
  return { events: found.events, total: found.total, kinds: EVENT_KINDS };
}

function rangeOf(wallMs: number, steps: number, stepSeconds: number) {
  const stepMs = 1_000 * stepSeconds;
  const endMs = Math.ceil(wallMs / stepMs) * stepMs;
  return { fromMs: endMs - steps * stepMs, steps, stepMs };
}

/** Most series are zero all the time. */
function withoutEmpty(document: HistoryDocument): HistoryDocument {
  const series = document.series.filter(({ values }) =>
    values.some((value) => value !== null && value !== 0),
  );
  return { ...document, series };
}
