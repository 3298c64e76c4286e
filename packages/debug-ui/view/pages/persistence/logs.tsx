/** The log of each shard. */

import type { JSX } from 'preact';
import type { LogReport } from '../../../model/api.ts';
import { bytes, micros, whole } from '../../../model/format.ts';
import { pageLink } from '../../address.ts';
import { Table, type Column } from '../../table.tsx';

export function Logs({ logs }: { readonly logs: readonly LogReport[] }): JSX.Element {
  return (
    <Table
      caption="Logs of shards"
      columns={columns}
      rows={logs}
      keyOf={({ shard }) => shard}
      order={{ column: 'shard', isDescending: false }}
      empty="No logs."
    />
  );
}

/** A column of numbers. */
function numbers(
  name: string,
  title: string,
  of: (log: LogReport) => number,
  shown: (value: number) => string,
): Column<LogReport> {
  return { name, title, isNumber: true, value: of, show: (log) => shown(of(log)) };
}

const columns: readonly Column<LogReport>[] = [
  {
    ...numbers('shard', 'Shard', ({ shard }) => shard, String),
    show: ({ shard }) => <a href={pageLink('shards', { shard: String(shard) })}>{shard}</a>,
  },
  numbers('lag', 'Lag', (log) => log.lag_ms * 1_000, micros),
  numbers('pending', 'Pending', (log) => log.pending_bytes, bytes),
  numbers('p50', 'Sync p50', (log) => log.p50_us, micros),
  numbers('p99', 'p99', (log) => log.p99_us, micros),
  numbers('max', 'Max', (log) => log.max_us, micros),
  numbers('syncs', 'Syncs', ({ syncs }) => syncs, whole),
  {
    ...numbers('delayed', 'Delayed', (log) => log.delayed_syncs, whole),
    hint: 'Syncs that became due while another one was running',
  },
  numbers('written', 'Written', (log) => log.written_bytes, bytes),
  numbers('segment', 'Segment', (log) => log.segment_bytes, bytes),
  numbers('errors', 'Errors', (log) => log.write_errors + log.sync_errors, whole),
  {
    ...numbers('lost', 'Lost', (log) => log.lost_records, whole),
    hint: 'Records dropped because the log could not be written',
  },
];
