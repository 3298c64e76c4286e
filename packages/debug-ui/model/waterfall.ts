/** The spans of one trace as rows of a waterfall. */

import type { SpanReport, TraceReport } from './api.ts';

export interface WaterfallRow {
  readonly span: SpanReport;
  readonly depth: number;
  /** Start of its bar, and the bar's length in `width`, in percent of the whole. */
  readonly left: number;
  readonly width: number;
}

/** Thinner bars would not be seen. */
const WIDTH_MIN = 0.4;

/** From the start of the first span to the end of the last, as Unix milliseconds. */
export function timesOf({ spans }: Pick<TraceReport, 'spans'>): { startMs: number; endMs: number } {
  const startMs = Math.min(...spans.map((span) => span.start_time_ms));
  const ends = spans.map((span) => span.start_time_ms + span.duration_us / 1_000);
  return { startMs, endMs: Math.max(...ends) };
}

/** Parents before their children, children in the order they began; a span without its parent is a root. */
export function waterfallOf({ spans }: TraceReport): WaterfallRow[] {
  if (spans.length === 0) return [];
  const { startMs: start, endMs: end } = timesOf({ spans });
  const whole = Math.max(0.001, end - start);
  const known = new Set(spans.map((span) => span.span_id));
  const children = new Map<string, SpanReport[]>();
  for (const span of [...spans].sort((a, b) => a.start_time_ms - b.start_time_ms)) {
    const parent = known.has(span.parent_id ?? '') ? span.parent_id! : '';
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const rows: WaterfallRow[] = [];
  const seen = new Set<string>();
  const add = (span: SpanReport, depth: number): void => {
    if (seen.has(span.span_id)) return;
    seen.add(span.span_id);
    const width = Math.max(WIDTH_MIN, span.duration_us / 10 / whole);
    const left = Math.min(100 - width, (100 * (span.start_time_ms - start)) / whole);
    rows.push({ span, depth, left, width });
    for (const child of children.get(span.span_id) ?? []) add(child, depth + 1);
  };
  for (const root of children.get('') ?? []) add(root, 0);
  return rows;
}
