/** Report that the ops thread publishes for all threads: limits, issues that need a look back, and since when issues hold. */

import type { HealthIssue, LimitFinding } from '#api-types';

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
