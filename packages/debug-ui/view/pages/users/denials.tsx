/** The latest denials, as ACL LOG keeps them. */

import type { JSX } from 'preact';
import type { Denial } from '../../../model/api.ts';
import { visible, visibleKey } from '../../../model/escape.ts';
import { dateTime, whole } from '../../../model/format.ts';
import { Table, type Column } from '../../table.tsx';

interface DenialsProps {
  readonly denials: readonly Denial[];
  /** True when all are of one user. */
  readonly ofOne?: boolean;
}

export function Denials({ denials, ofOne = false }: DenialsProps): JSX.Element {
  const shown = ofOne ? columns.filter(({ name }) => !['user', 'client'].includes(name)) : columns;
  return (
    <Table
      caption={ofOne ? 'Denials of this user' : 'Denials'}
      columns={shown}
      rows={denials}
      keyOf={({ id }) => id}
      order={{ column: 'time', isDescending: true }}
      empty="No denials."
      rowsMax={25}
    />
  );
}

/** Returns the client's address from its CLIENT LIST line. */
function addressOf({ client }: Denial): string {
  return /(?:^| )addr=(\S*)/.exec(client)?.[1] ?? '';
}

const columns: readonly Column<Denial>[] = [
  {
    name: 'time',
    title: 'Last',
    isNumber: true,
    value: (denial) => denial.updated_time_ms,
    show: (denial) => dateTime(denial.updated_time_ms),
  },
  {
    name: 'count',
    title: 'Times',
    isNumber: true,
    value: (denial) => denial.count,
    show: (denial) => whole(denial.count),
  },
  {
    name: 'user',
    title: 'User',
    value: ({ user }) => user,
    show: ({ user }) => <span class="mono">{visible(user)}</span>,
  },
  { name: 'reason', title: 'Reason', value: ({ reason }) => reason, show: ({ reason }) => reason },
  {
    name: 'object',
    title: 'Object',
    isWide: true,
    hint: 'The denied command, key or channel',
    value: ({ object }) => object,
    show: ({ object }) => <span class="mono">{visibleKey(object)}</span>,
  },
  { name: 'context', title: 'In', value: ({ context }) => context, show: ({ context }) => context },
  {
    name: 'client',
    title: 'Client',
    value: addressOf,
    show: (denial) => <span class="mono">{visible(addressOf(denial))}</span>,
  },
];
