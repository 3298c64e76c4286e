/** The cluster in the status document, and what of it is wrong: read from main's page, so it holds while main is stuck too. */

import type { ClusterFigures } from '#api-types';
import { issueOf, type JudgedIssue } from '../issues/report.ts';
import type { Page } from '../page/page.ts';
import { statusFields } from '../page/read-quantities.ts';

/** Share of a lease's life: with less left the lease is at risk, since it is renewed ten times in its life. */
const LEASE_SAFE_SHARE = 0.5;

const LINK = { link: '/debug/cluster' };

interface Moment {
  readonly nowUs: number;
  readonly wallMs: number;
}

/** Figures of the cluster; none where the server is in no cluster. */
export function clusterStatus(
  main: Page,
  shards: readonly Page[],
  nowUs: number,
): Partial<ClusterFigures> {
  if (main.get('clusterEnabled') === 0) return {};
  return {
    enabled: true,
    lease_remaining_ms: Math.round(leaseRemainingUs(main, nowUs) / 1_000),
    ...statusFields('cluster', main, shards),
  };
}

/** Microseconds until writes are taken no more unless the lease is renewed; 0 without a lease. */
export function leaseRemainingUs(main: Page, nowUs: number): number {
  return Math.max(0, main.get('clusterLeaseUntilUs') - nowUs);
}

/** Microseconds since the last renewal of the lease; 0 before the first. */
export function leaseAgeUs(main: Page, nowUs: number): number {
  const renewedUs = main.get('clusterLeaseRenewedUs');
  return renewedUs > 0 ? Math.max(0, nowUs - renewedUs) : 0;
}

/** Returns the issues of the cluster as seen by this node; none without a cluster. */
export function clusterIssues(main: Page, moment: Moment): readonly JudgedIssue[] {
  if (main.get('clusterEnabled') === 0) return [];
  return [...coordinator(main, moment), ...lease(main, moment), ...slots(main), ...groups(main)];
}

function coordinator(main: Page, { wallMs }: Moment): readonly JudgedIssue[] {
  if (main.get('clusterCoordinatorUp') === 1) return [];
  const sinceMs = main.get('clusterCoordinatorDownSinceMs');
  const ago = sinceMs > 0 ? ` for ${seconds(1_000 * (wallMs - sinceMs))}` : '';
  const message = `the coordinator has not replied${ago}: no failover is possible, and leases expire`;
  return [issueOf(['warning', 'NO_COORDINATOR'], message, LINK)];
}

function lease(main: Page, { nowUs }: Moment): readonly JudgedIssue[] {
  const leftUs = leaseRemainingUs(main, nowUs);
  if (leftUs === 0) {
    return [
      issueOf(['critical', 'LEASE_AT_RISK'], 'this node has no lease: it refuses writes', LINK),
    ];
  }
  if (leftUs >= LEASE_SAFE_SHARE * main.get('clusterLeaseTtlUs')) return [];
  const age = seconds(leaseAgeUs(main, nowUs));
  const message = `the lease was not renewed for ${age}: writes are refused in ${seconds(leftUs)}`;
  return [issueOf(['warning', 'LEASE_AT_RISK'], message, LINK)];
}

function slots(main: Page): readonly JudgedIssue[] {
  const [free, failed] = [main.get('clusterSlotsFree'), main.get('clusterSlotsFailed')];
  if (free + failed === 0) return [];
  const message = `${free} slots have no group, and the groups of ${failed} have no primary`;
  // With cluster-require-full-coverage no client is served meanwhile.
  const severity = main.get('clusterUp') === 1 ? 'warning' : 'critical';
  return [issueOf([severity, 'SLOTS_UNCOVERED'], message, LINK)];
}

function groups(main: Page): readonly JudgedIssue[] {
  const count = main.get('clusterGroupsWithoutPrimary');
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? 'group has' : 'groups have'} no primary with a lease`;
  return [issueOf(['critical', 'GROUP_WITHOUT_PRIMARY'], message, LINK)];
}

function seconds(us: number): string {
  return `${(us / 1_000_000).toFixed(1)} s`;
}
