/** Recent traces, each as a waterfall of its spans. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { TraceReport } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { clockTime, micros } from '../../model/format.ts';
import { waterfallOf } from '../../model/waterfall.ts';
import { usePolled } from '../live.ts';
import { Panel, Problem } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 2_000;

export function TracesPage(): JSX.Element {
  const { data, problem } = usePolled<{ traces: TraceReport[] }>('/debug/api/traces', PERIOD_MS);
  const [chosen, setChosen] = useState<TraceReport | null>(null);
  const traces = data?.traces ?? [];
  if (data !== null && traces.length === 0) return <NoTraces />;
  return (
    <>
      <Problem text={problem} />
      <Panel title={`${traces.length} recent traces`}>
        <Table
          caption="Recent traces"
          columns={columnsFor(setChosen, chosen)}
          rows={traces}
          keyOf={(trace) => trace.trace_id}
          order={{ column: 'time', isDescending: true }}
          empty="Waiting for the server."
        />
      </Panel>
      {chosen !== null && <Waterfall trace={chosen} />}
    </>
  );
}

function NoTraces(): JSX.Element {
  return (
    <Panel title="No traces">
      <p class="prose">
        Nothing has been traced. Tracing is off until <code>tracing.enabled = true</code> is set
        where the server is configured; <code>tracing.sampling-rate</code> says which share of the
        commands is traced.
      </p>
    </Panel>
  );
}

function startOf({ spans }: TraceReport): number {
  return Math.min(...spans.map((span) => span.start_us));
}

function lengthOf({ spans }: TraceReport): number {
  const end = Math.max(...spans.map((span) => span.start_us + span.duration_us));
  return spans.length === 0 ? 0 : end - Math.min(...spans.map((span) => span.start_us));
}

function columnsFor(
  choose: (trace: TraceReport) => void,
  chosen: TraceReport | null,
): readonly Column<TraceReport>[] {
  return [
    {
      ...{ name: 'time', title: 'Time', value: startOf, isNumber: true },
      show: (trace) => clockTime(startOf(trace) / 1_000),
    },
    {
      ...{ name: 'name', title: 'Command', isWide: true, value: ({ spans }) => spans[0]?.name },
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
      ...{ name: 'spans', title: 'Spans', isNumber: true, value: ({ spans }) => spans.length },
      show: ({ spans }) => spans.length,
    },
    {
      ...{ name: 'duration', title: 'Duration', isNumber: true, value: lengthOf },
      show: (trace) => micros(lengthOf(trace)),
    },
    {
      ...{ name: 'id', title: 'Trace', value: (trace) => trace.trace_id },
      show: (trace) => <code class="faint">{visible(trace.trace_id)}</code>,
    },
  ];
}

function Waterfall({ trace }: { readonly trace: TraceReport }): JSX.Element {
  return (
    <Panel title={`Trace ${visible(trace.trace_id)}`} aside={micros(lengthOf(trace))}>
      <ol class="waterfall">
        {waterfallOf(trace).map(({ span, depth, left, width }) => (
          <li key={span.span_id}>
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
        ))}
      </ol>
    </Panel>
  );
}
