/** Latency events, and a graph of the one that is chosen. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Latency, LatencyEvent, LatencyHistory } from '../../../model/api.ts';
import { micros, whole } from '../../../model/format.ts';
import type { Columns } from '../../../model/history.ts';
import { post } from '../../browser.ts';
import { Chart } from '../../chart.tsx';
import { usePolled } from '../../source.ts';
import { ActionButton } from '../../scope.tsx';
import { Done, Panel, Problem, useDoing } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;

export function Events(): JSX.Element {
  const latency = usePolled<Latency>('/debug/api/latency', PERIOD_MS);
  const histories = usePolled<{ events: LatencyHistory[] }>(
    '/debug/api/latency/history',
    PERIOD_MS,
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const doing = useDoing();
  const events = latency.data?.events ?? [];
  const name = chosen ?? events[0]?.event;
  const history = histories.data?.events.find(({ event }) => event === name);
  const columns = [nameColumn(name, setChosen), ...figures];
  const reset = (): void =>
    doing.run(async () => {
      await post('/debug/api/latency/reset');
      await Promise.all([latency.again(), histories.again()]);
      return 'Latency events cleared.';
    });
  return (
    <Panel
      title="Latency events"
      source={latency}
      aside={
        <ActionButton type="button" disabled={events.length === 0 || doing.isBusy} onClick={reset}>
          Reset
        </ActionButton>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <Table
        caption="Latency events"
        columns={columns}
        rows={events}
        keyOf={({ event }) => event}
        empty={
          latency.data?.events === null
            ? 'The main thread did not reply in time: events are missing.'
            : 'No event reached latency.monitor-threshold-ms.'
        }
      />
      {history !== undefined && history.samples.length > 0 && (
        <Chart
          title={`${history.event}: the worst of each second in which it was recorded`}
          lines={[{ label: history.event, colour: 'c4' }]}
          data={columnsOf(history)}
          format={micros}
          isLog
          isSparse
          group="events"
        />
      )}
    </Panel>
  );
}

function nameColumn(
  chosen: string | undefined,
  choose: (event: string) => void,
): Column<LatencyEvent> {
  return {
    name: 'event',
    title: 'Event',
    isWide: true,
    value: ({ event }) => event,
    show: ({ event }) => (
      <button
        type="button"
        class="link mono"
        aria-pressed={event === chosen}
        onClick={() => choose(event)}
      >
        {event}
      </button>
    ),
  };
}

/** Each worst time as a point of its own: between two events nothing was measured. */
function columnsOf({ samples }: LatencyHistory): Columns {
  const times: number[] = [];
  const values: (number | null)[] = [];
  for (const { time_ms: timeMs, max_us: us } of samples) {
    times.push(timeMs / 1_000);
    values.push(us);
  }
  return [times, values];
}

const figure = (
  name: string,
  title: string,
  of: (row: LatencyEvent) => number,
): Column<LatencyEvent> => ({
  name,
  title,
  value: of,
  isNumber: true,
  show: (row) => micros(of(row)),
});

const figures: readonly Column<LatencyEvent>[] = [
  figure('latest', 'Latest', (row) => row.latest_us),
  figure('min', 'Min', (row) => row.min_us),
  figure('avg', 'Average', (row) => row.avg_us),
  figure('max', 'Max', (row) => row.max_us),
  {
    name: 'samples',
    title: 'Samples',
    isNumber: true,
    value: ({ samples }) => samples,
    show: ({ samples }) => whole(samples),
  },
];
