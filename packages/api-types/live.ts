/** Figures of the last minutes that the debug pages draw: one sample a second. */

import type { LiveRate } from '#quantities';
import type { Health } from './health.ts';
import type { ShardStatus, StatusDocument } from './status.ts';

/** Parts that are returned on request. */
export type LivePart =
  'figures' | 'shards' | 'totals' | 'times' | 'shard-samples' | 'bands' | 'replication';

export interface LiveDocument {
  /** Id of the process: samples of another one do not continue earlier ones. */
  readonly boot: string;
  readonly status: LiveStatus;
  /** The shards of the status document; null unless they are asked for. */
  readonly shards: readonly ShardStatus[] | null;
  /** Requests by latency band; null unless they are asked for, and while bands are off. */
  readonly bands: LiveBands | null;
  readonly samples: LiveColumns;
}

/** Fields of the status document that every page shows, and its figures where they are asked for. */
export interface LiveStatus extends Pick<StatusDocument, 'frogdb' | 'cluster'> {
  readonly health: Health;
  readonly figures: LiveFigures | null;
}

export interface LiveFigures extends Pick<
  StatusDocument,
  'clients' | 'memory' | 'keyspace' | 'tiered'
> {
  readonly commands: Omit<StatusDocument['commands'], 'top' | 'windows'>;
}

export interface LiveBands {
  readonly thresholds_ms: readonly number[];
  /** Requests of the samples that are kept, by shard; of each its bands, the last over the last threshold. */
  readonly shards: readonly (readonly number[])[];
}

/** Values of many samples, oldest first, where one sample has one. */
type Columns<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Columns<Value[Name]> | null }
  : readonly (Value | null)[];

/**
 * Samples as a list for each figure rather than for each second: similar values are adjacent, which compresses well.
 * Null if no sample has the figure, because it was not requested.
 */
export interface LiveColumns {
  /** The number of the first; each that follows has the next. Null when there are none. */
  readonly first_seq: number | null;
  readonly first_time_ms: number | null;
  /** Milliseconds since the one before; 0 for the first. */
  readonly after_ms: readonly number[];
  readonly totals: Columns<LiveTotals> | null;
  readonly times: Columns<LiveTimes> | null;
  readonly shards: Columns<LiveShards> | null;
  readonly replication: Columns<LiveReplication> | null;
}

/** One second as the server has seen it. Rates are per second. */
export interface LiveSample {
  readonly seq: number;
  readonly time_ms: number;
  /** Null unless asked for. */
  readonly totals: LiveTotals | null;
  /** Times of the shard that is asked for, else of all shards; null unless asked for. */
  readonly times: LiveTimes | null;
  /** Null unless asked for. */
  readonly shards: LiveShards | null;
  /** Null unless asked for. */
  readonly replication: LiveReplication | null;
}

/** Links of replication: of a primary those to its replicas, of a replica that to its primary. */
export interface LiveReplication {
  /** Microseconds by which the slowest replica is behind, and this one behind its primary; null where there is none. */
  readonly replica_lag_us: number | null;
  readonly primary_lag_us: number | null;
  /** Lag of the slowest replica, in bytes; null where there is none. */
  readonly replica_lag_bytes: number | null;
  readonly stream_bytes: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
}

/** Figures of all threads together; those of counters are the rows of the table of quantities that have a name here. */
export interface LiveTotals extends Readonly<Record<LiveRate, number>> {
  readonly clients: number;
  readonly blocked: number;
  readonly used_bytes: number;
  readonly rss_bytes: number;
  readonly main_busy_percent: number;
}

export interface LiveTimes {
  /** Null where nothing was executed. */
  readonly execute: LiveLatency | null;
  readonly queue: LiveLatency | null;
}

/** Figures by shard: with a list for each figure its name is sent once a second, and not once for each shard. */
export interface LiveShards {
  readonly ops: readonly number[];
  readonly busy_percent: readonly number[];
  /** Null where nothing was executed. */
  readonly execute_p99_us: readonly (number | null)[];
  readonly queue_p99_us: readonly (number | null)[];
}

/** Latency of the commands of a second, in three digits. */
export interface LiveLatency {
  readonly p50_us: number;
  readonly p99_us: number;
  readonly p999_us: number;
  readonly max_us: number;
}
