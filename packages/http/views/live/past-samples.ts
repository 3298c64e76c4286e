/** The last minutes before live sampling began, as samples made of the history. */

import type { History } from '#history';
import type { LiveLatency, LiveReplication, LiveTimes, LiveTotals } from '#api-types';
import { tenths, threeDigits } from './live-figures.ts';
import type { KeptSample, KeptShard } from './live-samples.ts';

const STEP_MS = 1_000;
/** Microseconds of work in a second that are a percent. */
const US_PER_PERCENT = 10_000;

/** Series with the name of a total. */
const RATES = [
  ...(['ops', 'errors', 'expired', 'evicted', 'hits', 'misses'] as const),
  ...(['bytes_in', 'bytes_out', 'spills', 'warm_fetches'] as const),
];
const LATENCIES = ['execute', 'queue'].flatMap((phase) =>
  ['p50', 'p99', 'p999', 'max'].map((rank) => `${phase}_${rank}_us`),
);
const OF_MAIN = [
  ...['worked_us', 'connected_clients', 'blocked_clients', 'replicas', 'replica_lag_us'],
  ...['replica_lag_bytes', 'primary_link_up', 'primary_lag_us', 'stream_rate'],
  ...['replication_input_rate', 'replication_output_rate'],
];

/** Values of one second by thread and series; null where nothing was recorded. */
type Second = (thread: string, series: string) => number | null;

interface PastOptions {
  readonly history: History;
  readonly shards: number;
  readonly nowMs: number;
  /** Most samples. */
  readonly count: number;
}

/** Returns samples without their numbers, oldest first; seconds without a record have none. */
export async function pastSamples({
  history,
  shards,
  nowMs,
  count,
}: PastOptions): Promise<Omit<KeptSample, 'seq'>[]> {
  await history.start();
  const toMs = Math.floor(nowMs / STEP_MS) * STEP_MS;
  const fromMs = toMs - count * STEP_MS;
  const names = [...Array(shards).keys()].map((shard) => `shard-${shard}`);
  const wanted: readonly (readonly [thread: string, series: readonly string[]])[] = [
    ['all', [...RATES, 'used_bytes']],
    ['server', ['rss_bytes', ...LATENCIES]],
    ['main', OF_MAIN],
    ...names.map((name) => [name, ['executed_commands', 'worked_us', ...LATENCIES]] as const),
  ];
  const columns = wanted.flatMap(([thread, series]) =>
    history
      .columns(series, thread)
      .map((column) => ({ key: `${thread} ${column.series.name}`, column })),
  );
  const { series } = await history.document({
    range: { fromMs, steps: count, stepMs: STEP_MS },
    columns: columns.map(({ column }) => column),
  });
  const values = new Map(columns.map(({ key }, index) => [key, series[index]!.values]));
  return [...Array(count).keys()]
    .map((step) => ({
      timeMs: fromMs + (step + 1) * STEP_MS,
      second: (thread: string, name: string) => values.get(`${thread} ${name}`)?.[step] ?? null,
    }))
    .filter(({ second }) => second('server', 'rss_bytes') !== null)
    .map(({ timeMs, second }) => ({
      time_ms: timeMs,
      totals: totalsOf(second),
      times: timesOf(second, 'server'),
      shards: names.map((name) => shardOf(second, name)),
      replication: replicationOf(second),
    }));
}

function totalsOf(second: Second): LiveTotals {
  const rates = Object.fromEntries(
    RATES.map((name) => [name, threeDigits(second('all', name) ?? 0)]),
  ) as Record<(typeof RATES)[number], number>;
  return {
    ...rates,
    clients: second('main', 'connected_clients') ?? 0,
    blocked: second('main', 'blocked_clients') ?? 0,
    used_bytes: second('all', 'used_bytes') ?? 0,
    rss_bytes: second('server', 'rss_bytes') ?? 0,
    main_busy_percent: busyPercent(second, 'main'),
  };
}

function shardOf(second: Second, name: string): KeptShard {
  return {
    ops: threeDigits(second(name, 'executed_commands') ?? 0),
    busyPercent: busyPercent(second, name),
    times: timesOf(second, name),
    // The history has no bands.
    bands: [],
  };
}

function busyPercent(second: Second, thread: string): number {
  return tenths(Math.min(100, (second(thread, 'worked_us') ?? 0) / US_PER_PERCENT));
}

function timesOf(second: Second, thread: string): LiveTimes {
  const latency = (phase: string): LiveLatency | null => {
    const at = (rank: string): number | null => second(thread, `${phase}_${rank}_us`);
    const max = at('max');
    if (max === null) return null;
    const digits = (rank: string): number => threeDigits(at(rank) ?? max);
    return {
      p50_us: digits('p50'),
      p99_us: digits('p99'),
      p999_us: digits('p999'),
      max_us: threeDigits(max),
    };
  };
  return { execute: latency('execute'), queue: latency('queue') };
}

function replicationOf(second: Second): LiveReplication {
  const of = (name: string): number => second('main', name) ?? 0;
  const hasReplica = of('replicas') > 0;
  return {
    replica_lag_us: hasReplica ? threeDigits(of('replica_lag_us')) : null,
    primary_lag_us: of('primary_link_up') > 0 ? threeDigits(of('primary_lag_us')) : null,
    replica_lag_bytes: hasReplica ? of('replica_lag_bytes') : null,
    stream_bytes: of('stream_rate'),
    bytes_in: of('replication_input_rate'),
    bytes_out: of('replication_output_rate'),
  };
}
