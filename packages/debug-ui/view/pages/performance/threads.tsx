/** The threads of the process: how busy they are, their heaps, garbage collection and event-loop delay. */

import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ThreadsDocument } from '../../../model/api.ts';
import { bytes, count, micros, percent } from '../../../model/format.ts';
import { threadRows, type ThreadRow } from '../../../model/threads.ts';
import { Bar, Panel } from '../../parts.tsx';
import { usePolled } from '../../source.ts';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 5_000;

export function Threads(): JSX.Element {
  const threads = usePolled<ThreadsDocument>('/debug/api/threads', PERIOD_MS);
  const { data } = threads;
  const shown = useRef<ThreadsDocument | null>(null);
  const before = useRef<ThreadsDocument | null>(null);
  useEffect(() => {
    if (shown.current !== data) before.current = shown.current;
    shown.current = data;
  }, [data]);
  // The shown reading is compared with the previous one.
  const earlier = shown.current === data ? before.current : shown.current;
  return (
    <Panel
      title="Threads"
      source={threads}
      aside={<span class="faint">shares of the last 5 s; pauses since the start</span>}
    >
      <Table
        caption="Threads"
        columns={columns}
        rows={data === null ? [] : threadRows(data, earlier)}
        keyOf={({ thread }) => thread}
      />
    </Panel>
  );
}

const share = (
  name: string,
  title: string,
  of: (row: ThreadRow) => number | null,
): Column<ThreadRow> => ({
  name,
  title,
  value: of,
  isNumber: true,
  show: (row) => (
    <span class="metered">
      <Bar percent={of(row) ?? 0} /> {percent(of(row))}
    </span>
  ),
});

const figure = (
  name: string,
  title: string,
  value: (row: ThreadRow) => number,
  show: (value: number) => string,
): Column<ThreadRow> => ({ name, title, value, isNumber: true, show: (row) => show(value(row)) });

const columns: readonly Column<ThreadRow>[] = [
  {
    name: 'thread',
    title: 'Thread',
    isWide: true,
    value: ({ thread }) => thread,
    show: ({ thread }) => <code>{thread}</code>,
  },
  share('busy', 'Busy', (row) => row.busyPercent),
  share('cpu', 'Processor', (row) => row.cpuPercent),
  figure('delay', 'Loop delay p99', (row) => row.loop_delay_p99_us, micros),
  figure('delayMax', 'Loop delay max', (row) => row.loop_delay_max_us, micros),
  figure('collections', 'GC pauses', (row) => row.collections, count),
  figure('collected', 'GC time', (row) => row.collection_total_us, micros),
  figure('collection', 'GC max', (row) => row.collection_max_us, micros),
  figure('heap', 'Heap used', (row) => row.heap_used_bytes, bytes),
  figure('heapTotal', 'Heap', (row) => row.heap_bytes, bytes),
];
