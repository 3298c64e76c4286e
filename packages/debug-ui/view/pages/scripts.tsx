/** Scripts and functions: what each has done, the source of a chosen one, and what keeps a shard busy now. */

import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ScriptEntry, Scripts } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { bytes, counted, micros, whole } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { useParameter } from '../address.ts';
import { Filter, MissingShards, Panel } from '../parts.tsx';
import { usePolled, type Polled } from '../source.ts';
import { Table, type Column } from '../table.tsx';
import { RunningScripts } from './scripts/running.tsx';
import { ScriptSource } from './scripts/script-source.tsx';
import { shownScript, type ShownScript } from '../../model/activity/shown-script.ts';

const PERIOD_MS = 2_000;

export function ScriptsPage(): JSX.Element {
  const scripts = usePolled<Scripts>('/debug/api/scripts', PERIOD_MS);
  const [name, choose] = useParameter('sha');
  const kept = useRef<ShownScript | null>(null);
  // A script that has ended, or was forgotten, is shown until it is closed.
  const latest = scripts.data === null ? undefined : shownScript(scripts.data, name);
  if (latest !== undefined) kept.current = latest;
  const chosen = kept.current?.name === name ? kept.current : null;
  const isRunning = scripts.data?.running.some((run) => run.name === name) === true;
  return (
    <>
      <RunningScripts scripts={scripts} chosen={name} choose={choose} />
      {name !== null && scripts.data !== null && chosen === null && (
        <p class="issue">
          No statistics of {visible(name)}: it has not finished a run, or was removed.
        </p>
      )}
      <div class={chosen === null ? '' : 'beside'}>
        <Statistics scripts={scripts} chosen={name} choose={choose} />
        {chosen !== null && (
          <ScriptSource
            key={chosen.name}
            script={isRunning ? chosen : { ...chosen, line: null }}
            close={() => choose(null)}
          />
        )}
      </div>
    </>
  );
}

interface StatisticsProps {
  readonly scripts: Polled<Scripts>;
  readonly chosen: string | null;
  readonly choose: (name: string) => void;
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
      <MissingShards shards={data?.missing_shards} missing="its runs" />
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
  chosen: string | null,
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
          aria-pressed={chosen === script.name}
          onClick={() => choose(script.name)}
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
