/** Selection of traces by outcome, duration and text. */

import type { TraceReport } from '../api.ts';
import { filtered } from '../sorting.ts';
import { timesOf } from '../waterfall.ts';

/** Outcome of the command of a trace; empty for all. */
export type Kind = '' | 'failed' | 'fine';

interface Selection {
  /** Words that the spans contain, in any case. */
  readonly text: string;
  readonly kind: Kind;
  /** Least duration in microseconds. */
  readonly leastUs: number;
}

export function selected(
  traces: readonly TraceReport[],
  { text, kind, leastUs }: Selection,
): readonly TraceReport[] {
  const matching = traces.filter((trace) => {
    if (kind !== '' && (kind === 'failed') !== (errorOf(trace) !== '')) return false;
    return lengthOf(trace) >= leastUs;
  });
  return filtered(matching, text, textOf);
}

/** Code of the error that the command replied; empty without one. */
export function errorOf({ spans }: TraceReport): string {
  return String(spans[0]?.attributes['error.type'] ?? '');
}

export function startOf(trace: TraceReport): number {
  return timesOf(trace).startMs;
}

/** Returns the microseconds from the start to the end of the last span. */
export function lengthOf(trace: TraceReport): number {
  const startMs = startOf(trace);
  const ends = trace.spans.map((span) => (span.start_time_ms - startMs) * 1_000 + span.duration_us);
  return Math.max(0, ...ends);
}

function textOf({ trace_id: id, spans }: TraceReport): string {
  const words = spans.flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]);
  return `${id} ${words.join(' ')}`;
}
