/** Replicas of the server, each with its lag and its buffers. */

import type { JSX } from 'preact';
import type { ReplicaEntry } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { bytes, count, exactTime, micros, NONE } from '../../../model/format.ts';
import { Badge } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

export function Replicas({
  replicas,
}: {
  readonly replicas: readonly ReplicaEntry[];
}): JSX.Element {
  return (
    <Table
      caption="Replicas"
      columns={columns}
      rows={replicas}
      keyOf={({ id }) => id}
      order={{ column: 'lag', isDescending: true }}
      empty="No replicas connected."
    />
  );
}

const columns: readonly Column<ReplicaEntry>[] = [
  {
    name: 'place',
    title: 'Replica',
    isWide: true,
    value: (replica) => replica.addr,
    show: (replica) => (
      <code title={`client #${replica.id} from ${visible(replica.addr)}`}>
        {visible(replica.host)}:{replica.listening_port}
      </code>
    ),
  },
  {
    name: 'state',
    title: 'State',
    value: ({ state }) => state,
    show: (replica) => (
      <span title={`since ${exactTime(replica.state_since_ms)}: ${visible(replica.state_reason)}`}>
        <Badge tone={replica.state === 'online' ? 'good' : 'warn'} text={replica.state} />
      </span>
    ),
  },
  {
    name: 'lag',
    title: 'Behind',
    isNumber: true,
    hint: 'by timestamps in the stream, or by acknowledgements, which come every second',
    value: (replica) => replica.lag_ms,
    show: (replica) => micros(1_000 * replica.lag_ms),
  },
  {
    name: 'bytes',
    title: 'Bytes behind',
    isNumber: true,
    value: (replica) => replica.lag_bytes,
    show: (replica) => bytes(replica.lag_bytes),
  },
  {
    name: 'by',
    title: 'Told by',
    value: (replica) => replica.lag_source,
    show: (replica) => replica.lag_source,
  },
  {
    name: 'age',
    title: 'Acknowledged',
    isNumber: true,
    hint: 'time since its last acknowledgement',
    value: (replica) => replica.ack_age_ms,
    show: (replica) => `${micros(1_000 * replica.ack_age_ms)} ago`,
  },
  {
    name: 'offset',
    title: 'Offset',
    isNumber: true,
    value: ({ offset }) => offset,
    show: ({ offset }) => count(offset),
  },
  {
    name: 'held',
    title: 'Buffered',
    isNumber: true,
    hint: 'bytes not yet sent to it',
    value: (replica) => replica.held_bytes + replica.output_buffer_bytes,
    show: (replica) => bytes(replica.held_bytes + replica.output_buffer_bytes),
  },
  {
    name: 'sent',
    title: 'Sent',
    isNumber: true,
    value: (replica) => replica.sent_bytes,
    show: (replica) => bytes(replica.sent_bytes),
  },
  {
    name: 'sync',
    title: 'Full syncs',
    value: (replica) => replica.sync_reason ?? '',
    show: (replica) => (replica.sync_reason === null ? NONE : <code>{replica.sync_reason}</code>),
  },
];
