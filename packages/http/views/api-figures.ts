/** Figures of the debug API that are worked out from the pages. */

import {
  bandCounts,
  bandLabels,
  Bands,
  calledCommands,
  greatestUs,
  HISTOGRAM_BUCKETS,
  mergeExecutions,
  pauseReport,
  percentileUs,
  type ShardContent,
} from '#stats';
import type {
  CommandReport,
  ShardStatsDocument,
  ShardStatus,
  ThreadReport,
  TraceDocument,
  TraceReport,
} from '#api-types';
import type { Observer } from '#observer';
import type { HttpLiveSettings } from './settings.ts';

/** Returns the latency of each command that was called; those called most first. */
export function commandReports(observer: Observer): CommandReport[] {
  const { main, shards, commandNames } = observer;
  const percentiles = new CommandPercentiles(observer);
  return calledCommands(commandNames, [main, ...shards]).map(({ command, id, calls }) => ({
    command,
    calls,
    ...percentiles.of(id),
  }));
}

/** Percentiles of commands over all threads, since the start and of the latest windows. */
export class CommandPercentiles {
  readonly #observer: Observer;
  readonly #counts = new Float64Array(HISTOGRAM_BUCKETS);

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Returns the percentiles of a command by its id; zeros where it was not called. */
  of(id: number): Omit<CommandReport, 'command' | 'calls'> {
    const { main, shards } = this.#observer;
    const counts = this.#counts;
    mergeExecutions([main, ...shards], id, counts);
    const at = (fraction: number): number => hundredths(percentileUs(counts, fraction));
    return {
      p50_us: at(0.5),
      p99_us: at(0.99),
      p999_us: at(0.999),
      max_us: hundredths(greatestUs(counts)),
      windows: this.#observer.windows(id),
    };
  }
}

/** Returns the report of each thread. A shard's loop delay is the length of its rounds. */
export function threadReports({ threads }: Observer): ThreadReport[] {
  return threads.map(([thread, page]) => {
    const report = pauseReport(page);
    return {
      thread,
      busy_us: Math.round(page.get('workedUs')),
      cpu_us: Math.round(page.get('cpuUserUs') + page.get('cpuSystemUs')),
      heap_used_bytes: page.get('heapUsedBytes'),
      heap_bytes: page.get('heapTotalBytes'),
      collections: report.collections,
      collection_total_us: hundredths(report.collectionUs),
      collection_max_us: hundredths(report.collectionUsMax),
      loop_delay_p50_us: hundredths(report.loopUsP50),
      loop_delay_p99_us: hundredths(report.loopUsP99),
      loop_delay_max_us: hundredths(report.loopUsMax),
    };
  });
}

/** Cumulative counts by label, and all of them; nothing when bands are not counted. */
export function bandReport(
  { main, shards }: Observer,
  { isEnabled, thresholdsMs }: HttpLiveSettings['bands'],
): Record<string, number> {
  if (!isEnabled) return {};
  const bands = new Bands(isEnabled, thresholdsMs);
  const counts = bandCounts(bands, main.get('bandsGeneration'), [main, ...shards]);
  return Object.fromEntries(bandLabels(bands).map((label, index) => [label, counts[index]!]));
}

/** A shard that has not answered is named, and what only it knows is null. */
export function shardStats(
  shards: readonly ShardStatus[],
  contents: readonly (ShardContent | null)[],
): ShardStatsDocument {
  const contentOf = (id: number): ShardContent | null => contents[id] ?? null;
  return {
    shards: shards.map(({ id, executing: _, ...figures }) => ({
      shard_id: id,
      ...figures,
      keys: contentOf(id)?.keys ?? figures.keys,
      hot_keys: contentOf(id)?.hot_keys ?? null,
      warm_keys: contentOf(id)?.warm_keys ?? null,
    })),
    missing_shards: shards.map(({ id }) => id).filter((id) => contentOf(id) === null),
  };
}

export function traceDocument({ trace_id, spans }: TraceReport): TraceDocument {
  return {
    trace_id,
    spans: spans.map(({ start_us: startUs, ...rest }) => ({
      ...rest,
      start_time_ms: startUs / 1_000,
    })),
  };
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
