/** Connected clients: what each does, takes and has done; groups of them; and those that are to be disconnected. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ClientEntry } from '../../model/api.ts';
import { groupOf, GROUPINGS, stateOf, type Grouping } from '../../model/activity/client-words.ts';
import { counted, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { useParameter } from '../address.ts';
import { Done, Filter, Panel, Problem, useDoing } from '../parts.tsx';
import { useRates, type Rates } from '../rates.ts';
import { ActionButton, useReadOnlyReason } from '../scope.tsx';
import { usePolled, type Polled } from '../source.ts';
import { Table } from '../table.tsx';
import { ClientDetail } from './clients/client-detail.tsx';
import { clientColumns } from './clients/columns.tsx';
import { ClientGroups } from './clients/groups.tsx';
import { ConfirmKill, killClients } from './clients/kill.tsx';

const PERIOD_MS = 2_000;

type Clients = Polled<{ clients: ClientEntry[] }>;

export function ClientsPage(): JSX.Element {
  const clients: Clients = usePolled('/debug/api/clients', PERIOD_MS);
  const rates = useRates(clients, commandsById);
  const [id, choose] = useParameter('id');
  const all = clients.data?.clients ?? [];
  const chosen = all.find((client) => String(client.id) === id);
  return (
    <>
      {id !== null && clients.data !== null && chosen === undefined && (
        <p class="issue">Client #{id} is not connected any more.</p>
      )}
      {chosen !== undefined && (
        <ClientDetail key={chosen.id} client={chosen} rates={rates} close={() => choose(null)} />
      )}
      <List clients={clients} rates={rates} choose={choose} />
    </>
  );
}

function commandsById({ clients }: { clients: ClientEntry[] }): ReadonlyMap<string, number> {
  return new Map(clients.map(({ id, commands_total: commands }) => [String(id), commands]));
}

interface Selection {
  readonly rows: readonly ClientEntry[];
  readonly by: Grouping | null;
  /** Group whose clients are shown; null shows all. */
  readonly group: string | null;
  readonly filter: string;
  readonly setBy: (by: Grouping | null) => void;
  readonly setGroup: (group: string | null) => void;
  readonly setFilter: (filter: string) => void;
}

function useSelection(all: readonly ClientEntry[]): Selection {
  const [linked, setLinked] = useParameter('filter');
  const [by, setBy] = useState<Grouping | null>(null);
  const [group, setGroup] = useState<string | null>(null);
  const filter = linked ?? '';
  const inGroup =
    by === null || group === null ? all : all.filter((client) => groupOf(client, by) === group);
  return {
    rows: filtered(inGroup, filter, textOf),
    by,
    group,
    filter,
    setBy: (next) => {
      setBy(next);
      setGroup(null);
    },
    setGroup,
    setFilter: setLinked,
  };
}

interface ListProps {
  readonly clients: Clients;
  readonly rates: Rates;
  readonly choose: (id: string) => void;
}

function List({ clients, rates, choose }: ListProps): JSX.Element {
  const [victims, setVictims] = useState<readonly ClientEntry[]>([]);
  const doing = useDoing();
  const reason = useReadOnlyReason();
  const all = clients.data?.clients ?? [];
  const selection = useSelection(all);
  const { rows, by, group } = selection;
  const kill = (): void =>
    doing.run(async () => {
      const text = await killClients(victims);
      await clients.again();
      return text;
    });
  return (
    <Panel
      title={clients.data === null ? 'Clients' : titleOf(rows.length, all.length)}
      source={clients}
      aside={
        <Controls
          selection={selection}
          isPart={rows.length > 0 && rows.length < all.length}
          kill={() => setVictims(rows)}
        />
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      {by !== null && (
        <ClientGroups
          clients={all}
          rates={rates}
          by={by}
          chosen={group}
          choose={selection.setGroup}
        />
      )}
      <Table
        caption="Connected clients"
        columns={clientColumns({ rates, reason, choose, kill: (client) => setVictims([client]) })}
        rows={rows}
        keyOf={({ id }) => id}
        order={{ column: 'id', isDescending: false }}
        empty={all.length > 0 ? 'No client matches the filter.' : 'No clients.'}
      />
      {victims.length > 0 && (
        <ConfirmKill victims={victims} confirm={kill} close={() => setVictims([])} />
      )}
    </Panel>
  );
}

interface ControlsProps {
  readonly selection: Selection;
  /** True when some clients are shown, and not all. */
  readonly isPart: boolean;
  readonly kill: () => void;
}

function Controls({ selection, isPart, kill }: ControlsProps): JSX.Element {
  const { by, filter, setBy, setFilter } = selection;
  return (
    <>
      <label>
        Group by{' '}
        <select
          value={by ?? ''}
          onChange={(event) =>
            setBy(GROUPINGS.find((each) => each === event.currentTarget.value) ?? null)
          }
        >
          <option value="">nothing</option>
          {GROUPINGS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <Filter
        label="Filter by address, name, user, library, state"
        value={filter}
        change={setFilter}
      />
      <ActionButton
        type="button"
        class="danger"
        disabled={!isPart}
        title={isPart ? undefined : 'Filter the list, or choose a group, first'}
        onClick={kill}
      >
        Kill the filtered
      </ActionButton>
    </>
  );
}

function titleOf(shown: number, all: number): string {
  return shown === all ? counted(all, 'client') : `${whole(shown)} of ${counted(all, 'client')}`;
}

function textOf(client: ClientEntry): string {
  const { id, addr, name, user, lib_name: library, lib_ver: version, flags } = client;
  const command = `command:${client.last_command ?? ''}`;
  return `#${id} ${addr} ${name} ${user} ${library} ${version} ${flags} ${command} ${stateOf(client)}`;
}
