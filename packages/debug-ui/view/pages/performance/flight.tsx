/** Notable events of each thread: the flight recorder, which is readable even while a thread is stuck. */

import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Flight, FlightEntry } from '../../../model/api.ts';
import { detailsOf, durationOf } from '../../../model/flight.ts';
import { exactTime, micros, whole } from '../../../model/format.ts';
import { filtered } from '../../../model/sorting.ts';
import { usePolled, type Polled } from '../../source.ts';
import { Filter, Panel } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const PERIOD_MS = 2_000;
/** Asked for at first, and where more are looked through. */
const EVENTS = 25;
const EVENTS_MAX = 500;
const PATH = '/debug/api/flight-recorder';

interface Kind {
  readonly event: string;
  readonly about: string;
}

export function FlightRecorder(): JSX.Element {
  const [thread, setThread] = useState('');
  const [filter, setFilter] = useState('');
  const [isWhole, setWhole] = useState(false);
  const count = isWhole || filter !== '' ? EVENTS_MAX : EVENTS;
  const recorder = useRecorder(thread, count);
  const { data } = recorder;
  // With one thread selected, only that one is returned; the choices stay those of all threads.
  const threads = useRef<readonly string[]>([]);
  if (thread === '' && data !== null) threads.current = data.threads.map((each) => each.thread);
  const entries = data?.entries ?? [];
  const rows = filtered(
    entries,
    filter,
    (entry) => `${entry.thread} ${entry.event} ${detailsOf(entry)}`,
  );
  return (
    <Panel
      title="Flight recorder"
      source={recorder}
      aside={
        <>
          <label>
            Thread{' '}
            <select value={thread} onChange={(event) => setThread(event.currentTarget.value)}>
              <option value="">all</option>
              {threads.current.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <Filter label="Filter events" value={filter} change={setFilter} />
        </>
      }
    >
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
            : 'No notable events since the start. The recorder is always on and uses a fixed amount of memory.'
        }
        rowsMax={EVENTS_MAX}
      />
      {!isWhole && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show the newest {EVENTS_MAX}
        </button>
      )}
      <Legend />
    </Panel>
  );
}

/** The newest events of a thread, or of all; until more of the same have come, those that are there. */
function useRecorder(thread: string, count: number): Polled<Flight> {
  const chosen = thread === '' ? '' : `&thread=${thread}`;
  const polled = usePolled<Flight>(`${PATH}?count=${count}${chosen}`, PERIOD_MS);
  const before = useRef({ thread, polled });
  const isMoreOfSame = polled.data === null && before.current.thread === thread;
  const shown = isMoreOfSame ? { ...polled, data: before.current.polled.data } : polled;
  before.current = { thread, polled: shown };
  return shown;
}

/** Returns a sentence with the number of events since the start, and of those kept and shown. */
function extentOf({ threads, entries }: Flight): string {
  const sum = (of: 'recorded' | 'kept'): number =>
    threads.reduce((total, each) => total + each[of], 0);
  const kept = sum('kept');
  const shown = entries.length < kept ? `, the newest ${whole(entries.length)} shown` : '';
  return `${whole(sum('recorded'))} events since the start, ${whole(kept)} kept${shown}.`;
}

function Legend(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="legend" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What is recorded</summary>
      {isOpen && <Kinds />}
    </details>
  );
}

function Kinds(): JSX.Element {
  const { data } = usePolled<{ kinds: readonly Kind[] }>(`${PATH}/kinds`, 0);
  return (
    <dl class="attributes">
      {data?.kinds.map(({ event, about }) => (
        <div key={event}>
          <dt>
            <code>{event}</code>
          </dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  );
}

const columns: readonly Column<FlightEntry>[] = [
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    value: (entry) => entry.time_ms,
    show: (entry) => <span class="time">{exactTime(entry.time_ms)}</span>,
  },
  {
    name: 'thread',
    title: 'Thread',
    value: ({ thread }) => thread,
    show: ({ thread }) => <code>{thread}</code>,
  },
  {
    name: 'event',
    title: 'Event',
    value: ({ event }) => event,
    show: ({ event }) => (
      <span class={event.endsWith('-failed') ? 'mono bad' : 'mono'}>{event}</span>
    ),
  },
  {
    name: 'took',
    title: 'Took',
    isNumber: true,
    value: durationOf,
    show: (entry) => micros(durationOf(entry)),
  },
  {
    name: 'details',
    title: 'Details',
    isWide: true,
    value: detailsOf,
    show: detailsOf,
  },
];
