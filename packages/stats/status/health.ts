/** Health of a server: issues with their severity. */

import { TIER_FAULT_TEXTS } from './tier-faults.ts';
import type { Health, HealthCode, HealthIssue, Severity } from '#api-types';

/** The settings `status.*`. */
export interface HealthLimits {
  readonly memoryWarningPercent: number;
  readonly connectionWarningPercent: number;
  readonly durabilityLagWarningMs: number;
  readonly durabilityLagCriticalMs: number;
  readonly replicationLagWarningMs: number;
}

/** Facts that health is judged by. */
export interface Vitals {
  readonly isReady: boolean;
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly limitBytes: number;
  /** Full memory makes room by itself: it has an eviction policy. */
  readonly evicts: boolean;
  /** Fault of the disk of the warm tier. */
  readonly tierFault: string;
  readonly connected: number;
  readonly maxClients: number;
  readonly durabilityLagMs: number;
  /** Reason why writes do not reach the disk, if they do not. */
  readonly persistenceError: string | null;
  /** Outcome of the last snapshot; where it has failed, writes may be refused until one succeeds. */
  readonly lastSave: 'fine' | 'failed' | 'refuses writes';
  /** Data that the start could not bring back, if any. */
  readonly recoveryLoss: string | null;
  /** Replicas that are connected, and the most that were at once since the first. */
  readonly replicas: number;
  readonly replicasSeen: number;
  /** Writes are refused for want of replicas. */
  readonly lacksReplicas: boolean;
  /** Milliseconds for which a replica has had no link to its primary; null with one, and on a primary. */
  readonly linkDownMs: number | null;
  /** Milliseconds for which the oldest byte of the primary's stream that is not applied has waited; 0 on a primary. */
  readonly unappliedMs: number;
  /** Failure of a command of the primary's stream; null where there was none lately. */
  readonly streamFault: StreamFaultDetails | null;
  /** Milliseconds for which the slowest replica has been behind. */
  readonly replicaLagMs: number;
  /** Activity of main if it is stuck, in words. */
  readonly mainStandstill: string | null;
  /** Stuck front threads, each as a sentence. */
  readonly stuckFronts: readonly string[];
  /** Issues of the cluster; none where the server is in none. */
  readonly clusterIssues: readonly HealthIssue[];
  /** Stuck shards, each with its activity as a phrase. */
  readonly stuck: readonly { readonly shard: number; readonly doing: string }[];
}

/** Last command of a primary's stream that a replica could not run. */
interface StreamFaultDetails {
  /** Milliseconds since then. */
  readonly agoMs: number;
  /** No full synchronisation has ended since. */
  readonly differs: boolean;
}

/** Usage of `maxmemory` that is critical without eviction, regardless of the warning threshold. */
const MEMORY_CRITICAL_PERCENT = 95;

export function judge(vitals: Vitals, limits: HealthLimits): Health {
  const issues = [
    ...readiness(vitals),
    ...memory(vitals, limits),
    ...connections(vitals, limits),
    ...durability(vitals, limits),
    ...replication(vitals, limits),
    ...vitals.clusterIssues,
    ...tier(vitals),
    ...main(vitals),
    ...vitals.stuckFronts.map((words) => issue('critical', 'FRONT_STUCK', words)),
    ...vitals.stuck.map(({ shard, doing }) =>
      issue('critical', 'SHARD_STUCK', `shard ${shard} ${doing}`),
    ),
  ];
  const isCritical = issues.some(({ severity }) => severity === 'critical');
  const status = isCritical ? 'unhealthy' : issues.length > 0 ? 'degraded' : 'healthy';
  return { status, issues };
}

function issue(severity: Severity, code: HealthCode, message: string): HealthIssue {
  return { severity, code, message };
}

function readiness({ isReady }: Vitals): HealthIssue[] {
  return isReady ? [] : [issue('critical', 'NOT_READY', 'the server is starting or stopping')];
}

function tier({ tierFault }: Vitals): HealthIssue[] {
  const text = TIER_FAULT_TEXTS[tierFault];
  if (text === undefined) return [];
  const severity = tierFault === 'vanished' ? 'warning' : 'critical';
  return [issue(severity, 'TIER_FAULT', text)];
}

function main({ mainStandstill }: Vitals): HealthIssue[] {
  return mainStandstill === null ? [] : [issue('critical', 'MAIN_STUCK', `main ${mainStandstill}`)];
}

function replication(vitals: Vitals, limits: HealthLimits): HealthIssue[] {
  const { replicas, replicasSeen, lacksReplicas, replicaLagMs: lagMs, linkDownMs } = vitals;
  const issues: HealthIssue[] = streamFault(vitals);
  if (linkDownMs !== null) {
    const message = `the link to the primary has been down for ${Math.round(linkDownMs)} ms`;
    issues.push(issue('warning', 'PRIMARY_LINK_DOWN', message));
  }
  if (lacksReplicas) {
    const message =
      'writes are refused: fewer than min-replicas-to-write replicas are connected and within min-replicas-max-lag';
    issues.push(issue('critical', 'NO_GOOD_REPLICAS', message));
  }
  if (replicas < replicasSeen) {
    const message = `${replicas} of ${replicasSeen} replicas are connected`;
    issues.push(issue('warning', 'REPLICA_DOWN', message));
  }
  if (lagMs >= limits.replicationLagWarningMs) {
    const message = `the slowest replica has lagged for ${Math.round(lagMs)} ms`;
    issues.push(issue('warning', 'REPLICATION_LAG', message));
  }
  if (vitals.unappliedMs >= limits.replicationLagWarningMs) {
    const message = `received commands of the primary have waited ${Math.round(vitals.unappliedMs)} ms to be applied`;
    issues.push(issue('warning', 'REPLICATION_LAG', message));
  }
  return issues;
}

function streamFault({ streamFault: fault }: Vitals): HealthIssue[] {
  if (fault === null) return [];
  const cause = `a command of the primary failed ${Math.round(fault.agoMs / 1_000)} s ago`;
  return [
    fault.differs
      ? issue(
          'critical',
          'PRIMARY_STREAM_FAULT',
          `${cause}: the data may differ from the primary's`,
        )
      : issue('warning', 'PRIMARY_STREAM_FAULT', `${cause}: a full sync has finished since`),
  ];
}

function memory(vitals: Vitals, limits: HealthLimits): HealthIssue[] {
  const { usedBytes, limitBytes, evicts } = vitals;
  if (limitBytes === 0) return [];
  const percent = (usedBytes * 100) / limitBytes;
  // A full cache is as it should be.
  const isCritical = percent >= MEMORY_CRITICAL_PERCENT && !evicts;
  if (!isCritical && percent < limits.memoryWarningPercent) return [];
  const message = `${percent.toFixed(1)}% of maxmemory is used`;
  return [issue(isCritical ? 'critical' : 'warning', 'MEMORY_PRESSURE', message)];
}

function connections({ connected, maxClients }: Vitals, limits: HealthLimits): HealthIssue[] {
  const percent = (connected * 100) / maxClients;
  if (percent < limits.connectionWarningPercent) return [];
  return [
    issue('warning', 'NEAR_CONNECTION_LIMIT', `${connected} of ${maxClients} connections are open`),
  ];
}

function durability(vitals: Vitals, limits: HealthLimits): HealthIssue[] {
  const { durabilityLagMs: lagMs, persistenceError, recoveryLoss } = vitals;
  const issues: HealthIssue[] = [];
  const message = `the oldest write that is not on disk is ${lagMs} ms old`;
  if (lagMs >= limits.durabilityLagCriticalMs) {
    issues.push(issue('critical', 'HIGH_DURABILITY_LAG', message));
  } else if (lagMs >= limits.durabilityLagWarningMs) {
    issues.push(issue('warning', 'ELEVATED_DURABILITY_LAG', message));
  }
  if (persistenceError !== null) {
    issues.push(issue('critical', 'PERSISTENCE_ERROR', persistenceError));
  } else if (vitals.lastSave === 'refuses writes') {
    const refused = 'the last snapshot failed: writes are refused until one succeeds';
    issues.push(issue('critical', 'PERSISTENCE_ERROR', refused));
  } else if (vitals.lastSave === 'failed') {
    issues.push(issue('warning', 'PERSISTENCE_ERROR', 'the last snapshot failed'));
  }
  if (recoveryLoss !== null) issues.push(issue('warning', 'PERSISTENCE_ERROR', recoveryLoss));
  return issues;
}
