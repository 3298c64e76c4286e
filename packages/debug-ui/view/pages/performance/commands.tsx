/** Calls and percentiles of every command that was called. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { CommandLatency, Latency } from '../../../model/api.ts';
import { micros, whole } from '../../../model/format.ts';
import { filtered } from '../../../model/sorting.ts';
import { usePolled } from '../../source.ts';
import { Filter, Panel } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;

export function Commands(): JSX.Element {
  const latency = usePolled<Latency>('/debug/api/latency', PERIOD_MS);
  const [filter, setFilter] = useState('');
  const rows = filtered(latency.data?.commands ?? [], filter, ({ command }) => command);
  return (
    <Panel
      title="Commands"
      source={latency}
      aside={
        <>
          <span class="faint">execution, since the start or CONFIG RESETSTAT</span>
          <Filter label="Filter commands" value={filter} change={setFilter} />
        </>
      }
    >
      <Table
        caption="Commands"
        columns={columns}
        rows={rows}
        keyOf={({ command }) => command}
        order={{ column: 'calls', isDescending: true }}
        empty="No commands executed yet."
        rowsMax={25}
      />
    </Panel>
  );
}

const percentile = (
  name: string,
  title: string,
  of: (row: CommandLatency) => number,
): Column<CommandLatency> => ({
  name,
  title,
  value: of,
  isNumber: true,
  show: (row) => micros(of(row)),
});

const columns: readonly Column<CommandLatency>[] = [
  {
    name: 'command',
    title: 'Command',
    isWide: true,
    value: ({ command }) => command,
    show: ({ command }) => <code>{command}</code>,
  },
  {
    name: 'calls',
    title: 'Calls',
    isNumber: true,
    value: ({ calls }) => calls,
    show: ({ calls }) => whole(calls),
  },
  percentile('p50', 'p50', (row) => row.p50_us),
  percentile('p99', 'p99', (row) => row.p99_us),
  percentile('p999', 'p99.9', (row) => row.p999_us),
  percentile('max', 'Max', (row) => row.max_us),
];
