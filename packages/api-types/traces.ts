/** Trace of one request: its spans, as commands answer them, and as the debug API does. */

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

export interface TraceDocument {
  readonly trace_id: string;
  readonly spans: readonly SpanDocument[];
}

export interface SpanDocument extends Omit<SpanReport, 'start_us'> {
  /** Unix time with its microseconds. */
  readonly start_time_ms: number;
}
