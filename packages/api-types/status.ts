/** State of the server and of each of its shards. */

import type { ShardField, StatusField } from '#quantities';
import type { Health } from './health.ts';
import type { WindowReport } from './latency.ts';

/** Figures of a section that are rows of the table of quantities. */
type Figures<Section extends string> = Readonly<Record<StatusField<Section>, number>>;

export interface StatusDocument {
  readonly frogdb: {
    readonly version: string;
    readonly uptime_secs: number;
    readonly process_id: number;
    readonly timestamp: number;
    readonly timestamp_iso: string;
  };
  /** Processors and memory that the process may use. */
  readonly machine: {
    /** Number of threads that can run at the same time. */
    readonly processors: number;
    readonly memory_bytes: number;
    /** Limit of the cgroup, in processors; null without one. */
    readonly processor_limit: number | null;
    readonly memory_limit_bytes: number | null;
  };
  readonly cluster: {
    readonly database_available: boolean;
    readonly mode: string;
    readonly num_shards: number;
  } & Partial<ClusterFigures>;
  readonly health: Health;
  readonly clients: Figures<'clients'> & { readonly max_clients: number };
  readonly memory: {
    readonly used_bytes: number;
    readonly peak_bytes: number;
    readonly limit_bytes: number;
    readonly rss_bytes: number;
    readonly fragmentation_ratio: number;
  };
  readonly persistence: PersistenceReport;
  readonly replication: Figures<'replication'>;
  readonly tiered: Figures<'tiered'> & {
    readonly enabled: boolean;
    /** Values in the tier are nowhere else, since nothing is kept on disk. */
    readonly is_only_copy: boolean;
    /** Fault of its disk; `none` without a fault. */
    readonly fault: string;
  };
  readonly shards: readonly ShardStatus[];
  readonly keyspace: Figures<'keyspace'> & {
    readonly total_keys: number;
    readonly expires: number;
  };
  readonly commands: Figures<'commands'> & {
    readonly ops_per_sec: number;
    /** Recent latency of all commands. */
    readonly windows: WindowReport;
    readonly top: readonly CommandStatus[];
  };
}

/** Command that a shard is executing. */
export interface ExecutingReport {
  readonly command: string;
  /** Digest of the script that it runs, or the function's name; null if it runs none, or if it is unknown. */
  readonly script: string | null;
  readonly key: string | null;
  readonly client_id: number | null;
  readonly elapsed_us: number;
}

/** State of a shard; figures that are rows of the table of quantities are among it. */
export interface ShardStatus extends Readonly<Record<ShardField, number>> {
  readonly id: number;
  readonly state: 'running' | 'stuck' | 'restarting';
  readonly keys: number;
  readonly ops_per_sec: number;
  readonly queue_depth: number;
  readonly queue_bytes: number;
  readonly busy_percent: number;
  readonly executing: ExecutingReport | null;
}

/** State of the log and the snapshots; its figures do not change while there are none. */
export interface PersistenceReport {
  readonly enabled: boolean;
  readonly durability_mode: string | null;
  /** True until the first snapshot after persistence was switched on: a restart would lose all changes since. */
  readonly awaits_snapshot: boolean;
  readonly snapshot: {
    readonly in_progress: boolean;
    readonly last_timestamp: number | null;
    readonly last_status: string | null;
  };
  readonly wal: {
    readonly pending_ops: number;
    readonly pending_bytes: number;
    readonly max_durability_lag_ms: number;
    readonly last_flush_ok: boolean | null;
    readonly shards: readonly LogStatus[];
  };
  /** Data that the start could not recover. */
  readonly recovery: { readonly lost_bytes: number; readonly log_holes: number };
}

/** One shard's log. */
interface LogStatus {
  readonly shard: number;
  readonly segment: number;
  readonly segment_bytes: number;
  readonly pending_ops: number;
  readonly pending_bytes: number;
  readonly durability_lag_ms: number;
}

export interface CommandStatus {
  readonly command: string;
  readonly calls: number;
  /** Since the start, or CONFIG RESETSTAT. */
  readonly p50_us: number;
  readonly p99_us: number;
  readonly windows: WindowReport;
}

/** Figures of the cluster in the status document; only a node of a cluster has them. */
export type ClusterFigures = Figures<'cluster'> & {
  readonly enabled: true;
  /** Milliseconds until no write is taken any more, unless the lease is renewed. */
  readonly lease_remaining_ms: number;
};
