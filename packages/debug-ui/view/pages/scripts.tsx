/** Scripts and functions: what each has done, the source of a chosen one, and what keeps a shard busy now. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { RunningScript, ScriptEntry, Scripts } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { bytes, counted, micros, NONE, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { Filter, Panel } from '../parts.tsx';
import { usePolled, type Polled } from '../source.ts';
import { Table, type Column } from '../table.tsx';
import { ScriptSource } from './scripts/script-source.tsx';

const PERIOD_MS = 2_000;

export function ScriptsPage(): JSX.Element {
  const scripts = usePolled<Scripts>('/debug/api/scripts', PERIOD_MS);
  const [chosen, setChosen] = useState<ScriptEntry | null>(null);
  const latest = scripts.data?.scripts.find(({ name }) => name === chosen?.name) ?? chosen;
  return (
    <>
      <Running scripts={scripts} />
      <div class={latest === null ? '' : 'beside'}>
        <Statistics scripts={scripts} chosen={latest} choose={setChosen} />
        {latest !== null && (
          <ScriptSource key={latest.name} script={latest} close={() => setChosen(null)} />
        )}
      </div>
    </>
  );
}

function Running({ scripts }: { readonly scripts: Polled<Scripts> }): JSX.Element {
  return (
    <Panel title="Running now" source={scripts}>
      <Table
        caption="Scripts that run now"
        columns={runningColumns}
        rows={scripts.data?.running ?? []}
        keyOf={({ shard }) => shard}
        empty="No script is running."
      />
    </Panel>
  );
}

const runningColumns: readonly Column<RunningScript>[] = [
  {
    name: 'shard',
    title: 'Shard',
    isNumber: true,
    value: ({ shard }) => shard,
    show: ({ shard }) => shard,
  },
  {
    name: 'name',
    title: 'Script or function',
    isWide: true,
    value: ({ name }) => name,
    show: ({ name }) => (name === null ? NONE : <span class="mono">{visible(name)}</span>),
  },
  {
    name: 'command',
    title: 'Command',
    value: ({ command }) => command,
    show: ({ command }) => (command === null ? NONE : <span class="mono">{visible(command)}</span>),
  },
  {
    name: 'duration',
    title: 'For',
    isNumber: true,
    value: (run) => run.duration_ms,
    show: (run) => micros(run.duration_ms * 1_000),
  },
];

interface StatisticsProps {
  readonly scripts: Polled<Scripts>;
  readonly chosen: ScriptEntry | null;
  readonly choose: (script: ScriptEntry) => void;
}

function Statistics({ scripts, chosen, choose }: StatisticsProps): JSX.Element {
  const [filter, setFilter] = useState('');
  const { data } = scripts;
  const all = data?.scripts ?? [];
  const rows = filtered(all, filter, ({ name, kind, source }) => [name, kind, source].join(' '));
  return (
    <Panel
      title={data === null ? 'Scripts' : `${whole(rows.length)} of ${counted(data.kept, 'script')}`}
      source={scripts}
      aside={<Filter label="Filter scripts" value={filter} change={setFilter} />}
    >
      {data !== null && data.missing_shards.length > 0 && (
        <p class="issue warn">
          Shard {data.missing_shards.join(', ')} did not reply in time; its runs are missing.
        </p>
      )}
      <Table
        caption="Scripts and functions"
        columns={columnsFor(choose, chosen)}
        rows={rows}
        keyOf={({ name }) => name}
        order={{ column: 'time', isDescending: true }}
        empty={all.length > 0 ? 'No script matches.' : 'No script has run yet.'}
        rowsMax={50}
      />
    </Panel>
  );
}

function columnsFor(
  choose: StatisticsProps['choose'],
  chosen: ScriptEntry | null,
): readonly Column<ScriptEntry>[] {
  return [
    {
      name: 'name',
      title: 'Script or function',
      isWide: true,
      value: ({ name }) => name,
      show: (script) => (
        <button
          type="button"
          class="link mono"
          title="Its source"
          aria-pressed={chosen?.name === script.name}
          onClick={() => choose(script)}
        >
          {visible(script.name)}
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
  of: (script: ScriptEntry) => number,
  shown: (value: number) => string = whole,
): Column<ScriptEntry> {
  return { name, title, isNumber: true, value: of, show: (script) => shown(of(script)) };
}

const columns: readonly Column<ScriptEntry>[] = [
  { name: 'kind', title: 'Kind', value: ({ kind }) => kind, show: ({ kind }) => kind },
  numbers('calls', 'Calls', ({ calls }) => calls),
  numbers('errors', 'Errors', ({ errors }) => errors),
  numbers('time', 'Time', (script) => script.time_us, micros),
  numbers('p50', 'p50', (script) => script.p50_us, micros),
  numbers('p99', 'p99', (script) => script.p99_us, micros),
  numbers('max', 'Longest', (script) => script.max_us, micros),
  numbers('keys', 'Keys', ({ keys }) => keys),
  numbers('commands', 'Commands', ({ commands }) => commands),
  {
    ...numbers('main', 'On main', (script) => script.calls_on_main),
    hint: 'Commands executed by main: they concern several shards or no keys',
  },
  {
    ...numbers('barrier', 'Barriers', (script) => script.barrier_runs),
    hint: 'Runs for which all other shards stopped',
  },
  numbers('killed', 'Killed', ({ killed }) => killed),
  numbers('bytes', 'Source', (script) => script.source_bytes, bytes),
];
