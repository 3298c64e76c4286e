/** Charts of the history: throughput, latency, threads, memory, removed keys, clients, network, lag. */

import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import type { EventEntry, Past } from '../../../model/api.ts';
import { bytes, count, micros, percent, whole } from '../../../model/format.ts';
import type { Columns } from '../../../model/history.ts';
import { columnsFor, marksOf } from '../../../model/past/past.ts';
import { Chart, type ChartProps, type Line } from '../../chart.tsx';

type Shape = Omit<ChartProps, 'data' | 'lines'>;

interface Sketch extends Shape {
  readonly lines: readonly (Line & { readonly series: string })[];
}

const COLOURS = ['c1', 'c2', 'c3', 'c4'];

/** A chart of series with their labels, in the order of the colours. */
function sketch(
  shape: Shape,
  ...lines: readonly (readonly [series: string, label: string])[]
): Sketch {
  return {
    ...shape,
    lines: lines.map(([series, label], nth) => ({ series, label, colour: COLOURS[nth] ?? 'c4' })),
  };
}

const latency = { format: micros, isLog: true };
const size = { format: bytes, isBinary: true, least: 1_024 };

const SKETCHES: readonly Sketch[] = [
  sketch(
    { title: 'Operations per second', format: count, least: 10 },
    ['ops', 'ops'],
    ['errors', 'errors'],
  ),
  sketch(
    { title: 'Execution time', ...latency },
    ['execute_p50_us', 'p50'],
    ['execute_p99_us', 'p99'],
    ['execute_p999_us', 'p99.9'],
    ['execute_max_us', 'max'],
  ),
  sketch(
    { title: 'Queue time', ...latency },
    ['queue_p50_us', 'p50'],
    ['queue_p99_us', 'p99'],
    ['queue_max_us', 'max'],
  ),
  sketch({ title: 'Memory', ...size }, ['used_bytes', 'used'], ['rss_bytes', 'resident']),
  sketch(
    { title: 'Removed keys per second', format: count, least: 10 },
    ['evicted', 'evicted'],
    ['expired', 'expired'],
  ),
  sketch(
    { title: 'Look-ups per second', format: count, least: 10 },
    ['hits', 'hits'],
    ['misses', 'misses'],
  ),
  sketch(
    { title: 'Clients', format: whole, least: 5 },
    ['connected_clients', 'connected'],
    ['blocked_clients', 'blocked'],
  ),
  sketch({ title: 'Network per second', ...size }, ['bytes_in', 'in'], ['bytes_out', 'out']),
  sketch({ title: 'Output buffers', ...size }, ['output_bytes', 'waiting']),
  sketch({ title: 'Oldest write not on disk', ...latency }, ['sync_lag_us', 'age']),
  sketch(
    { title: 'Replication lag', ...latency },
    ['replica_lag_us', 'slowest replica'],
    ['primary_lag_us', 'behind the primary'],
  ),
];

/** Series of all threads together that the page requests. */
export const SERIES: readonly string[] = [
  ...SKETCHES.flatMap(({ lines }) => lines.map(({ series }) => series)),
  ...['health', 'limited_by'],
];

/** Series of each thread that the page requests. */
export const THREAD_SERIES = ['worked_us'];

/** Microseconds of work in a second, as a percentage. */
const PERCENT_OF_US = 1 / 10_000;

interface PastChartsProps {
  readonly past: Past;
  readonly threads: Past;
  readonly before: Past | null;
  /** Words for the time that is compared with. */
  readonly compare: string;
  readonly events: readonly EventEntry[];
  readonly zoom: (fromMs: number, toMs: number) => void;
}

export function PastCharts(props: PastChartsProps): JSX.Element {
  const { past, threads, before, compare, events, zoom } = props;
  const marks = useMemo(() => marksOf(events), [events]);
  const data = useMemo(
    () =>
      SKETCHES.map(({ lines }) =>
        columnsFor(
          past,
          before,
          lines.map(({ series }) => [series, null]),
        ),
      ),
    [past, before],
  );
  const span = [past.from_time_ms / 1_000, past.to_time_ms / 1_000] as const;
  const shared = { group: 'history', marks, zoom, span };
  const compared: readonly Line[] = before === null ? [] : [{ label: compare, colour: 'faint' }];
  return (
    <div class="grid">
      {SKETCHES.slice(0, 1).map((first) => (
        <Chart
          key={first.title}
          {...first}
          {...shared}
          lines={[...first.lines, ...compared]}
          data={data[0]!}
        />
      ))}
      <ThreadChart threads={threads} {...shared} />
      {SKETCHES.slice(1).map((each, nth) => (
        <Chart
          key={each.title}
          {...each}
          {...shared}
          lines={[...each.lines, ...compared]}
          data={data[nth + 1]!}
        />
      ))}
    </div>
  );
}

type SharedProps = Pick<ChartProps, 'group' | 'marks' | 'zoom' | 'span'>;

function ThreadChart({
  threads,
  ...shared
}: SharedProps & { readonly threads: Past }): JSX.Element {
  const names = threads.series
    .filter(({ name }) => name === 'worked_us')
    .map(({ thread }) => thread ?? '');
  const key = names.join('|');
  const data = useMemo(() => {
    const series = names.map((thread) => ['worked_us', thread] as const);
    const [times, ...columns] = columnsFor(threads, null, series, PERCENT_OF_US);
    // The account of a thread may be some milliseconds late, and has them in the next step.
    const busy = columns.map((column) =>
      column.map((value) => (value === null ? null : Math.min(100, value))),
    );
    return [times, ...busy] as Columns;
  }, [threads, key]);
  const lines = names.map((label, nth) => ({ label, colour: COLOURS[nth % COLOURS.length]! }));
  return (
    <Chart
      title="Busy threads"
      format={percent}
      least={100}
      {...shared}
      lines={lines}
      data={data}
    />
  );
}
