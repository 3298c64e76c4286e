/** What was notable in each thread lately: the flight recorder, which is readable however stuck a thread is. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Flight, FlightEntry } from '../../../model/api.ts';
import { detailsOf, durationOf } from '../../../model/flight.ts';
import { exactTime, micros, whole } from '../../../model/format.ts';
import { filtered } from '../../../model/sorting.ts';
import { usePolled } from '../../live.ts';
import { Filter, Panel, Problem } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;
const EVENTS_MAX = 500;
const PATH = '/debug/api/flight-recorder';

interface Kind {
  readonly event: string;
  readonly about: string;
}

export function FlightRecorder(): JSX.Element {
  const [thread, setThread] = useState('');
  const [filter, setFilter] = useState('');
  const all = usePolled<Flight>(`${PATH}?count=0`, PERIOD_MS);
  const chosen = thread === '' ? '' : `&thread=${thread}`;
  const { data, problem } = usePolled<Flight>(`${PATH}?count=${EVENTS_MAX}${chosen}`, PERIOD_MS);
  const kinds = usePolled<{ kinds: readonly Kind[] }>(`${PATH}/kinds`, 0);
  const entries = data?.entries ?? [];
  const rows = filtered(
    entries,
    filter,
    (entry) => `${entry.thread} ${entry.event} ${detailsOf(entry)}`,
  );
  return (
    <Panel
      title="Flight recorder"
      aside={
        <>
          <label>
            Thread{' '}
            <select value={thread} onChange={(event) => setThread(event.currentTarget.value)}>
              <option value="">all</option>
              {all.data?.threads.map((each) => (
                <option key={each.thread} value={each.thread}>
                  {each.thread}
                </option>
              ))}
            </select>
          </label>
          <Filter label="Filter events" value={filter} change={setFilter} />
        </>
      }
    >
      <Problem text={problem} />
      {data !== null && <p class="faint">{extentOf(data)}</p>}
      <Table
        caption="Flight recorder"
        columns={columns}
        rows={rows}
        keyOf={(entry) => JSON.stringify(entry)}
        order={{ column: 'time', isDescending: true }}
        empty={
          entries.length > 0
            ? 'No event matches.'
            : 'Nothing notable since the start. The recorder is always on; it takes memory of a fixed size.'
        }
        rowsMax={25}
      />
      <Legend kinds={kinds.data?.kinds ?? []} />
    </Panel>
  );
}

/** How much there has been, and how much of it is shown. */
function extentOf({ threads, entries }: Flight): string {
  const sum = (of: 'recorded' | 'kept'): number =>
    threads.reduce((total, each) => total + each[of], 0);
  const kept = sum('kept');
  const shown = entries.length < kept ? `, the newest ${whole(entries.length)} shown` : '';
  return `${whole(sum('recorded'))} events since the start, ${whole(kept)} kept${shown}.`;
}

function Legend({ kinds }: { readonly kinds: readonly Kind[] }): JSX.Element | null {
  if (kinds.length === 0) return null;
  return (
    <details class="legend">
      <summary>What is recorded</summary>
      <dl class="attributes">
        {kinds.map(({ event, about }) => (
          <div key={event}>
            <dt>
              <code>{event}</code>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const columns: readonly Column<FlightEntry>[] = [
  {
    ...{ name: 'time', title: 'Time', isNumber: true, value: (entry) => entry.time_us },
    show: (entry) => <span class="time">{exactTime(entry.time_us / 1_000)}</span>,
  },
  {
    ...{ name: 'thread', title: 'Thread', value: ({ thread }) => thread },
    show: ({ thread }) => <code>{thread}</code>,
  },
  {
    ...{ name: 'event', title: 'Event', value: ({ event }) => event },
    show: ({ event }) => (
      <span class={event.endsWith('-failed') ? 'mono bad' : 'mono'}>{event}</span>
    ),
  },
  {
    ...{ name: 'took', title: 'Took', isNumber: true, value: durationOf },
    show: (entry) => micros(durationOf(entry)),
  },
  {
    ...{ name: 'details', title: 'Details', isWide: true, value: detailsOf },
    show: detailsOf,
  },
];
