/** Connected clients. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ClientEntry } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { age, bytes, count, counted, NONE, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { post } from '../browser.ts';
import { usePolled } from '../source.ts';
import { useReadOnlyReason } from '../scope.tsx';
import { Confirm, Done, Filter, Panel, Problem, useDoing } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 2_000;

export function ClientsPage(): JSX.Element {
  const clients = usePolled<{ clients: ClientEntry[] }>('/debug/api/clients', PERIOD_MS);
  const [filter, setFilter] = useState(filterInAddress);
  const [victim, setVictim] = useState<ClientEntry | null>(null);
  const doing = useDoing();
  const reason = useReadOnlyReason();
  const all = clients.data?.clients ?? [];
  const rows = filtered(all, filter, textOf);
  const kill = ({ id, addr }: ClientEntry): void =>
    doing.run(async () => {
      await post('/debug/api/clients/kill', { id });
      await clients.again();
      return `Client #${id} (${addr}) disconnected.`;
    });
  return (
    <Panel
      title={clients.data === null ? 'Clients' : titleOf(rows.length, all.length)}
      source={clients}
      aside={
        <Filter
          label="Filter by address, name, user, library, flags"
          value={filter}
          change={setFilter}
        />
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <Table
        caption="Connected clients"
        columns={[...columns, killColumn(setVictim, reason)]}
        rows={rows}
        keyOf={({ id }) => id}
        order={{ column: 'id', isDescending: false }}
        empty={all.length > 0 ? 'No client matches the filter.' : 'No clients.'}
      />
      {victim !== null && (
        <Confirm
          title={`Disconnect client #${victim.id}?`}
          action="Disconnect"
          confirm={() => kill(victim)}
          close={() => setVictim(null)}
        >
          <p>
            <code>{victim.addr}</code>{' '}
            {victim.name !== '' && <b class="mono">{visible(victim.name)}</b>}
          </p>
          <p>Its connection is closed immediately; its pending commands get no reply.</p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Filter that a link from another page has brought along. */
function filterInAddress(): string {
  return new URLSearchParams(location.hash.split('?')[1]).get('filter') ?? '';
}

function titleOf(shown: number, all: number): string {
  return shown === all ? counted(all, 'client') : `${whole(shown)} of ${counted(all, 'client')}`;
}

function textOf(client: ClientEntry): string {
  const { id, addr, name, user, lib_name: library, lib_ver: version, flags } = client;
  return `#${id} ${addr} ${name} ${user} ${library} ${version} ${flags}`;
}

const columns: readonly Column<ClientEntry>[] = [
  { name: 'id', title: 'Id', isNumber: true, value: ({ id }) => id, show: ({ id }) => `#${id}` },
  {
    name: 'addr',
    title: 'Address',
    value: ({ addr }) => addr,
    show: ({ addr }) => <code>{visible(addr)}</code>,
  },
  {
    name: 'name',
    title: 'Name',
    value: ({ name }) => name,
    isWide: true,
    show: ({ name }) => (name === '' ? NONE : <span class="mono">{visible(name)}</span>),
  },
  { name: 'user', title: 'User', value: ({ user }) => user, show: ({ user }) => visible(user) },
  {
    name: 'library',
    title: 'Library',
    value: (client) => client.lib_name,
    show: ({ lib_name: name, lib_ver: version }) =>
      name === '' && version === '' ? NONE : visible(`${name} ${version}`.trim()),
  },
  {
    name: 'db',
    title: 'Db',
    isNumber: true,
    value: ({ db }) => db,
    show: ({ db }) => db,
  },
  {
    name: 'flags',
    title: 'Flags',
    value: ({ flags }) => flags,
    hint: 'as CLIENT LIST has them',
    show: ({ flags }) => <code>{visible(flags)}</code>,
  },
  {
    name: 'age',
    title: 'Age',
    isNumber: true,
    value: (client) => client.age_secs,
    show: (client) => age(client.age_secs),
  },
  {
    name: 'idle',
    title: 'Idle',
    isNumber: true,
    value: (client) => client.idle_secs,
    show: (client) => age(client.idle_secs),
  },
  {
    name: 'commands',
    title: 'Commands',
    isNumber: true,
    value: (client) => client.commands_total,
    show: (client) => count(client.commands_total),
  },
  {
    name: 'received',
    title: 'Received',
    isNumber: true,
    value: (client) => client.bytes_recv,
    show: (client) => bytes(client.bytes_recv),
  },
  {
    name: 'sent',
    title: 'Sent',
    isNumber: true,
    value: (client) => client.bytes_sent,
    show: (client) => bytes(client.bytes_sent),
  },
  {
    name: 'output',
    title: 'Unsent',
    isNumber: true,
    value: (client) => client.output_buffer_bytes,
    show: (client) => bytes(client.output_buffer_bytes),
    hint: 'replies not yet read by the client',
  },
];

function killColumn(
  choose: (client: ClientEntry) => void,
  reason: string | undefined,
): Column<ClientEntry> {
  return {
    name: 'kill',
    title: '',
    show: (client) => (
      <button
        type="button"
        class="danger small"
        aria-label={`Kill client #${client.id}`}
        disabled={reason !== undefined}
        title={reason}
        onClick={() => choose(client)}
      >
        Kill
      </button>
    ),
  };
}
