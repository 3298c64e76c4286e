/** Charts of replication over the last minutes: lag, and traffic of the links. */

import type { JSX } from 'preact';
import { bytes, micros } from '../../../model/format.ts';
import { LiveCharts, type Sketch } from '../../live-charts.tsx';
import { useLiveView } from '../../live.ts';
import { Panel } from '../../parts.tsx';

const VIEW = 'with=replication';

const CHARTS: readonly Sketch[] = [
  {
    title: 'Time behind',
    format: micros,
    isLog: true,
    lines: [
      { label: 'slowest replica', colour: 'c1' },
      { label: 'behind the primary', colour: 'c2' },
    ],
    values: [
      ({ replication }) => replication?.replica_lag_us,
      ({ replication }) => replication?.primary_lag_us,
    ],
  },
  {
    title: 'Lag of the slowest replica, in bytes',
    format: bytes,
    isBinary: true,
    least: 1_024,
    lines: [{ label: 'bytes', colour: 'c1', isFilled: true }],
    values: [({ replication }) => replication?.replica_lag_bytes],
  },
  {
    title: 'Bytes per second',
    format: bytes,
    isBinary: true,
    least: 1_024,
    lines: [
      { label: 'stream', colour: 'c1' },
      { label: 'to replicas', colour: 'c2' },
      { label: 'from the primary', colour: 'c3' },
    ],
    values: [
      ({ replication }) => replication?.stream_bytes,
      ({ replication }) => replication?.bytes_out,
      ({ replication }) => replication?.bytes_in,
    ],
  },
];

export function LagCharts(): JSX.Element {
  const live = useLiveView(VIEW);
  const history = live.data?.history;
  return (
    <Panel title="Last five minutes" class="charts" source={live}>
      {history !== undefined && (
        <LiveCharts sketches={CHARTS} history={history} seq={history.since} />
      )}
    </Panel>
  );
}
