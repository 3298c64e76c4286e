/** Percentiles of execution and queue time, of all shards or of one. */

import { useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LiveLatency, LiveSample, LiveTimes } from '../../../model/api.ts';
import { micros } from '../../../model/format.ts';
import { columnsOf, type Columns, type History } from '../../../model/history.ts';
import { Chart, type Line } from '../../chart.tsx';
import type { LiveState } from '../../live.ts';
import { Panel } from '../../parts.tsx';
import type { Polled } from '../../source.ts';

const LINES: readonly Line[] = [
  { label: 'p50', colour: 'c1' },
  { label: 'p99', colour: 'c2' },
  { label: 'p99.9', colour: 'c3' },
  { label: 'max', colour: 'c4' },
];

interface PercentilesProps {
  readonly live: Polled<LiveState>;
  /** The number of a shard, or all. */
  readonly shard: string;
  readonly choose: (shard: string) => void;
}

export function Percentiles({ live, shard, choose }: PercentilesProps): JSX.Element {
  const { history, status } = live.data ?? {};
  const shardCount = useRef(0);
  shardCount.current = status?.cluster.num_shards ?? shardCount.current;
  const shards = Array.from({ length: shardCount.current }, (_, id) => String(id));
  return (
    <Panel
      title="Latency, last five minutes"
      class="charts"
      source={live}
      aside={
        <label>
          Shard{' '}
          <select value={shard} onChange={(event) => choose(event.currentTarget.value)}>
            {['all', ...shards].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      }
    >
      {history !== undefined && <Charts history={history} seq={history.since} />}
    </Panel>
  );
}

interface ChartsProps {
  readonly history: History;
  readonly seq: number;
}

function Charts({ history, seq }: ChartsProps): JSX.Element {
  const data = useMemo(
    () => ({
      execute: percentiles(history.samples, ({ execute }) => execute),
      queue: percentiles(history.samples, ({ queue }) => queue),
    }),
    [history, seq],
  );
  const shared = { lines: LINES, format: micros, isLog: true, height: 170 };
  return (
    <div class="grid two">
      <Chart title="Execution" {...shared} data={data.execute} />
      <Chart title="Queue, waiting for the shard" {...shared} data={data.queue} />
    </div>
  );
}

function percentiles(
  samples: readonly LiveSample[],
  latencyOf: (times: LiveTimes) => LiveLatency | null,
): Columns {
  const lineOf = (of: (latency: LiveLatency) => number) => (sample: LiveSample) => {
    const latency = sample.times === null ? null : latencyOf(sample.times);
    return latency === null ? null : of(latency);
  };
  return columnsOf(samples, [
    lineOf((latency) => latency.p50_us),
    lineOf((latency) => latency.p99_us),
    lineOf((latency) => latency.p999_us),
    lineOf((latency) => latency.max_us),
  ]);
}
