/** The events of the time that is shown, with filters by kind and level. */

import type { JSX } from 'preact';
import type { EventEntry, EventList } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { exactTime, whole } from '../../../model/format.ts';
import type { PastView } from '../../../model/past/past.ts';
import { Badge } from '../../parts.tsx';
import { Table, type Column } from '../../table.tsx';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];
const TONES: Readonly<Record<string, string>> = { warn: 'warn', error: 'bad' };
/** Seconds around an event that a click on its time shows. */
const AROUND_SECONDS = 300;

interface EventsProps {
  readonly list: EventList;
  readonly view: PastView;
  readonly setView: (next: PastView) => void;
}

export function Events({ list, view, setView }: EventsProps): JSX.Element {
  const least = LEVELS.indexOf(view.level);
  const rows = list.events.filter(
    ({ kind, level }) =>
      (view.kind === '' || kind === view.kind) && LEVELS.indexOf(level) >= Math.max(0, least),
  );
  const show = ({ time_ms: ms }: EventEntry): void => {
    setView({ ...view, seconds: AROUND_SECONDS, toMs: Math.round(ms + 500 * AROUND_SECONDS) });
  };
  return (
    <>
      <div class="past-tools">
        <Choice
          title="Kind"
          value={view.kind}
          options={list.kinds}
          choose={(kind) => setView({ ...view, kind })}
        />
        <Choice
          title="Level at least"
          value={view.level}
          options={LEVELS.slice(2)}
          choose={(level) => setView({ ...view, level })}
        />
        <span class="faint">
          {whole(rows.length)} of {whole(list.total)} in this time
        </span>
      </div>
      <Table
        caption="Events"
        columns={columnsFor(show)}
        rows={rows}
        keyOf={({ seq }) => seq}
        empty="No events in this time."
      />
    </>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly choose: (value: string) => void;
}

function Choice({ title, value, options, choose }: ChoiceProps): JSX.Element {
  return (
    <label>
      {title}{' '}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

function columnsFor(show: (event: EventEntry) => void): readonly Column<EventEntry>[] {
  return [
    {
      name: 'time',
      title: 'Time',
      value: ({ seq }) => seq,
      show: (event) => (
        <button
          type="button"
          class="link"
          onClick={() => show(event)}
          title="Show the charts around it"
        >
          {exactTime(event.time_ms)}
        </button>
      ),
    },
    { name: 'kind', title: 'Kind', value: ({ kind }) => kind, show: ({ kind }) => kind },
    {
      name: 'level',
      title: 'Level',
      value: ({ level }) => LEVELS.indexOf(level),
      show: ({ level }) => <Badge tone={TONES[level] ?? 'plain'} text={level} />,
    },
    {
      name: 'event',
      title: 'Event',
      value: ({ event }) => event,
      show: ({ event }) => <code>{event}</code>,
    },
    {
      name: 'message',
      title: 'Message',
      isWide: true,
      show: ({ message, fields }) => visible(`${message} ${fieldsText(fields)}`.trim()),
    },
  ];
}

function fieldsText(fields: EventEntry['fields']): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
