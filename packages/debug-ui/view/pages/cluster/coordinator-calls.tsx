/** Calls to the coordinator: how many, how long they took, how many failed. */

import type { JSX } from 'preact';
import type { CoordinatorCall } from '../../../model/api.ts';
import { micros, whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

export function CoordinatorCalls(props: {
  readonly calls: readonly CoordinatorCall[];
}): JSX.Element {
  return (
    <Table
      caption="Calls to the coordinator"
      columns={columns}
      rows={props.calls}
      keyOf={({ call }) => call}
    />
  );
}

const time = (
  name: string,
  title: string,
  of: (call: CoordinatorCall) => number | null,
): Column<CoordinatorCall> => ({
  name,
  title,
  isNumber: true,
  value: (call) => of(call) ?? -1,
  show: (call) => micros(of(call)),
});

const columns: readonly Column<CoordinatorCall>[] = [
  {
    name: 'call',
    title: 'Call',
    value: ({ call }) => call,
    show: ({ call }) => call,
  },
  {
    name: 'calls',
    title: 'Calls',
    isNumber: true,
    value: ({ calls }) => calls,
    show: ({ calls }) => whole(calls),
  },
  {
    name: 'errors',
    title: 'Failed',
    isNumber: true,
    value: ({ errors }) => errors,
    show: ({ errors }) => whole(errors),
  },
  time('avg', 'Average', (call) => call.avg_us),
  time('p50', 'p50', (call) => call.p50_us),
  time('p99', 'p99', (call) => call.p99_us),
  time('max', 'Longest', (call) => call.max_us),
];
