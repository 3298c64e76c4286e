/** The shards beside each other, so that one with more than its share is seen at once. */

import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LiveSample, LiveShards, ShardStatus } from '../../model/api.ts';
import { bytes, count, micros, percent, rate, whole } from '../../model/format.ts';
import { columnsOf, type History } from '../../model/history.ts';
import type { Reading } from '../../model/freshness.ts';
import { SKEW_NOTABLE, skewInWords, skewOf } from '../../model/skew.ts';
import { Chart, type ChartProps } from '../chart.tsx';
import { useParameter } from '../address.ts';
import { useLiveView } from '../live.ts';
import { Bar, Panel } from '../parts.tsx';

interface Measure {
  readonly title: string;
  readonly of: (shard: ShardStatus) => number;
  readonly show: (value: number) => string;
  /** Less than this is not worth comparing. */
  readonly least: number;
}

const MEASURES: readonly Measure[] = [
  { title: 'Operations', of: (shard) => shard.ops_per_sec, show: rate, least: 50 },
  { title: 'Busy', of: (shard) => shard.busy_percent, show: percent, least: 5 },
  { title: 'Keys', of: ({ keys }) => keys, show: whole, least: 100 },
  { title: 'Memory', of: (shard) => shard.memory_bytes, show: bytes, least: 1_048_576 },
  { title: 'Queued requests', of: (shard) => shard.queue_depth, show: whole, least: 20 },
  { title: 'Queued bytes', of: (shard) => shard.queue_bytes, show: bytes, least: 65_536 },
];

const VIEW = 'with=shards,shard-samples';
const COLOURS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];

export function ShardsPage(): JSX.Element {
  const live = useLiveView(VIEW);
  const { shards, history } = live.data ?? {};
  const [marked, mark] = useParameter('shard');
  return (
    <>
      {marked !== null && (
        <p class="issue">
          Shard {marked} is marked.{' '}
          <button type="button" class="small" onClick={() => mark(null)}>
            Remove the mark
          </button>
        </p>
      )}
      <div class="grid">
        {MEASURES.map((measure) => (
          <Spread
            key={measure.title}
            measure={measure}
            shards={shards ?? []}
            source={live}
            marked={marked}
          />
        ))}
      </div>
      <Panel title="Last five minutes" class="charts" source={live}>
        {history !== undefined && <OverTime history={history} seq={history.since} />}
      </Panel>
    </>
  );
}

interface SpreadProps {
  readonly measure: Measure;
  readonly shards: readonly ShardStatus[];
  readonly source: Reading;
  /** Number of the shard that a link has named. */
  readonly marked: string | null;
}

function Spread({ measure, shards, source, marked }: SpreadProps): JSX.Element {
  const { title, of, show, least } = measure;
  const values = shards.map(of);
  const skew = skewOf(values);
  const most = Math.max(...values, 1e-9);
  const isNotable = skew !== null && skew.ratio >= SKEW_NOTABLE && skew.greatest >= least;
  const aside = skew !== null && (
    <span class={isNotable ? 'warn' : 'faint'}>{skewInWords(skew, least)}</span>
  );
  return (
    <Panel title={title} aside={aside} source={source}>
      <ul class="spread">
        {shards.map((shard, index) => (
          <li key={shard.id} aria-current={String(shard.id) === marked ? 'true' : undefined}>
            <span class="faint">shard {shard.id}</span>
            <Bar
              percent={(100 * values[index]!) / most}
              tone={isNotable && index === skew.index ? 'warn' : ''}
            />
            <b>{show(values[index]!)}</b>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type ShardFigure = (shards: LiveShards) => readonly (number | null)[];

const CHARTS: readonly (Omit<ChartProps, 'lines' | 'data'> & { readonly of: ShardFigure })[] = [
  { title: 'Operations per second', of: ({ ops }) => ops, format: count, least: 10 },
  { title: 'Busy', of: (shards) => shards.busy_percent, format: percent, least: 10 },
  {
    title: 'Execution time p99',
    of: (shards) => shards.execute_p99_us,
    format: micros,
    isLog: true,
  },
  { title: 'Queue time p99', of: (shards) => shards.queue_p99_us, format: micros, isLog: true },
];

interface OverTimeProps {
  readonly history: History;
  readonly seq: number;
}

function OverTime({ history, seq }: OverTimeProps): JSX.Element {
  const { latest, samples } = history;
  const ids = Array.from({ length: latest?.shards?.ops.length ?? 0 }, (_, index) => index);
  const lines = ids.map((id) => ({
    label: `shard ${id}`,
    colour: COLOURS[id % COLOURS.length]!,
  }));
  const data = useMemo(
    () =>
      CHARTS.map(({ of }) =>
        columnsOf(
          samples,
          ids.map((id) => valueIn(id, of)),
        ),
      ),
    [history, seq],
  );
  return (
    <div class="grid two">
      {CHARTS.map(({ of: _, ...chart }, index) => (
        <Chart key={chart.title} {...chart} lines={lines} data={data[index]!} />
      ))}
    </div>
  );
}

function valueIn(id: number, of: ShardFigure): (sample: LiveSample) => number | null | undefined {
  return ({ shards }) => (shards === null ? null : of(shards)[id]);
}
