/** Columns of the table of clients. */

import type { ClientEntry } from '../../../model/api.ts';
import { flagWords, stateOf } from '../../../model/activity/client-words.ts';
import { visible } from '../../../model/escape.ts';
import { age, bytes, count, NONE, rate } from '../../../model/format.ts';
import type { Rates } from '../../rates.ts';
import type { Column } from '../../table.tsx';

interface ColumnOptions {
  readonly rates: Rates;
  /** Reason why no client can be disconnected. */
  readonly reason: string | undefined;
  readonly choose: (id: string) => void;
  readonly kill: (client: ClientEntry) => void;
}

export function clientColumns(options: ColumnOptions): readonly Column<ClientEntry>[] {
  const { rates } = options;
  return [
    idColumn(options),
    ...identity,
    killColumn(options),
    numbers('rate', 'Rate', ({ id }) => rates.get(String(id)), rate),
    ...figures,
  ];
}

function idColumn({ choose }: ColumnOptions): Column<ClientEntry> {
  return {
    name: 'id',
    title: 'Id',
    isNumber: true,
    value: ({ id }) => id,
    show: ({ id }) => (
      <button type="button" class="link" title="All about it" onClick={() => choose(String(id))}>
        #{id}
      </button>
    ),
  };
}

/** A column of numbers. */
function numbers(
  name: string,
  title: string,
  of: (client: ClientEntry) => number | undefined,
  shown: (value: number | undefined) => string,
): Column<ClientEntry> {
  return { name, title, isNumber: true, value: of, show: (client) => shown(of(client)) };
}

const identity: readonly Column<ClientEntry>[] = [
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
    name: 'state',
    title: 'State',
    isWide: true,
    value: stateOf,
    show: (client) => (
      <span title={`last: ${client.last_command ?? 'none'}`}>{stateOf(client)}</span>
    ),
  },
  {
    name: 'flags',
    title: 'Flags',
    value: ({ flags }) => flagWords(flags),
    show: ({ flags }) => <span title={flags}>{flagWords(flags) || NONE}</span>,
  },
];

const figures: readonly Column<ClientEntry>[] = [
  numbers('age', 'Age', (client) => client.age_secs, age),
  numbers('idle', 'Idle', (client) => client.idle_secs, age),
  numbers('commands', 'Commands', (client) => client.commands_total, count),
  numbers('received', 'Received', (client) => client.bytes_recv, bytes),
  numbers('sent', 'Sent', (client) => client.bytes_sent, bytes),
  {
    ...numbers('input', 'Input', (client) => client.query_buffer_bytes, bytes),
    hint: 'received and not yet executed',
  },
  {
    ...numbers('output', 'Unsent', (client) => client.output_buffer_bytes, bytes),
    hint: 'replies not yet read by the client',
  },
  numbers('memory', 'Memory', (client) => client.memory_bytes, bytes),
];

function killColumn({ kill, reason }: ColumnOptions): Column<ClientEntry> {
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
        onClick={() => kill(client)}
      >
        Kill
      </button>
    ),
  };
}
