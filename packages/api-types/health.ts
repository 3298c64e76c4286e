/** Health of the server, and what limits it. */

type Severity = 'warning' | 'critical';

export type HealthCode =
  | 'MEMORY_PRESSURE'
  | 'NEAR_CONNECTION_LIMIT'
  | 'ELEVATED_DURABILITY_LAG'
  | 'HIGH_DURABILITY_LAG'
  | 'NOT_READY'
  | 'SHARD_STUCK'
  | 'MAIN_STUCK'
  | 'FRONT_STUCK'
  | 'PERSISTENCE_ERROR'
  | 'REPLICA_DOWN'
  | 'REPLICATION_LAG'
  | 'NO_GOOD_REPLICAS'
  | 'PRIMARY_LINK_DOWN'
  | 'PRIMARY_STREAM_FAULT'
  | 'TIER_FAULT'
  | 'NO_COORDINATOR'
  | 'LEASE_AT_RISK'
  | 'SLOTS_UNCOVERED'
  | 'GROUP_WITHOUT_PRIMARY'
  | 'HIGH_LATENCY'
  | 'PROCESSOR_STARVATION'
  | 'GARBAGE_COLLECTION'
  | 'CLIENT_BUFFERS'
  | 'HIT_RATE_FALLING'
  | 'SNAPSHOT_OLD'
  | 'DISK_NEARLY_FULL'
  | 'CERTIFICATE_EXPIRES';

/** Measurement behind an issue or a finding. */
interface Measured {
  readonly value: number;
  /** `%`, `ms`, `s`, `bytes`, or a count with its noun. */
  readonly unit: string;
  readonly threshold: number;
}

export interface HealthIssue {
  readonly severity: Severity;
  readonly code: HealthCode;
  /** One sentence without its full stop. */
  readonly message: string;
  /** Unix milliseconds at which it began; as of this document if the ops thread has not seen it yet. */
  readonly since_ms: number;
  /** Null where there is nothing to measure. */
  readonly value: Measured['value'] | null;
  readonly unit: Measured['unit'] | null;
  readonly threshold: Measured['threshold'] | null;
  /** The part that has it: `shard 1`, `client 7`; null for the whole server. */
  readonly object: string | null;
  /** Path of the debug page about it. */
  readonly link: string | null;
}

/** Kinds of limits; their table is `stats/verdict/causes.ts`. */
export type LimitCause =
  | 'machine'
  | 'main'
  | 'front'
  | 'shard'
  | 'key'
  | 'command'
  | 'client'
  | 'garbage'
  | 'disk'
  | 'memory'
  | 'network'
  | 'replication'
  | 'barrier'
  | 'tier';

/** One thing that limits the server now. */
export interface LimitFinding extends Measured {
  readonly cause: LimitCause;
  /** Unix milliseconds. */
  readonly since_ms: number;
  /** Highest value since then, or the lowest where less is worse. */
  readonly worst: number;
  readonly object: string | null;
  /** One sentence without its full stop, with the value and its unit. */
  readonly message: string;
  readonly advice: string;
  readonly link: string | null;
}

export interface Health {
  /** Unhealthy when anything is critical, degraded when there is anything at all. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly issues: readonly HealthIssue[];
  /** Limits of the server now, the strongest first; empty when nothing limits it. */
  readonly limited_by: readonly LimitFinding[];
}

export interface AdminHealth extends Health {
  readonly state: 'starting' | 'ready' | 'stopping';
}
