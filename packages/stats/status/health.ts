/** Health of a server: issues with their severity. */

import type { Health, HealthIssue } from '#api-types';
import { inBytes } from '../verdict/finding.ts';
import { issueOf, type JudgedIssue } from '../issues/report.ts';
import { replication } from './replication-health.ts';
import type { HealthLimits, Vitals } from './vitals.ts';
import { TIER_FAULT_TEXTS } from '../page/tier-faults.ts';

/** Issues of one moment, and the status that follows from them. */
interface JudgedHealth {
  readonly status: Health['status'];
  readonly issues: readonly JudgedIssue[];
}

/** Usage of `maxmemory` that is critical without eviction, regardless of the warning threshold. */
const MEMORY_CRITICAL_PERCENT = 95;
/** Usage from which eviction does not keep up; until then a full cache is as it should be. */
const MEMORY_OVER_PERCENT = 105;
const DAY_MS = 86_400_000;

export function judge(vitals: Vitals, limits: HealthLimits): JudgedHealth {
  const issues = [
    ...readiness(vitals),
    ...memory(vitals, limits),
    ...connections(vitals, limits),
    ...durability(vitals, limits),
    ...snapshots(vitals),
    ...replication(vitals, limits),
    ...vitals.clusterIssues,
    ...tier(vitals),
    ...certificate(vitals, limits),
    ...stuckThreads(vitals),
    ...vitals.recentIssues,
  ];
  return { status: statusOf(issues), issues };
}

function statusOf(issues: readonly Pick<HealthIssue, 'severity'>[]): Health['status'] {
  if (issues.some(({ severity }) => severity === 'critical')) return 'unhealthy';
  return issues.length > 0 ? 'degraded' : 'healthy';
}

function readiness({ isReady }: Vitals): JudgedIssue[] {
  if (isReady) return [];
  return [issueOf(['critical', 'NOT_READY'], 'the server is starting or stopping')];
}

function tier({ tierFault }: Vitals): JudgedIssue[] {
  const text = TIER_FAULT_TEXTS[tierFault];
  if (text === undefined) return [];
  const severity = tierFault === 'vanished' ? 'warning' : 'critical';
  return [issueOf([severity, 'TIER_FAULT'], text, { object: tierFault, link: '/debug/memory' })];
}

function stuckThreads({ mainStandstill, stuckFronts, stuck }: Vitals): JudgedIssue[] {
  const ofMain =
    mainStandstill === null
      ? []
      : [issueOf(['critical', 'MAIN_STUCK'], `main ${mainStandstill}`, { object: 'main' })];
  const ofFronts = stuckFronts.map((words) =>
    issueOf(['critical', 'FRONT_STUCK'], words, {
      object: words.split(' ').slice(0, 2).join(' '),
      link: '/debug/shards',
    }),
  );
  const ofShards = stuck.map(({ shard, doing }) =>
    issueOf(['critical', 'SHARD_STUCK'], `shard ${shard} ${doing}`, {
      object: `shard ${shard}`,
      link: `/debug/shards?shard=${shard}`,
    }),
  );
  return [...ofMain, ...ofFronts, ...ofShards];
}

function memory(vitals: Vitals, limits: HealthLimits): JudgedIssue[] {
  const { usedBytes, limitBytes, evicts } = vitals;
  if (limitBytes === 0) return [];
  const percent = (usedBytes * 100) / limitBytes;
  const threshold = evicts ? MEMORY_OVER_PERCENT : limits.memoryWarningPercent;
  const isCritical = percent >= MEMORY_CRITICAL_PERCENT && !evicts;
  if (!isCritical && percent < threshold) return [];
  const message = `${percent.toFixed(1)}% of maxmemory is used`;
  const details = { value: tenths(percent), unit: '%', threshold, link: '/debug/memory' };
  return [issueOf([isCritical ? 'critical' : 'warning', 'MEMORY_PRESSURE'], message, details)];
}

function connections({ connected, maxClients }: Vitals, limits: HealthLimits): JudgedIssue[] {
  const percent = (connected * 100) / maxClients;
  if (percent < limits.connectionWarningPercent) return [];
  const message = `${connected} of ${maxClients} connections are open`;
  const threshold = Math.ceil((limits.connectionWarningPercent * maxClients) / 100);
  const details = { value: connected, unit: 'connections', threshold, link: '/debug/clients' };
  return [issueOf(['warning', 'NEAR_CONNECTION_LIMIT'], message, details)];
}

const PERSISTENCE = { link: '/debug/persistence' };

function durability(vitals: Vitals, limits: HealthLimits): JudgedIssue[] {
  const { durabilityLagMs: lagMs, durabilityLagShard: shard } = vitals;
  const message = `the oldest write that is not on disk is ${lagMs} ms old (shard ${shard})`;
  const details = (threshold: number) => ({
    ...PERSISTENCE,
    value: lagMs,
    unit: 'ms',
    threshold,
    object: `shard ${shard}`,
  });
  if (lagMs >= limits.durabilityLagCriticalMs) {
    const measured = details(limits.durabilityLagCriticalMs);
    return [issueOf(['critical', 'HIGH_DURABILITY_LAG'], message, measured)];
  }
  if (lagMs < limits.durabilityLagWarningMs) return [];
  const measured = details(limits.durabilityLagWarningMs);
  return [issueOf(['warning', 'ELEVATED_DURABILITY_LAG'], message, measured)];
}

function snapshots(vitals: Vitals): JudgedIssue[] {
  const { persistenceError, lastSave, recoveryLoss, oldSnapshot } = vitals;
  const issues: JudgedIssue[] = [];
  const add = (severity: HealthIssue['severity'], message: string): void => {
    issues.push(issueOf([severity, 'PERSISTENCE_ERROR'], message, PERSISTENCE));
  };
  if (persistenceError !== null) {
    add('critical', persistenceError);
  } else if (lastSave === 'refuses writes') {
    add('critical', 'the last snapshot failed: writes are refused until one succeeds');
  } else if (lastSave === 'failed') {
    add('warning', 'the last snapshot failed');
  }
  if (recoveryLoss !== null) add('warning', recoveryLoss);
  if (oldSnapshot !== null) {
    const [value, threshold] = [oldSnapshot.ageMs, oldSnapshot.limitMs].map((each) =>
      Math.round(each / 1_000),
    ) as [number, number];
    const message = `the last snapshot is ${value} s old, although there were changes`;
    const details = { ...PERSISTENCE, value, unit: 's', threshold };
    issues.push(issueOf(['warning', 'SNAPSHOT_OLD'], message, details));
  }
  return issues;
}

function certificate(
  { certificateMs }: Vitals,
  { certificateWarningDays: threshold }: HealthLimits,
): JudgedIssue[] {
  if (certificateMs === null || certificateMs >= threshold * DAY_MS) return [];
  const value = tenths(certificateMs / DAY_MS);
  const details = { value, unit: 'days', threshold, object: 'tls.cert-file' };
  return certificateMs <= 0
    ? [issueOf(['critical', 'CERTIFICATE_EXPIRES'], 'the TLS certificate has expired', details)]
    : [
        issueOf(
          ['warning', 'CERTIFICATE_EXPIRES'],
          `the TLS certificate expires in ${value.toFixed(1)} days`,
          details,
        ),
      ];
}

/** Issue of a disk with little room. */
export function littleRoom(freeBytes: number, freeShare: number, threshold: number): JudgedIssue {
  const value = tenths(freeShare * 100);
  const details = { ...PERSISTENCE, value, unit: '%', threshold, object: 'disk' };
  const message = `${inBytes(freeBytes)} are free on the disk of the data (${value.toFixed(1)} %)`;
  return issueOf(['warning', 'DISK_NEARLY_FULL'], message, details);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
