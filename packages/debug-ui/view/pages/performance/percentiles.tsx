/** Percentiles of execution and queue time, of all shards or of one. */

import { useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LiveLatency, LiveSample } from '../../../model/api.ts';
import { micros } from '../../../model/format.ts';
import { columnsOf, type Columns } from '../../../model/history.ts';
import { Chart, type Line } from '../../chart.tsx';
import { useLive } from '../../live.ts';
import { Panel } from '../../parts.tsx';

const LINES: readonly Line[] = [
  { label: 'p50', colour: 'c1' },
  { label: 'p99', colour: 'c2' },
  { label: 'p99.9', colour: 'c3' },
  { label: 'max', colour: 'c4' },
];

export function Percentiles(): JSX.Element {
  const { history } = useLive();
  const { latest } = history;
  const [shard, setShard] = useState('all');
  const data = useMemo(
    () => ({
      execute: percentiles(history.samples, (sample) => placeOf(sample, shard)?.execute),
      queue: percentiles(history.samples, (sample) => placeOf(sample, shard)?.queue),
    }),
    [latest?.seq, shard],
  );
  const shards = latest?.shards.map((_, index) => String(index)) ?? [];
  return (
    <Panel
      title="Latency, last five minutes"
      class="charts"
      aside={
        <label>
          Shard{' '}
          <select value={shard} onChange={(event) => setShard(event.currentTarget.value)}>
            {['all', ...shards].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      }
    >
      <div class="grid two">
        <Chart
          title="Execution"
          lines={LINES}
          data={data.execute}
          format={micros}
          isLog
          height={170}
        />
        <Chart
          title="Queue, waiting for the shard"
          lines={LINES}
          data={data.queue}
          format={micros}
          isLog
          height={170}
        />
      </div>
    </Panel>
  );
}

interface Place {
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
}

function placeOf(sample: LiveSample, shard: string): Place | undefined {
  return shard === 'all' ? sample : sample.shards[Number(shard)];
}

function percentiles(
  samples: readonly LiveSample[],
  latencyOf: (sample: LiveSample) => LiveLatency | null | undefined,
): Columns {
  return columnsOf(samples, [
    (sample) => latencyOf(sample)?.p50_us,
    (sample) => latencyOf(sample)?.p99_us,
    (sample) => latencyOf(sample)?.p999_us,
    (sample) => latencyOf(sample)?.max_us,
  ]);
}
