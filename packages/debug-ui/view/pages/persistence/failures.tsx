/** Failures of snapshots and logs, with the error of the system. */

import type { JSX } from 'preact';
import type { DiskFailure, Persistence } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { dateTime, NONE, whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

export function Failures({ outcomes }: Pick<Persistence, 'outcomes'>): JSX.Element {
  if (outcomes === null) {
    return <p class="issue warn">The main thread did not reply in time: the list is missing.</p>;
  }
  return (
    <Table
      caption="Failures since the start"
      columns={columns}
      rows={outcomes.failures}
      keyOf={({ what, shard, message }) => `${what} ${shard} ${message}`}
      order={{ column: 'last', isDescending: true }}
      empty="No failures since the start."
    />
  );
}

const columns: readonly Column<DiskFailure>[] = [
  {
    name: 'last',
    title: 'Last',
    isNumber: true,
    value: (failure) => failure.last_time_ms,
    show: (failure) => dateTime(failure.last_time_ms),
  },
  {
    name: 'what',
    title: 'What',
    value: ({ what, shard }) => `${what} ${shard ?? ''}`,
    show: ({ what, shard }) => (shard === null ? what : `${what} of shard ${shard}`),
  },
  {
    name: 'error',
    title: 'Error',
    value: ({ code }) => code,
    show: ({ code, errno }) => (code === null ? NONE : <code>{`${code} (${errno})`}</code>),
  },
  {
    name: 'message',
    title: 'Message',
    isWide: true,
    show: ({ message }) => <span class="mono">{visible(message)}</span>,
  },
  {
    name: 'count',
    title: 'Times',
    isNumber: true,
    value: ({ count }) => count,
    show: ({ count }) => whole(count),
  },
  {
    name: 'first',
    title: 'First',
    isNumber: true,
    value: (failure) => failure.first_time_ms,
    show: (failure) => dateTime(failure.first_time_ms),
  },
];
