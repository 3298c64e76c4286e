/** Scripts and functions that run now, each with its line and a button that kills it. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { RunningScript, Scripts } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { micros, NONE } from '../../../model/format.ts';
import { pageLink } from '../../address.ts';
import { post } from '../../browser.ts';
import { Confirm, Done, Panel, Problem, useDoing } from '../../parts.tsx';
import { useReadOnlyReason } from '../../scope.tsx';
import type { Polled } from '../../source.ts';
import { Table, type Column } from '../../table.tsx';

const WRITTEN = 'It has written, so that it cannot be killed: its effects would be incomplete.';

interface RunningScriptsProps {
  readonly scripts: Polled<Scripts>;
  readonly chosen: string | null;
  readonly choose: (name: string) => void;
}

export function RunningScripts({ scripts, chosen, choose }: RunningScriptsProps): JSX.Element {
  const [victim, setVictim] = useState<RunningScript | null>(null);
  const doing = useDoing();
  const reason = useReadOnlyReason();
  const kill = ({ shard, run }: RunningScript): void =>
    doing.run(async () => {
      await post('/debug/api/scripts/kill', { shard, run });
      await scripts.again();
      return `Script on shard ${shard} killed.`;
    });
  return (
    <Panel title="Running now" source={scripts}>
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <Table
        caption="Scripts that run now"
        columns={[...columnsFor(chosen, choose), killColumn(setVictim, reason)]}
        rows={scripts.data?.running ?? []}
        keyOf={({ shard }) => shard}
        empty="No script is running."
      />
      {victim !== null && (
        <Confirm
          title={`Kill the script on shard ${victim.shard}?`}
          action="Kill"
          confirm={() => kill(victim)}
          close={() => setVictim(null)}
        >
          <p class="mono">{visible(victim.name ?? 'unknown')}</p>
          <p>Its client gets an error. A script that has written cannot be killed.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function columnsFor(
  chosen: string | null,
  choose: (name: string) => void,
): readonly Column<RunningScript>[] {
  return [
    {
      name: 'shard',
      title: 'Shard',
      isNumber: true,
      value: ({ shard }) => shard,
      show: ({ shard }) => <a href={pageLink('shards', { shard: String(shard) })}>{shard}</a>,
    },
    {
      name: 'name',
      title: 'Script or function',
      isWide: true,
      value: ({ name }) => name,
      show: ({ name }) =>
        name === null ? (
          NONE
        ) : (
          <button
            type="button"
            class="link mono"
            title="Its source"
            aria-pressed={chosen === name}
            onClick={() => choose(name)}
          >
            {visible(name)}
          </button>
        ),
    },
    ...columns,
  ];
}

const columns: readonly Column<RunningScript>[] = [
  {
    name: 'line',
    title: 'Line',
    isNumber: true,
    hint: 'As of its last interrupt, some thousand instructions ago at most',
    value: ({ line }) => line,
    show: ({ line }) => line ?? NONE,
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

function killColumn(
  choose: (script: RunningScript) => void,
  reason: string | undefined,
): Column<RunningScript> {
  return {
    name: 'kill',
    title: '',
    show: (run) => (
      <button
        type="button"
        class="danger small"
        aria-label={`Kill the script on shard ${run.shard}`}
        disabled={reason !== undefined || run.has_written}
        title={reason ?? (run.has_written ? WRITTEN : undefined)}
        onClick={() => choose(run)}
      >
        Kill
      </button>
    ),
  };
}
