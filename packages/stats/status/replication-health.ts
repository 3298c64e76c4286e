/** Health of replication, on both sides of a link. */

import { issueOf, type JudgedIssue } from '../issues/report.ts';
import type { HealthLimits, Vitals } from './vitals.ts';

const LINK = { link: '/debug/replication' };

export function replication(vitals: Vitals, limits: HealthLimits): JudgedIssue[] {
  return [
    ...streamFault(vitals),
    ...primaryLink(vitals),
    ...replicas(vitals),
    ...lags(vitals, limits),
  ];
}

function streamFault({ streamFault: fault }: Vitals): JudgedIssue[] {
  if (fault === null) return [];
  const cause = `a command of the primary failed ${Math.round(fault.agoMs / 1_000)} s ago`;
  return [
    fault.differs
      ? issueOf(
          ['critical', 'PRIMARY_STREAM_FAULT'],
          `${cause}: the data may differ from the primary's`,
          LINK,
        )
      : issueOf(
          ['warning', 'PRIMARY_STREAM_FAULT'],
          `${cause}: a full sync has finished since`,
          LINK,
        ),
  ];
}

function primaryLink({ linkDownMs }: Vitals): JudgedIssue[] {
  if (linkDownMs === null) return [];
  const value = Math.round(linkDownMs);
  const message = `the link to the primary has been down for ${value} ms`;
  const details = { ...LINK, value, unit: 'ms', threshold: 0, object: 'primary' };
  return [issueOf(['warning', 'PRIMARY_LINK_DOWN'], message, details)];
}

function replicas({ replicas: value, replicasSeen, lacksReplicas }: Vitals): JudgedIssue[] {
  const details = { ...LINK, value, unit: 'replicas' };
  const refused = issueOf(
    ['critical', 'NO_GOOD_REPLICAS'],
    'writes are refused: fewer than min-replicas-to-write replicas are connected and within min-replicas-max-lag',
    { ...details, threshold: 1 },
  );
  const missing = issueOf(
    ['warning', 'REPLICA_DOWN'],
    `${value} of ${replicasSeen} replicas are connected`,
    { ...details, threshold: replicasSeen },
  );
  return [...(lacksReplicas ? [refused] : []), ...(value < replicasSeen ? [missing] : [])];
}

function lags(
  { replicaLagMs, unappliedMs }: Vitals,
  { replicationLagWarningMs: threshold }: HealthLimits,
): JudgedIssue[] {
  const lag = (ms: number, object: string, message: string): JudgedIssue[] => {
    if (ms < threshold) return [];
    const details = { ...LINK, value: Math.round(ms), unit: 'ms', threshold, object };
    return [issueOf(['warning', 'REPLICATION_LAG'], message, details)];
  };
  return [
    ...lag(
      replicaLagMs,
      'slowest replica',
      `the slowest replica has lagged for ${Math.round(replicaLagMs)} ms`,
    ),
    ...lag(
      unappliedMs,
      'this replica',
      `received commands of the primary have waited ${Math.round(unappliedMs)} ms to be applied`,
    ),
  ];
}
