/** Recent traces, each as a waterfall of its spans. */

import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { TraceReport, Traces } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import {
  errorOf,
  type Kind,
  lengthOf,
  selected,
  startOf,
} from '../../../model/traces/selection.ts';
import { clockTime, counted, micros } from '../../../model/format.ts';
import { waterfallOf, type WaterfallRow } from '../../../model/waterfall.ts';
import { Detail } from '../../detail.tsx';
import { Badge, Filter, Panel } from '../../parts.tsx';
import { usePolled } from '../../source.ts';
import { Table, type Column } from '../../table.tsx';
import { Tracing } from './tracing.tsx';

const PERIOD_MS = 2_000;

export function TracesPage(): JSX.Element {
  const recent = usePolled<Traces>('/debug/api/traces', PERIOD_MS);
  const [filters, setFilters] = useState(NO_FILTERS);
  const [chosen, setChosen] = useState<TraceReport | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const traces = recent.data?.traces ?? [];
  // New traces push out old ones; the one that is read stays in the list until it is closed.
  const isGone = chosen !== null && !traces.some((trace) => trace.trace_id === chosen.trace_id);
  const matching = selected(traces, { ...filters, leastUs: Number(filters.leastMs) * 1_000 });
  const rows = isGone ? [chosen, ...matching] : matching;
  const open = (trace: TraceReport): void => {
    opener.current = document.activeElement as HTMLElement | null;
    setChosen(trace);
  };
  const close = (): void => {
    setChosen(null);
    // A row that is only there for its detail goes with it.
    if (isGone) list.current?.querySelector<HTMLElement>('.table')?.focus();
    else opener.current?.focus();
  };
  return (
    <>
      <Tracing traces={recent} />
      <div ref={list} class={chosen === null ? '' : 'beside'}>
        <Panel
          title={recent.data === null ? 'Traces' : counted(traces.length, 'recent trace')}
          source={recent}
          aside={<Filters {...filters} change={setFilters} />}
        >
          <Table
            caption="Recent traces"
            columns={columnsFor(open, chosen)}
            rows={rows}
            keyOf={(trace) => trace.trace_id}
            order={{ column: 'time', isDescending: true }}
            empty={traces.length > 0 ? 'No trace matches.' : 'No traces yet.'}
          />
        </Panel>
        {chosen !== null && <Waterfall key={chosen.trace_id} trace={chosen} close={close} />}
      </div>
    </>
  );
}

/** Filters as they are typed and chosen. */
interface TraceFilters {
  readonly text: string;
  readonly kind: Kind;
  readonly leastMs: string;
}

const NO_FILTERS: TraceFilters = { text: '', kind: '', leastMs: '' };

interface FiltersProps extends TraceFilters {
  readonly change: (filters: TraceFilters) => void;
}

function Filters({ change, text, kind, leastMs }: FiltersProps): JSX.Element {
  const set = (changes: Partial<TraceFilters>): void => change({ text, kind, leastMs, ...changes });
  return (
    <>
      <label>
        Outcome{' '}
        <select value={kind} onChange={(event) => set({ kind: event.currentTarget.value as Kind })}>
          <option value="">all</option>
          <option value="failed">failed</option>
          <option value="fine">without an error</option>
        </select>
      </label>
      <label>
        At least{' '}
        <input
          type="number"
          min="0"
          class="filter"
          value={leastMs}
          aria-label="Least duration in milliseconds"
          onInput={(event) => set({ leastMs: event.currentTarget.value })}
        />{' '}
        ms
      </label>
      <Filter label="Filter traces" value={text} change={(to) => set({ text: to })} />
    </>
  );
}

function columnsFor(
  choose: (trace: TraceReport) => void,
  chosen: TraceReport | null,
): readonly Column<TraceReport>[] {
  return [
    {
      name: 'time',
      title: 'Time',
      value: startOf,
      isNumber: true,
      show: (trace) => clockTime(startOf(trace)),
    },
    {
      name: 'name',
      title: 'Command',
      isWide: true,
      value: ({ spans }) => spans[0]?.name,
      show: (trace) => (
        <button
          type="button"
          class="link mono"
          aria-pressed={chosen?.trace_id === trace.trace_id}
          onClick={() => choose(trace)}
        >
          {visible(trace.spans[0]?.name ?? trace.trace_id)}
        </button>
      ),
    },
    {
      name: 'spans',
      title: 'Spans',
      isNumber: true,
      value: ({ spans }) => spans.length,
      show: ({ spans }) => spans.length,
    },
    {
      name: 'duration',
      title: 'Duration',
      isNumber: true,
      value: lengthOf,
      show: (trace) => micros(lengthOf(trace)),
    },
    {
      name: 'error',
      title: 'Error',
      value: errorOf,
      show: (trace) => {
        const error = errorOf(trace);
        return error === '' ? '' : <Badge tone="bad" text={visible(error)} />;
      },
    },
    {
      name: 'id',
      title: 'Trace',
      value: (trace) => trace.trace_id,
      show: (trace) => <code class="faint">{visible(trace.trace_id)}</code>,
    },
  ];
}

interface WaterfallProps {
  readonly trace: TraceReport;
  readonly close: () => void;
}

/** The spans of one trace. */
function Waterfall({ trace, close }: WaterfallProps): JSX.Element {
  return (
    <Detail
      title={`Trace ${visible(trace.trace_id)}`}
      aside={micros(lengthOf(trace))}
      close={close}
    >
      <ol class="waterfall">
        {waterfallOf(trace).map((row) => (
          <Row key={row.span.span_id} row={row} />
        ))}
      </ol>
    </Detail>
  );
}

function Row({ row: { span, depth, left, width } }: { readonly row: WaterfallRow }): JSX.Element {
  return (
    <li>
      <details>
        <summary>
          <span class="name mono" style={{ paddingLeft: `${depth * 14}px` }}>
            {visible(span.name)}
          </span>
          <span class="lane" aria-hidden="true">
            <i style={{ marginLeft: `${left}%`, width: `${width}%` }} />
          </span>
          <b>{micros(span.duration_us)}</b>
        </summary>
        <dl class="attributes">
          {Object.entries(span.attributes).map(([name, value]) => (
            <div key={name}>
              <dt>{visible(name)}</dt>
              <dd>{visible(String(value))}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}
