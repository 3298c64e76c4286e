/** Latency of commands now, in the last minute, five minutes, and hour: all together, and each. */

import type { JSX } from 'preact';
import { WINDOW_NAMES, type Latency, type Windows } from '../../../model/api.ts';
import { micros } from '../../../model/format.ts';
import { usePolled } from '../../source.ts';
import { Panel } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 5_000;
/** Spelled in no other way than commands are, which have no capitals. */
const ALL = 'All commands';

interface WindowRow {
  readonly command: string;
  readonly windows: Windows;
}

export function LatencyWindows(): JSX.Element {
  const latency = usePolled<Latency>('/debug/api/latency', PERIOD_MS);
  const { data } = latency;
  const rows: readonly WindowRow[] =
    data === null ? [] : [{ command: ALL, windows: data.windows }, ...data.commands];
  const seen = rows.filter(({ windows }) => WINDOW_NAMES.some((name) => windows[name] !== null));
  return (
    <Panel
      title="Percentiles of the last hour"
      source={latency}
      aside={<span class="faint">p50 / p99 of execution; now is the last ten seconds</span>}
    >
      <Table
        caption="Percentiles of the last hour"
        columns={columns}
        rows={seen}
        keyOf={({ command }) => command}
        empty="No complete period of ten seconds with commands yet."
        rowsMax={15}
      />
    </Panel>
  );
}

const columns: readonly Column<WindowRow>[] = [
  {
    name: 'command',
    title: 'Command',
    isWide: true,
    value: ({ command }) => command,
    show: ({ command }) => (command === ALL ? ALL : <code>{command}</code>),
  },
  ...WINDOW_NAMES.map((name): Column<WindowRow> => ({
    name,
    title: name,
    isNumber: true,
    value: ({ windows }) => windows[name]?.p99_us,
    show: ({ windows }) => {
      const window = windows[name];
      if (window === null) return micros(null);
      return `${micros(window.p50_us)} / ${micros(window.p99_us)}`;
    },
  })),
];
