/** One command: its windows, slow entries, and clients. */

import type { JSX } from 'preact';
import {
  WINDOW_NAMES,
  type ClientEntry,
  type CommandUsage,
  type Slowlog,
  type SlowlogEntry,
} from '../../../model/api.ts';
import { callersOf, isCallOf, type CallerCount } from '../../../model/activity/command-matches.ts';
import { visible, visibleCommand } from '../../../model/escape.ts';
import { counted, dateTime, micros, percent, rate, whole } from '../../../model/format.ts';
import { pageLink } from '../../address.ts';
import { Detail } from '../../detail.tsx';
import { Fact, MissingShards } from '../../parts.tsx';
import { usePolled } from '../../source.ts';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;

interface CommandDetailProps {
  readonly use: CommandUsage;
  readonly close: () => void;
}

export function CommandDetail({ use, close }: CommandDetailProps): JSX.Element {
  const { command, windows } = use;
  const slowlog = usePolled<Slowlog>('/debug/api/slowlog', PERIOD_MS);
  const slow = (slowlog.data?.entries ?? []).filter((entry) =>
    isCallOf(command, [entry.command, ...entry.args]),
  );
  return (
    <Detail title={command} close={close}>
      <dl class="facts">
        <Fact label="Rate" value={rate(use.calls_per_sec)} note={counted(use.calls, 'call')} />
        <Fact label="Shard time" value={percent(use.shard_percent)} />
        <Fact label="Failed" value={whole(use.failed)} note={rate(use.failed_per_sec)} />
        <Fact label="Rejected" value={whole(use.rejected)} note={rate(use.rejected_per_sec)} />
        {WINDOW_NAMES.map((name) => (
          <Fact
            key={name}
            label={`p50 / p99, ${name}`}
            value={windowText(windows[name])}
            note={windows[name] === null ? 'no calls' : counted(windows[name].calls, 'call')}
          />
        ))}
      </dl>
      <h3>Slow entries</h3>
      <MissingShards shards={slowlog.data?.missing_shards} missing="its entries" />
      <Table
        caption={`Slow entries of ${command}`}
        columns={slowColumns}
        rows={slow}
        keyOf={({ id }) => id}
        order={{ column: 'time', isDescending: true }}
        empty="No entry of this command in the slow log."
        rowsMax={10}
      />
      <h3>Clients of slow entries</h3>
      <Table
        caption={`Clients of slow entries of ${command}`}
        columns={callerColumns}
        rows={callersOf(slow)}
        keyOf={({ address, name }) => `${address} ${name}`}
        order={{ column: 'time', isDescending: true }}
        empty="No slow entries, so no clients."
        rowsMax={10}
      />
      <LastCallers command={command} />
    </Detail>
  );
}

function windowText(window: CommandUsage['windows']['now']): string {
  return window === null ? micros(null) : `${micros(window.p50_us)} / ${micros(window.p99_us)}`;
}

/** Number of clients whose last command it was, with a link to them. */
function LastCallers({ command }: { readonly command: string }): JSX.Element | null {
  const clients = usePolled<{ clients: ClientEntry[] }>('/debug/api/clients', PERIOD_MS);
  if (clients.data === null) return null;
  const callers = clients.data.clients.filter(({ last_command: last }) => last === command);
  if (callers.length === 0) {
    return <p class="prose">It is not the last command of any connected client.</p>;
  }
  return (
    <p class="prose">
      Last command of{' '}
      <a href={pageLink('clients', { filter: `command:${command}` })}>
        {counted(callers.length, 'client')}
      </a>
      .
    </p>
  );
}

const slowColumns: readonly Column<SlowlogEntry>[] = [
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    value: ({ timestamp }) => timestamp,
    show: ({ timestamp }) => dateTime(timestamp * 1_000),
  },
  {
    name: 'duration',
    title: 'Execute',
    isNumber: true,
    value: (entry) => entry.duration_us,
    show: (entry) => <b>{micros(entry.duration_us)}</b>,
  },
  {
    name: 'command',
    title: 'Command',
    isWide: true,
    show: ({ command, args }) => <span class="mono">{visibleCommand([command, ...args])}</span>,
  },
];

const callerColumns: readonly Column<CallerCount>[] = [
  {
    name: 'client',
    title: 'Client',
    isWide: true,
    value: ({ address }) => address,
    show: ({ address, name }) => (
      <a class="mono" href={pageLink('clients', { filter: address })}>
        {visible(address)} {name !== '' && <b>{visible(name, 64)}</b>}
      </a>
    ),
  },
  {
    name: 'entries',
    title: 'Entries',
    isNumber: true,
    value: ({ entries }) => entries,
    show: ({ entries }) => whole(entries),
  },
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    value: ({ us }) => us,
    show: ({ us }) => micros(us),
  },
];
