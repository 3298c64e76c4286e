/** Lines and counts of a monitor. */

import type { JSX } from 'preact';
import type { Monitor, MonitorLine } from '../../../model/api.ts';
import { visible, visibleCommand } from '../../../model/escape.ts';
import { clockTime, counted, exactTime, whole } from '../../../model/format.ts';
import type { MonitorTailContent } from '../../../model/monitor/monitor-tail.ts';
import { endOf } from '../../../model/monitor/monitor-words.ts';
import { pageLink } from '../../address.ts';
import { Badge, Fact, Panel, Problem, useDoing } from '../../parts.tsx';
import { ActionButton } from '../../scope.tsx';
import { Table, type Column } from '../../table.tsx';
import { useMonitor } from './running-monitor.ts';

const ROWS_MAX = 200;
/** Longer than what the server sends of an argument, with its note about the rest. */
const ARGUMENT_CHARS_MAX = 256;

export function Lines({ started }: { readonly started: Monitor }): JSX.Element {
  const { reading, stop } = useMonitor(started);
  const doing = useDoing();
  const { data } = reading;
  const isRunning = data === null || data.ended_by === null;
  return (
    <Panel
      title="Monitor"
      source={reading}
      aside={
        <>
          <Badge tone={isRunning ? 'good' : 'plain'} text={isRunning ? 'running' : 'ended'} />
          {isRunning && (
            <ActionButton
              type="button"
              disabled={doing.isBusy}
              onClick={() =>
                doing.run(async () => {
                  await stop();
                  return '';
                })
              }
            >
              Stop
            </ActionButton>
          )}
        </>
      }
    >
      <Problem text={doing.problem} />
      {data !== null && <Counts {...data} />}
      <Table
        caption="Commands as they arrive"
        columns={columns}
        rows={data?.lines ?? []}
        keyOf={({ number }) => number}
        order={{ column: 'time', isDescending: true }}
        empty="No command matches yet."
        rowsMax={ROWS_MAX}
        isOfCards
      />
    </Panel>
  );
}

function Counts(content: MonitorTailContent): JSX.Element {
  const { seen, matched, last, older, missed } = content;
  const { left_out: leftOut, lines_per_sec: most, end_time_ms: endMs } = content;
  return (
    <>
      <p class="faint" role="status">
        {endOf(content) ?? `Running until ${clockTime(endMs)} at the latest.`}
      </p>
      <dl class="facts">
        <Fact label="Commands" value={whole(seen)} note="of the chosen sources" />
        <Fact label="Matched" value={whole(matched)} note="by the filter" />
        <Fact
          label="Lines"
          value={whole(last)}
          note={older > 0 ? `${whole(older)} are older` : undefined}
        />
        <Fact
          label="Left out"
          value={whole(leftOut)}
          note={`over ${counted(most, 'line')} a second`}
        />
        <Fact
          label="Missed"
          value={whole(missed)}
          note="came too fast for this page"
          tone={missed > 0 ? 'warn' : undefined}
        />
      </dl>
    </>
  );
}

const columns: readonly Column<MonitorLine>[] = [
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    // Lines of one millisecond keep their order.
    value: ({ number }) => number,
    show: ({ time_ms: timeMs }) => exactTime(timeMs),
  },
  {
    name: 'client',
    title: 'Client',
    value: ({ client_id: id }) => id,
    show: ({ client_id: id, addr }) => (
      <a href={pageLink('clients', { id: String(id) })}>{visible(addr)}</a>
    ),
  },
  { name: 'user', title: 'User', value: ({ user }) => user, show: ({ user }) => visible(user) },
  { name: 'db', title: 'DB', isNumber: true, value: ({ db }) => db, show: ({ db }) => db },
  { name: 'source', title: 'Source', value: ({ source }) => source, show: ({ source }) => source },
  {
    name: 'command',
    title: 'Command',
    isWide: true,
    show: ({ args }) => <code>{visibleCommand(args, ARGUMENT_CHARS_MAX)}</code>,
  },
];
