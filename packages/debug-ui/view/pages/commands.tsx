/** Commands: how often each is called, how much of the threads' time it takes, how it fails, and who calls it. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { CommandsReport, CommandUsage, ErrorCode } from '../../model/api.ts';
import { counted, micros, percent, rate, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { useParameter } from '../address.ts';
import { Bar, Filter, Panel } from '../parts.tsx';
import { usePolled, type Polled } from '../source.ts';
import { Table, type Column } from '../table.tsx';
import { CommandDetail } from './commands/command-detail.tsx';
import { ExecutingTable } from './commands/executing.tsx';

const PERIOD_MS = 2_000;

export function CommandsPage(): JSX.Element {
  const commands = usePolled<CommandsReport>('/debug/api/commands', PERIOD_MS);
  const [name, choose] = useParameter('command');
  const chosen = commands.data?.commands.find(({ command }) => command === name);
  return (
    <>
      <Panel title="Running now" source={commands}>
        <ExecutingTable rows={commands.data?.executing ?? []} />
      </Panel>
      <div class={chosen === undefined ? '' : 'beside'}>
        <List commands={commands} chosen={name} choose={choose} />
        {chosen !== undefined && (
          <CommandDetail key={chosen.command} use={chosen} close={() => choose(null)} />
        )}
      </div>
      <Panel title="Error replies by code" source={commands}>
        <Table
          caption="Error replies by code"
          columns={errorColumns}
          rows={commands.data?.errors ?? []}
          keyOf={({ code }) => code}
          order={{ column: 'count', isDescending: true }}
          empty="No error replies since the start or CONFIG RESETSTAT."
          rowsMax={25}
        />
      </Panel>
    </>
  );
}

interface ListProps {
  readonly commands: Polled<CommandsReport>;
  readonly chosen: string | null;
  readonly choose: (command: string) => void;
}

function List({ commands, chosen, choose }: ListProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const { data } = commands;
  const all = data?.commands ?? [];
  const rows = filtered(all, filter, ({ command }) => command);
  const period = data === null ? '' : `rates and shares of the last ${whole(data.seconds)} s`;
  return (
    <Panel
      title={
        data === null ? 'Commands' : `${whole(rows.length)} of ${counted(all.length, 'command')}`
      }
      source={commands}
      aside={
        <>
          <span class="faint">{period}</span>
          <Filter label="Filter commands" value={filter} change={setFilter} />
        </>
      }
    >
      <Table
        caption="Commands"
        columns={columnsFor(chosen, choose)}
        rows={rows}
        keyOf={({ command }) => command}
        order={{ column: 'share', isDescending: true }}
        empty={all.length > 0 ? 'No command matches.' : 'No commands executed yet.'}
        rowsMax={50}
      />
    </Panel>
  );
}

function columnsFor(
  chosen: string | null,
  choose: ListProps['choose'],
): readonly Column<CommandUsage>[] {
  return [
    {
      name: 'command',
      title: 'Command',
      value: ({ command }) => command,
      show: ({ command }) => (
        <button
          type="button"
          class="link mono"
          title="Its slow entries and clients"
          aria-pressed={chosen === command}
          onClick={() => choose(command)}
        >
          {command}
        </button>
      ),
    },
    ...columns,
  ];
}

/** A column of numbers. */
function numbers(
  name: string,
  title: string,
  of: (use: CommandUsage) => number | null | undefined,
  shown: (value: number | null | undefined) => string,
): Column<CommandUsage> {
  return { name, title, isNumber: true, value: of, show: (use) => shown(of(use)) };
}

const columns: readonly Column<CommandUsage>[] = [
  numbers('rate', 'Rate', (use) => use.calls_per_sec, rate),
  {
    name: 'share',
    title: 'Shard time',
    isNumber: true,
    hint: 'Share of the time of all shards; commands called by scripts count for the script, too',
    value: (use) => use.shard_percent,
    show: (use) => (
      <span class="metered">
        <Bar percent={use.shard_percent} /> {percent(use.shard_percent)}
      </span>
    ),
  },
  {
    ...numbers('main', 'Main time', (use) => use.main_percent, percent),
    hint: 'Share of the time of the main thread',
  },
  numbers('calls', 'Calls', ({ calls }) => calls, whole),
  {
    ...numbers('failed', 'Failed', ({ failed }) => failed, whole),
    hint: 'Error replies of executed calls',
  },
  {
    ...numbers('rejected', 'Rejected', ({ rejected }) => rejected, whole),
    hint: 'Calls refused before they were executed: arguments, permissions, memory',
  },
  {
    ...numbers('now', 'p99 now', ({ windows }) => windows.now?.p99_us, micros),
    hint: 'Of the last ten seconds',
  },
  numbers('p50', 'p50', (use) => use.p50_us, micros),
  numbers('p99', 'p99', (use) => use.p99_us, micros),
  numbers('p999', 'p99.9', (use) => use.p999_us, micros),
  numbers('max', 'Max', (use) => use.max_us, micros),
];

const errorColumns: readonly Column<ErrorCode>[] = [
  {
    name: 'code',
    title: 'Code',
    isWide: true,
    value: ({ code }) => code,
    show: ({ code }) => <code>{code}</code>,
  },
  {
    name: 'rate',
    title: 'Rate',
    isNumber: true,
    value: (error) => error.per_sec,
    show: (error) => rate(error.per_sec),
  },
  {
    name: 'count',
    title: 'Replies',
    isNumber: true,
    value: (error) => error.count,
    show: (error) => whole(error.count),
  },
];
