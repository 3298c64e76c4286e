/** Users: what each does and has done, what a chosen one may do, and who was denied what. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { UserEntry, Users } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { bytes, count, counted, micros, NONE, rate, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { Badge, Filter, Panel } from '../parts.tsx';
import { useRates, type Rates } from '../rates.ts';
import { usePolled, type Polled } from '../source.ts';
import { Table, type Column } from '../table.tsx';
import { Denials } from './users/denials.tsx';
import { UserDetail } from './users/user-detail.tsx';

const PERIOD_MS = 2_000;

export function UsersPage(): JSX.Element {
  const users = usePolled<Users>('/debug/api/users', PERIOD_MS);
  const [chosen, setChosen] = useState<UserEntry | null>(null);
  const latest = users.data?.users.find(({ name }) => name === chosen?.name) ?? chosen;
  const denials = users.data?.denials ?? [];
  return (
    <>
      <div class={latest === null ? '' : 'beside'}>
        <List users={users} chosen={latest} choose={setChosen} />
        {latest !== null && (
          <UserDetail
            key={latest.name}
            user={latest}
            denials={denials.filter(({ user }) => user === latest.name)}
            close={() => setChosen(null)}
          />
        )}
      </div>
      <Panel title="Denied lately" source={users}>
        <Denials denials={denials} />
      </Panel>
    </>
  );
}

interface ListProps {
  readonly users: Polled<Users>;
  readonly chosen: UserEntry | null;
  readonly choose: (user: UserEntry) => void;
}

function List({ users, chosen, choose }: ListProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const rates = useRates(users, commandsByName);
  const { data } = users;
  const all = data?.users ?? [];
  const rows = filtered(all, filter, ({ name, rules }) => `${name} ${rules}`);
  return (
    <Panel
      title={data === null ? 'Users' : `${whole(rows.length)} of ${counted(data.defined, 'user')}`}
      source={users}
      aside={<Filter label="Filter users" value={filter} change={setFilter} />}
    >
      <Table
        caption="Users"
        columns={[nameColumn(choose, chosen), ...columnsWith(rates)]}
        rows={rows}
        keyOf={({ name }) => name}
        order={{ column: 'commands', isDescending: true }}
        empty={all.length > 0 ? 'No user matches.' : 'No users.'}
        rowsMax={50}
      />
      {data !== null && data.others !== null && <Others others={data.others} />}
    </Panel>
  );
}

function Others({ others }: { readonly others: NonNullable<Users['others']> }): JSX.Element {
  return (
    <p class="prose">
      All other users together, including removed ones: {counted(others.connections, 'connection')},{' '}
      {counted(others.commands, 'command')}, {counted(others.errors, 'error')},{' '}
      {bytes(others.bytes_in)} in and {bytes(others.bytes_out)} out.
    </p>
  );
}

/** Commands of the users that have counts of their own. */
function commandsByName({ users }: Users): ReadonlyMap<string, number> {
  return new Map(
    users.flatMap(({ name, commands }) => (commands === null ? [] : [[name, commands]])),
  );
}

function nameColumn(choose: ListProps['choose'], chosen: UserEntry | null): Column<UserEntry> {
  return {
    name: 'name',
    title: 'User',
    isWide: true,
    value: ({ name }) => name,
    show: (user) => (
      <button
        type="button"
        class="link mono"
        title="Its rules, limits and clients"
        aria-pressed={chosen?.name === user.name}
        onClick={() => choose(user)}
      >
        {visible(user.name)}
      </button>
    ),
  };
}

function isOn({ flags }: UserEntry): boolean {
  return flags.includes('on');
}

/** A column of numbers; a user without counts of its own has none. */
function numbers(
  name: string,
  title: string,
  of: (user: UserEntry) => number | null,
  shown: (value: number) => string = count,
): Column<UserEntry> {
  return {
    name,
    title,
    isNumber: true,
    value: (user) => of(user),
    show: (user) => {
      const value = of(user);
      return value === null ? NONE : shown(value);
    },
  };
}

function sumOf(parts: Readonly<Record<string, number>> | null): number | null {
  return parts === null ? null : Object.values(parts).reduce((sum, each) => sum + each, 0);
}

function columnsWith(rates: Rates): readonly Column<UserEntry>[] {
  return [
    {
      name: 'on',
      title: 'State',
      value: (user) => Number(isOn(user)),
      show: (user) => (
        <Badge tone={isOn(user) ? 'good' : 'plain'} text={isOn(user) ? 'on' : 'off'} />
      ),
    },
    numbers('connections', 'Connections', ({ connections }) => connections, whole),
    numbers('commands', 'Commands', ({ commands }) => commands),
    numbers('rate', 'Per second', ({ name }) => rates.get(name) ?? null, rate),
    numbers('time', 'Time', (user) => user.time_us, micros),
    numbers('errors', 'Errors', ({ errors }) => errors),
    {
      ...numbers('denied', 'Denied', ({ denied }) => sumOf(denied)),
      hint: 'Failed logins, and commands, keys and channels that the user may not use',
    },
    {
      ...numbers('limited', 'Limited', ({ limited }) => sumOf(limited)),
      hint: 'Commands refused by a rate limit',
    },
    numbers('in', 'Received', (user) => user.bytes_in, bytes),
    numbers('out', 'Sent', (user) => user.bytes_out, bytes),
  ];
}
