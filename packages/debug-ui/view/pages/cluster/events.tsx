/** Events in the cluster as this node has seen them since its start, newest first, each with its reason. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ClusterEvent, ClusterNode } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { exactTime, NONE, whole } from '../../../model/format.ts';
import type { Reading } from '../../../model/freshness.ts';
import { filtered } from '../../../model/sorting.ts';
import { Filter, Panel } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

interface EventsProps {
  readonly events: readonly ClusterEvent[];
  readonly nodes: readonly ClusterNode[];
  readonly source: Reading;
}

export function ClusterEvents({ events, nodes, source }: EventsProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const places = new Map(nodes.map(({ id, host, port }) => [id, `${host}:${port}`]));
  const rows = filtered(
    events,
    filter,
    ({ event, node, before, reason }) => `${event} ${node ?? ''} ${before ?? ''} ${reason}`,
  );
  return (
    <Panel
      title="What happened"
      source={source}
      aside={<Filter label="Filter events" value={filter} change={setFilter} />}
    >
      <Table
        caption="Events of the cluster"
        columns={columnsOf(places)}
        rows={rows}
        keyOf={(event) => JSON.stringify(event)}
        order={{ column: 'time', isDescending: true }}
        empty={events.length > 0 ? 'No event matches.' : 'No events since the start of this node.'}
        rowsMax={30}
      />
    </Panel>
  );
}

function columnsOf(places: ReadonlyMap<string, string>): readonly Column<ClusterEvent>[] {
  const named = (id: string | null): JSX.Element | string =>
    id === null ? NONE : <code title={id}>{visible(places.get(id) ?? id.slice(0, 8))}</code>;
  return [
    {
      name: 'time',
      title: 'Time',
      isNumber: true,
      value: (event) => event.time_ms,
      show: (event) => <span class="time">{exactTime(event.time_ms)}</span>,
    },
    {
      name: 'event',
      title: 'Event',
      value: ({ event }) => event,
      show: ({ event }) => <code>{event}</code>,
    },
    {
      name: 'node',
      title: 'Node',
      value: ({ node }) => node ?? '',
      show: ({ node }) => named(node),
    },
    {
      name: 'before',
      title: 'Primary before',
      value: ({ before }) => before ?? '',
      show: ({ before }) => named(before),
    },
    {
      name: 'reason',
      title: 'Why',
      isWide: true,
      value: ({ reason }) => reason,
      show: ({ reason }) => visible(reason),
    },
    {
      name: 'epoch',
      title: 'Epoch',
      isNumber: true,
      value: ({ epoch }) => epoch,
      show: ({ epoch }) => whole(epoch),
    },
  ];
}
