/** The last minutes, one sample a second. */

import type { StatusDocument } from './status.ts';

export interface LiveDocument {
  /** Another one is another process: its samples do not go on where those before ended. */
  readonly boot: string;
  readonly status: StatusDocument;
  /** Milliseconds; empty when bands are off. */
  readonly band_thresholds_ms: readonly number[];
  readonly samples: readonly LiveSample[];
}

/** One second as the server has seen it. Rates are per second. */
export interface LiveSample {
  readonly seq: number;
  readonly time_ms: number;
  readonly clients: number;
  readonly blocked: number;
  readonly errors: number;
  readonly hits: number;
  readonly misses: number;
  readonly expired: number;
  readonly evicted: number;
  readonly received_bytes: number;
  readonly sent_bytes: number;
  readonly used_bytes: number;
  readonly rss_bytes: number;
  readonly main_busy_percent: number;
  readonly ops: number;
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
  readonly shards: readonly LiveShard[];
}

export interface LiveShard {
  readonly ops: number;
  readonly busy_percent: number;
  readonly queue_depth: number;
  readonly keys: number;
  readonly memory_bytes: number;
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
  /** Requests of this second by band, the last over the last threshold. */
  readonly bands: readonly number[];
}

/** What the commands of a second took. */
export interface LiveLatency {
  readonly count: number;
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}
