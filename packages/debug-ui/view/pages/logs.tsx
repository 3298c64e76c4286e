/** The latest lines of the log, live. */

import { useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { LogLine, Logs } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { counted, exactTime, NONE, whole } from '../../model/format.ts';
import {
  type LogFilter,
  LogTail,
  type LogTailContent,
  logsPath,
} from '../../model/logs/log-tail.ts';
import { get } from '../browser.ts';
import { Badge, Filter, Panel } from '../parts.tsx';
import { Source, useSource } from '../source.ts';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 1_000;
const ROWS_MAX = 200;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];
const TONES: Readonly<Record<string, string>> = { error: 'bad', warn: 'warn' };
const ALL: LogFilter = { level: '', thread: '', event: '', text: '' };

export function LogsPage(): JSX.Element {
  const [filter, setFilter] = useState(ALL);
  const { level, thread, event, text } = filter;
  const source = useMemo(() => tailOf(filter), [level, thread, event, text]);
  const tail = useSource<LogTailContent>(source, PERIOD_MS);
  // The choices stay while the first response of another selection is awaited.
  const [names, setNames] = useState({
    threads: [] as readonly string[],
    events: [] as readonly string[],
  });
  const { data } = tail;
  if (data !== null && data.threads.concat(data.events).join() !== namesOf(names)) {
    setNames({ threads: data.threads, events: data.events });
  }
  const change = (changes: Partial<LogFilter>): void => setFilter({ ...filter, ...changes });
  return (
    <Panel
      title={data === null ? 'Log' : counted(data.lines.length, 'line')}
      source={tail}
      aside={
        <>
          <Choice
            label="Level"
            value={level}
            all="all"
            choices={LEVELS}
            change={(to) => change({ level: to })}
          />
          <Choice
            label="Thread"
            value={thread}
            all="all"
            choices={names.threads}
            change={(to) => change({ thread: to })}
          />
          <Choice
            label="Event"
            value={event}
            all="all"
            choices={names.events}
            change={(to) => change({ event: to })}
          />
          <Filter label="Filter lines" value={text} change={(to) => change({ text: to })} />
        </>
      }
    >
      {data !== null && <Losses {...data} />}
      <Table
        caption="Lines of the log"
        columns={columns}
        rows={data?.lines ?? []}
        keyOf={({ number }) => number}
        order={{ column: 'time', isDescending: true }}
        empty={filter === ALL ? 'No lines since the start.' : 'No line matches.'}
        rowsMax={ROWS_MAX}
      />
    </Panel>
  );
}

function tailOf(filter: LogFilter): Source<LogTailContent> {
  const tail = new LogTail(async (after) => (await get<Logs>(logsPath(filter, after))).body);
  return new Source(() => tail.next());
}

function namesOf({ threads, events }: Pick<Logs, 'threads' | 'events'>): string {
  return threads.concat(events).join();
}

/** Lines that are not in the list. */
function Losses({ missed, dropped }: Pick<Logs, 'missed' | 'dropped'>): JSX.Element {
  return (
    <p class="faint">
      The server keeps the latest 1,000 lines in memory; its level is the setting{' '}
      <code>logging.level</code>.
      {missed > 0 && ` ${whole(missed)} lines came too fast for this page and are not shown.`}
      {dropped > 0 && ` ${whole(dropped)} lines were dropped at an output that is too slow.`}
    </p>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly all: string;
  readonly choices: readonly string[];
  readonly change: (value: string) => void;
}

function Choice({ label, value, all, choices, change }: ChoiceProps): JSX.Element {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{all}</option>
        {choices.map((each) => (
          <option key={each} value={each}>
            {visible(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

const columns: readonly Column<LogLine>[] = [
  {
    name: 'time',
    title: 'Time',
    isNumber: true,
    // Lines of one millisecond keep their order.
    value: ({ number }) => number,
    show: ({ time_ms: timeMs }) => exactTime(timeMs),
  },
  {
    name: 'level',
    title: 'Level',
    value: ({ level }) => LEVELS.indexOf(level),
    show: ({ level }) => <Badge tone={TONES[level] ?? 'plain'} text={level} />,
  },
  {
    name: 'thread',
    title: 'Thread',
    value: ({ thread }) => thread,
    show: ({ thread }) => visible(thread),
  },
  {
    name: 'event',
    title: 'Event',
    value: ({ event }) => event,
    show: ({ event }) => <code>{visible(event)}</code>,
  },
  {
    name: 'message',
    title: 'Message',
    isWide: true,
    show: ({ message, fields }) => (
      <>
        {visible(message)} <Fields fields={fields} />
      </>
    ),
  },
];

function Fields({ fields }: Pick<LogLine, 'fields'>): JSX.Element {
  return (
    <span class="mono faint">
      {Object.entries(fields)
        .map(([name, value]) => `${visible(name)}=${value === '' ? NONE : visible(String(value))}`)
        .join(' ')}
    </span>
  );
}
