/** Clients summed by name, library, address or user; a chosen group limits the list. */

import type { JSX } from 'preact';
import type { ClientEntry } from '../../../model/api.ts';
import { groupsOf, type ClientGroup, type Grouping } from '../../../model/activity/client-words.ts';
import { visible } from '../../../model/escape.ts';
import { bytes, rate, whole } from '../../../model/format.ts';
import type { Rates } from '../../rates.ts';
import { Table, type Column } from '../../table.tsx';

interface ClientGroupsProps {
  readonly clients: readonly ClientEntry[];
  readonly rates: Rates;
  readonly by: Grouping;
  readonly chosen: string | null;
  readonly choose: (group: string | null) => void;
}

export function ClientGroups(props: ClientGroupsProps): JSX.Element {
  const { clients, rates, by, chosen, choose } = props;
  const nameColumn: Column<ClientGroup> = {
    name: 'group',
    title: by.charAt(0).toUpperCase() + by.slice(1),
    isWide: true,
    value: ({ group }) => group,
    show: ({ group }) => (
      <button
        type="button"
        class="link mono"
        title={group === chosen ? 'Show all clients' : 'Show only its clients'}
        aria-pressed={group === chosen}
        onClick={() => choose(group === chosen ? null : group)}
      >
        {group === '' ? '(none)' : visible(group, 64)}
      </button>
    ),
  };
  return (
    <Table
      key={by}
      caption={`Clients by ${by}`}
      columns={[nameColumn, ...columns]}
      rows={groupsOf(clients, by, rates)}
      keyOf={({ group }) => group}
      order={{ column: 'clients', isDescending: true }}
      rowsMax={15}
    />
  );
}

/** A column of numbers. */
function numbers(
  name: string,
  title: string,
  of: (group: ClientGroup) => number | null,
  shown: (value: number | null) => string,
): Column<ClientGroup> {
  return { name, title, isNumber: true, value: of, show: (group) => shown(of(group)) };
}

const columns: readonly Column<ClientGroup>[] = [
  numbers('clients', 'Clients', ({ clients }) => clients, whole),
  numbers('rate', 'Rate', (group) => group.rate, rate),
  numbers('blocked', 'Blocked', ({ blocked }) => blocked, whole),
  numbers('memory', 'Memory', ({ memoryBytes }) => memoryBytes, bytes),
  numbers('unsent', 'Unsent', ({ unsentBytes }) => unsentBytes, bytes),
];
