/** Report that the ops thread publishes for all threads: limits, issues that need a look back, and since when issues hold. */

import type { HealthCode, HealthIssue, LimitFinding } from '#api-types';

/** An issue of one moment. */
export type JudgedIssue = Omit<HealthIssue, 'since_ms'>;

export interface VerdictReport {
  readonly limited_by: readonly LimitFinding[];
  /** Issues of the last seconds, which no page shows at one moment. */
  readonly issues: readonly JudgedIssue[];
  /** Unix milliseconds since which each issue holds, by `issueName`. */
  readonly since: Readonly<Record<string, number>>;
  /** Latest times in which threads had too little processor time, in Unix milliseconds; the oldest first. */
  readonly starved: readonly StarvedTime[];
}

export interface StarvedTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Number of such times that are kept. */
export const STARVED_TIMES_MAX = 32;

/** Longest report that is published, in bytes. */
export const VERDICT_BYTES_MAX = 64 * 1024;

/** Report before the first one is published. */
export const NO_VERDICT: VerdictReport = {
  limited_by: [],
  issues: [],
  since: {},
  starved: [],
};

/** Names an issue over time: its message and value change, this does not. */
export function issueName({ code, object }: Pick<HealthIssue, 'code' | 'object'>): string {
  return object === null ? code : `${code} ${object}`;
}

type Details = Partial<Pick<HealthIssue, 'value' | 'unit' | 'threshold' | 'object' | 'link'>>;

const NO_DETAILS = { value: null, unit: null, threshold: null, object: null, link: null } as const;

/** An issue; without details it concerns the whole server and has no measurement. */
export function issueOf(
  [severity, code]: readonly [HealthIssue['severity'], HealthIssue['code']],
  message: string,
  details: Details = {},
): JudgedIssue {
  return { severity, code, message, ...NO_DETAILS, ...details };
}

const CODES: Readonly<Record<HealthCode, true>> = {
  MEMORY_PRESSURE: true,
  NEAR_CONNECTION_LIMIT: true,
  ELEVATED_DURABILITY_LAG: true,
  HIGH_DURABILITY_LAG: true,
  NOT_READY: true,
  SHARD_STUCK: true,
  MAIN_STUCK: true,
  FRONT_STUCK: true,
  PERSISTENCE_ERROR: true,
  REPLICA_DOWN: true,
  REPLICATION_LAG: true,
  NO_GOOD_REPLICAS: true,
  PRIMARY_LINK_DOWN: true,
  PRIMARY_STREAM_FAULT: true,
  TIER_FAULT: true,
  NO_COORDINATOR: true,
  LEASE_AT_RISK: true,
  SLOTS_UNCOVERED: true,
  GROUP_WITHOUT_PRIMARY: true,
  HIGH_LATENCY: true,
  PROCESSOR_STARVATION: true,
  GARBAGE_COLLECTION: true,
  CLIENT_BUFFERS: true,
  HIT_RATE_FALLING: true,
  SNAPSHOT_OLD: true,
  DISK_NEARLY_FULL: true,
  CERTIFICATE_EXPIRES: true,
};

/** Codes of all health issues. */
export const HEALTH_CODES = Object.keys(CODES) as readonly HealthCode[];
