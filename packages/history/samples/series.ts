/**
 * The table of series: everything that the history keeps, by name. Numbers of the pages have the names of the live samples, or
 * those of their counters in snake case.
 */

import { type Counter, LOG_QUANTITIES, type PageQuantity, QUANTITIES } from '#quantities';
import type { LogFigure } from '#stats';
import type { HistorySeriesReport, HistoryUnit } from '#api-types';

/**
 * Merging of samples into longer ones, and of threads: growth is added up, of a gauge the greatest value remains, flags
 * are united. Percentiles are computed from histograms, not from percentiles; where a query merges samples, the greatest
 * remains.
 */
export type SeriesKind = HistorySeriesReport['kind'];

export interface Series {
  readonly name: string;
  readonly kind: SeriesKind;
  readonly unit: HistoryUnit;
  /** Threads are merged by the greatest value, not by the sum. */
  readonly isGreatest?: boolean;
}

/** A number of a page. */
interface PageSeries extends Series {
  readonly counter: Counter;
}

/** A number of a shard's log. */
interface LogSeries extends Series {
  readonly figure: LogFigure;
}

/** Counters of pages that are moments, numbers of things or notes between threads, and say nothing of the past. */
export const NOT_KEPT: ReadonlySet<Counter> = new Set([
  ...(['heartbeatUs', 'startedUs', 'aliveUs', 'idleSinceUs', 'workClient', 'workCommand'] as const),
  ...(['executing', 'executingSinceUs', 'executingClient', 'executingFrame'] as const),
  ...([
    'scriptSinceUs',
    'slowFirstId',
    'largeRequestFirstId',
    'largeReplyFirstId',
    'bandsGeneration',
    'keySizesUs',
    'keySizesChanges',
  ] as const),
  ...(['prefixesId', 'prefixesWalkedId', 'savingSinceMs', 'lastSaveMs', 'logCountAtBase'] as const),
  ...([
    'changesAtSave',
    'primaryLinkDownSinceMs',
    'primaryStreamFaultMs',
    'shutdownUntilMs',
  ] as const),
  ...(['clusterLeaseRenewedUs', 'clusterLeaseUntilUs', 'clusterCoordinatorDownSinceMs'] as const),
  ...(['clockErrorUs', 'phase'] as const),
]);

/** Figures of logs that are moments or numbers of things. */
const LOG_NOT_KEPT: ReadonlySet<string> = new Set(['unsyncedSinceUs', 'segment', 'syncUsLast']);

type Thread = 'main' | 'shards' | 'front' | 'ops';

/** Numbers of the pages that a thread of that kind writes. */
export function pageSeries(thread: Thread): readonly PageSeries[] {
  const rows = QUANTITIES.filter((row) => isWrittenBy(row, thread) && !NOT_KEPT.has(row.counter));
  return [...new Map(rows.map((row) => [row.counter, seriesOf(row)])).values()];
}

function isWrittenBy({ by, counter }: PageQuantity, thread: Thread): boolean {
  if (by === 'each') return !counter.startsWith('front') || thread === 'front';
  return by === thread || (by === 'all' && (thread === 'main' || thread === 'shards'));
}

function seriesOf(row: PageQuantity): PageSeries {
  const { counter, kind, unit, live, over } = row;
  return {
    counter,
    name: live ?? snake(counter),
    kind: kind === 'counter' ? 'growth' : 'gauge',
    unit: unit ?? 'count',
    isGreatest: over === 'greatest' || (kind === 'gauge' && unit === 'us'),
  };
}

/** Numbers of a shard's log. */
export const LOG_SERIES: readonly LogSeries[] = Object.values(LOG_QUANTITIES)
  .flat()
  .filter(({ figure }) => !LOG_NOT_KEPT.has(figure))
  .map((row) => ({
    figure: row.figure,
    name: `log_${snake(row.figure)}`,
    kind: row.kind === 'counter' ? 'growth' : 'gauge',
    unit: 'unit' in row ? row.unit : 'count',
    isGreatest: row.figure === 'syncUsMax',
  }));

/** Numbers of a shard that are computed: executed commands, keys of all databases, its queue, the age of its oldest write not yet on disk. */
export const SHARD_SERIES = [
  // Named `ops` for main, which counts every command: all threads together must not count twice.
  { name: 'executed_commands', kind: 'growth', unit: 'count' },
  { name: 'keys', kind: 'gauge', unit: 'count' },
  { name: 'expires', kind: 'gauge', unit: 'count' },
  { name: 'queue_depth', kind: 'gauge', unit: 'count' },
  { name: 'queue_bytes', kind: 'gauge', unit: 'bytes' },
  { name: 'sync_lag_us', kind: 'gauge', unit: 'us', isGreatest: true },
] as const satisfies readonly Series[];

/** Numbers of the whole server. */
export const SERVER_SERIES = [
  { name: 'rss_bytes', kind: 'gauge', unit: 'bytes' },
  { name: 'snapshot_age_seconds', kind: 'gauge', unit: 'seconds' },
  { name: 'health', kind: 'gauge', unit: 'level' },
  { name: 'limited_by', kind: 'flags', unit: 'causes' },
] as const satisfies readonly Series[];

/** Numbers of a command, over all threads. */
export const COMMAND_SERIES = [
  { name: 'calls', kind: 'growth', unit: 'count' },
  { name: 'time_us', kind: 'growth', unit: 'us' },
  { name: 'failed', kind: 'growth', unit: 'count' },
  { name: 'rejected', kind: 'growth', unit: 'count' },
] as const satisfies readonly Series[];

/** Numbers of error replies with one code, over all threads. */
export const ERROR_SERIES = [
  { name: 'replies', kind: 'growth', unit: 'count' },
] as const satisfies readonly Series[];

/** Percentiles of a histogram, in the order in which they are computed. */
export function percentileSeries(phase: string): Series[] {
  return ['p50', 'p99', 'p999', 'max'].map((rank) => ({
    name: `${phase}_${rank}_us`,
    kind: 'percentile',
    unit: 'us',
    isGreatest: true,
  }));
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
