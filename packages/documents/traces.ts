/** What became of one request: its spans. */

export interface TraceReport {
  readonly trace_id: string;
  readonly spans: readonly SpanReport[];
}

export interface SpanReport {
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  /** Unix microseconds. */
  readonly start_us: number;
  readonly duration_us: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}
