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

/** Settings of tracing, which can be changed while the server runs. */
export interface TracingReport {
  readonly enabled: boolean;
  readonly sampling_rate: number;
  /** Milliseconds from which on a trace is kept, sampled or not; 0 = off. */
  readonly keep_slow_ms: number;
  /** Traces of failed commands are kept, sampled or not. */
  readonly keep_failed: boolean;
}

export interface TracesDocument {
  readonly tracing: TracingReport;
  /** Newest first. */
  readonly traces: readonly TraceDocument[];
}

export interface TraceDocument {
  readonly trace_id: string;
  readonly spans: readonly SpanDocument[];
}

export interface SpanDocument extends Omit<SpanReport, 'start_us'> {
  /** Unix time with its microseconds. */
  readonly start_time_ms: number;
}
