/** The latest snapshots since the start. */

import type { JSX } from 'preact';
import type { Persistence, SnapshotReport } from '../../../model/api.ts';
import { bytes, dateTime, micros, whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

export function Snapshots({ outcomes }: Pick<Persistence, 'outcomes'>): JSX.Element {
  if (outcomes === null) {
    return <p class="issue warn">The main thread did not reply in time: the list is missing.</p>;
  }
  return (
    <Table
      caption="Snapshots since the start"
      columns={columns}
      rows={outcomes.snapshots}
      keyOf={({ number }) => number}
      order={{ column: 'number', isDescending: true }}
      empty="No snapshot finished since the start."
    />
  );
}

/** A column of numbers. */
function numbers(
  name: string,
  title: string,
  of: (snapshot: SnapshotReport) => number,
  shown: (value: number) => string,
): Column<SnapshotReport> {
  return { name, title, isNumber: true, value: of, show: (snapshot) => shown(of(snapshot)) };
}

const columns: readonly Column<SnapshotReport>[] = [
  numbers('number', 'Number', ({ number }) => number, String),
  numbers('time', 'Finished', (snapshot) => snapshot.time_ms, dateTime),
  numbers('duration', 'Took', (snapshot) => snapshot.duration_us, micros),
  numbers('keys', 'Keys', ({ keys }) => keys, whole),
  numbers('bytes', 'Size', (snapshot) => snapshot.bytes, bytes),
];
