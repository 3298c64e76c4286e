/** The threads of the process: how busy they are, their heaps, garbage collection and event-loop delay. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Metric, Pauses } from '../../../model/api.ts';
import { bytes, count, micros, percent } from '../../../model/format.ts';
import { threadRows, type Readings, type ThreadRow } from '../../../model/threads.ts';
import { nowMs } from '../../browser.ts';
import { usePolled } from '../../live.ts';
import { Bar, Panel, Problem } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 5_000;

export function Threads(): JSX.Element {
  const { data, problem } = usePolled<{ metrics: Metric[] }>('/debug/api/metrics', PERIOD_MS);
  const pauses = usePolled<{ threads: Pauses[] }>('/debug/api/pauses', PERIOD_MS);
  const before = useRef<{ metrics: readonly Metric[]; atMs: number } | null>(null);
  const [readings, setReadings] = useState<Omit<Readings, 'pauses'> | null>(null);
  useEffect(() => {
    if (data === null) return;
    const atMs = nowMs();
    const old = before.current;
    const seconds = old === null ? 0 : (atMs - old.atMs) / 1_000;
    setReadings({ now: data.metrics, before: old?.metrics ?? null, seconds });
    before.current = { metrics: data.metrics, atMs };
  }, [data]);
  const all = pauses.data?.threads ?? [];
  const rows = readings === null ? [] : threadRows({ ...readings, pauses: all });
  return (
    <Panel
      title="Threads"
      aside={<span class="faint">shares of the last 5 s; pauses since the start</span>}
    >
      <Problem text={problem} />
      <Table
        caption="Threads"
        columns={columns}
        rows={rows}
        keyOf={({ thread }) => thread}
        empty="Waiting for the server."
      />
    </Panel>
  );
}

const share = (
  name: string,
  title: string,
  of: (row: ThreadRow) => number | null,
): Column<ThreadRow> => ({
  ...{ name, title, value: of, isNumber: true },
  show: (row) => (
    <span class="metered">
      <Bar percent={of(row) ?? 0} /> {percent(of(row))}
    </span>
  ),
});

const pause = (name: string, title: string, of: (pauses: Pauses) => number): Column<ThreadRow> => ({
  ...{ name, title, isNumber: true },
  value: ({ pauses }) => (pauses === null ? null : of(pauses)),
  show: ({ pauses }) => micros(pauses === null ? null : of(pauses)),
});

const columns: readonly Column<ThreadRow>[] = [
  {
    ...{ name: 'thread', title: 'Thread', isWide: true, value: ({ thread }) => thread },
    show: ({ thread }) => <code>{thread}</code>,
  },
  share('busy', 'Busy', (row) => row.busyPercent),
  share('cpu', 'Processor', (row) => row.cpuPercent),
  pause('delay', 'Loop delay p99', ({ loop_delay_p99_us: us }) => us),
  pause('delayMax', 'Loop delay max', ({ loop_delay_max_us: us }) => us),
  {
    ...{ name: 'collections', title: 'GC pauses', isNumber: true },
    value: ({ pauses }) => pauses?.collections,
    show: ({ pauses }) => count(pauses?.collections),
  },
  pause('collected', 'GC time', ({ collection_total_us: us }) => us),
  pause('collection', 'GC max', ({ collection_max_us: us }) => us),
  {
    ...{ name: 'heap', title: 'Heap used', isNumber: true, value: (row) => row.heapUsedBytes },
    show: (row) => bytes(row.heapUsedBytes),
  },
  {
    ...{ name: 'heapTotal', title: 'Heap', isNumber: true, value: (row) => row.heapBytes },
    show: (row) => bytes(row.heapBytes),
  },
];
