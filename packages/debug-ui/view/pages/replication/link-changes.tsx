/** Changes of links and of the role, newest first, each with its reason. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LinkChange } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { exactTime, NONE } from '../../../model/format.ts';
import type { Reading } from '../../../model/freshness.ts';
import { filtered } from '../../../model/sorting.ts';
import { Filter, Panel } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

interface LinkChangesProps {
  readonly changes: readonly LinkChange[];
  readonly source: Reading;
}

export function LinkChanges({ changes, source }: LinkChangesProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const rows = filtered(
    changes,
    filter,
    ({ link, peer, state, reason }) => `${link} ${peer ?? ''} ${state} ${reason}`,
  );
  return (
    <Panel
      title="History of replication links"
      source={source}
      aside={<Filter label="Filter changes" value={filter} change={setFilter} />}
    >
      <Table
        caption="Changes of links"
        columns={columns}
        rows={rows}
        keyOf={(change) => JSON.stringify(change)}
        order={{ column: 'time', isDescending: true }}
        empty={changes.length > 0 ? 'No change matches.' : 'No replication links since start.'}
        rowsMax={30}
      />
    </Panel>
  );
}

const LINKS = { server: 'role', primary: 'to the primary', replica: 'to a replica' } as const;

const columns: readonly Column<LinkChange>[] = [
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    value: (change) => change.time_ms,
    show: (change) => <span class="time">{exactTime(change.time_ms)}</span>,
  },
  { name: 'link', title: 'Link', value: ({ link }) => link, show: ({ link }) => LINKS[link] },
  {
    name: 'peer',
    title: 'Other end',
    value: ({ peer }) => peer ?? '',
    show: ({ peer, client }) =>
      peer === null ? (
        NONE
      ) : (
        <code title={client === null ? undefined : `client #${client}`}>{visible(peer)}</code>
      ),
  },
  {
    name: 'state',
    title: 'State',
    value: ({ state }) => state,
    show: ({ state }) => <code>{state}</code>,
  },
  {
    name: 'reason',
    title: 'Why',
    isWide: true,
    value: ({ reason }) => reason,
    show: ({ reason }) => visible(reason),
  },
];
