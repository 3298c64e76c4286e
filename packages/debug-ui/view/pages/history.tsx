/** The past: charts of the server since its start and before, its health and verdict as bands, and the events. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { EventList, Past, PastAbout } from '../../model/api.ts';
import { exactTime } from '../../model/format.ts';
import {
  COMPARISONS,
  hashOf,
  moved,
  type PastView,
  RANGES,
  viewOf,
  zoomed,
} from '../../model/past/past.ts';
import { get, wallMs } from '../browser.ts';
import { Panel } from '../parts.tsx';
import { Source, usePolled, useSource } from '../source.ts';
import { Bands } from './history/bands.tsx';
import { PastCharts, SERIES, THREAD_SERIES } from './history/charts.tsx';
import { Events } from './history/events.tsx';

/** Events that are listed and marked. */
const EVENTS_MAX = 500;
/** Period of requests: short times change every second, long ones slowly. */
const PERIODS_MS = [2_000, 10_000, 60_000] as const;

/** Everything that the page shows of a time. */
interface Shown {
  readonly past: Past;
  readonly threads: Past;
  /** The time that it is compared with. */
  readonly before: Past | null;
  readonly events: EventList;
}

export function HistoryPage(): JSX.Element {
  const [view, setView] = usePastView();
  const { seconds, toMs, compare } = view;
  const source = useMemo(() => new Source(() => fetched(view)), [seconds, toMs, compare]);
  const reading = useSource(source, toMs === null ? periodOf(seconds) : 0);
  const about = usePolled<PastAbout>('/debug/api/history/series', 0);
  const shown = reading.data;
  return (
    <>
      <Panel title="History" source={reading} aside={<Controls view={view} setView={setView} />}>
        {shown !== null && (
          <>
            <p class="faint span">{spanText(shown.past)}</p>
            <Bands past={shown.past} causes={about.data?.causes ?? []} />
          </>
        )}
      </Panel>
      <Panel title="Charts" class="charts" source={reading}>
        {shown !== null && (
          <PastCharts
            {...shown}
            compare={COMPARISONS.find((each) => each.seconds === compare)?.label ?? ''}
            events={shown.events.events}
            zoom={(fromMs, end) => setView(zoomed(view, fromMs, end))}
          />
        )}
      </Panel>
      <Panel title="Events" source={reading}>
        {shown !== null && <Events list={shown.events} view={view} setView={setView} />}
      </Panel>
    </>
  );
}

/** The state of the page, which is in the address: it can be sent to others, and the browser goes back to it. */
function usePastView(): readonly [PastView, (next: PastView) => void] {
  const [view, setView] = useState(() => viewOf(location.hash));
  useEffect(() => {
    const listener = (): void => {
      if (location.hash.startsWith('#/history')) setView(viewOf(location.hash));
    };
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  return [
    view,
    (next) => {
      location.hash = hashOf(next);
    },
  ];
}

async function fetched({ seconds, toMs, compare }: PastView): Promise<Shown> {
  const endMs = toMs ?? wallMs();
  const of = async (query: string, shiftMs = 0): Promise<Past> => {
    const from = endMs - 1_000 * seconds - shiftMs;
    const path = `/debug/api/history?from=${from}&to=${endMs - shiftMs}&${query}`;
    return (await get<Past>(path)).body;
  };
  const all = `series=${SERIES.join(',')}`;
  const range = `from=${endMs - 1_000 * seconds}&to=${endMs + 1_000}&count=${EVENTS_MAX}`;
  const [past, threads, events] = await Promise.all([
    of(all),
    of(`series=${THREAD_SERIES.join(',')}&thread=each`),
    get<EventList>(`/debug/api/events?${range}`),
  ]);
  const before =
    compare === 0 ? null : await of(`${all}&step=${past.step_seconds}`, compare * 1_000);
  return { past, threads, before, events: events.body };
}

function periodOf(seconds: number): number {
  const [short, medium, long] = PERIODS_MS;
  if (seconds <= 900) return short;
  return seconds <= 21_600 ? medium : long;
}

function spanText({ from_time_ms: from, to_time_ms: to, step_seconds: step }: Past): string {
  return `${exactTime(from)} to ${exactTime(to)}, in steps of ${step} s. Drag over a chart to zoom.`;
}

interface ControlsProps {
  readonly view: PastView;
  readonly setView: (next: PastView) => void;
}

function Controls({ view, setView }: ControlsProps): JSX.Element {
  return (
    <span class="past-tools">
      {RANGES.map(({ seconds, label }) => (
        <button
          key={label}
          type="button"
          aria-pressed={view.seconds === seconds}
          onClick={() => setView({ ...view, seconds })}
        >
          {label}
        </button>
      ))}
      <button type="button" onClick={() => setView(moved(view, -0.5, wallMs()))}>
        Earlier
      </button>
      <button
        type="button"
        disabled={view.toMs === null}
        onClick={() => setView(moved(view, 0.5, wallMs()))}
      >
        Later
      </button>
      <button
        type="button"
        disabled={view.toMs === null}
        onClick={() => setView({ ...view, toMs: null })}
      >
        Now
      </button>
      <label>
        Compare with{' '}
        <select
          value={view.compare}
          onChange={(event) => setView({ ...view, compare: Number(event.currentTarget.value) })}
        >
          {COMPARISONS.map(({ seconds, label }) => (
            <option key={label} value={seconds}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </span>
  );
}
