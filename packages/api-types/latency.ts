/** Latency of commands, lately and since the start, and long stalls of threads. */

export type WindowName = 'now' | '1m' | '5m' | '1h';

/** Latency that a window holds of one command, or of all. */
export interface WindowLatency {
  /** Actual length of the window, which is shorter than its name soon after the start. */
  readonly seconds: number;
  readonly calls: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}

/** Null while there is no slice, and where nothing was called. */
export type WindowReport = Readonly<Record<WindowName, WindowLatency | null>>;

/** Execution times of one command, since the start or CONFIG RESETSTAT. */
export interface CommandReport {
  readonly command: string;
  readonly calls: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
  /** Percentiles of the last seconds, minutes and hour. */
  readonly windows: WindowReport;
}

/** Report of one latency event. */
export interface LatencyEventReport {
  readonly event: string;
  readonly latest_us: number;
  readonly min_us: number;
  readonly max_us: number;
  readonly avg_us: number;
  readonly samples: number;
}

export interface LatencyDocument {
  /** Null when main was late. */
  readonly events: readonly LatencyEventReport[] | null;
  /** Cumulative, by label; empty when bands are off. */
  readonly bands: Readonly<Record<string, number>>;
  readonly windows: WindowReport;
  readonly commands: readonly CommandReport[];
}

/** Seconds in which a latency event was recorded, oldest first, with the worst of each. */
export interface LatencyHistoryReport {
  readonly event: string;
  readonly samples: readonly { readonly time_ms: number; readonly max_us: number }[];
}

export interface LatencyHistoryDocument {
  readonly events: readonly LatencyHistoryReport[];
}
