/** Issues of a cluster follow from main's page and the time. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Page, type PageShape } from '../page/page.ts';
import { clusterIssues, clusterStatus } from './cluster-status.ts';

const statuses = suite('status of a cluster');

const SHAPE: PageShape = { databases: 1, commands: 1, errorCodes: 1 };
const NOW_US = 1_000_000_000;
const MOMENT = { nowUs: NOW_US, wallMs: 5_000_000 };

type Change = (page: Page) => void;

/** A node of a cluster that is well, but for what is changed. */
function pageOf(change: Change): Page {
  const page = new Page(SHAPE, new ArrayBuffer(Page.bytes(SHAPE)));
  page.set('clusterEnabled', 1);
  page.set('clusterUp', 1);
  page.set('clusterCoordinatorUp', 1);
  page.set('clusterLeaseTtlUs', 5_000_000);
  page.set('clusterLeaseRenewedUs', NOW_US - 500_000);
  page.set('clusterLeaseUntilUs', NOW_US + 4_000_000);
  change(page);
  return page;
}

const cases: readonly (readonly [what: string, change: Change, issues: readonly string[]])[] = [
  ['a node that is well', () => undefined, []],
  ['a server in no cluster', (page) => page.set('clusterEnabled', 0), []],
  [
    'no coordinator',
    (page) => {
      page.set('clusterCoordinatorUp', 0);
      page.set('clusterCoordinatorDownSinceMs', MOMENT.wallMs - 2_500);
    },
    [
      'warning NO_COORDINATOR the coordinator has not replied for 2.5 s: no failover is possible, and leases expire',
    ],
  ],
  [
    'a lease that is not renewed',
    (page) => {
      page.set('clusterLeaseRenewedUs', NOW_US - 3_000_000);
      page.set('clusterLeaseUntilUs', NOW_US + 1_500_000);
    },
    ['warning LEASE_AT_RISK the lease was not renewed for 3.0 s: writes are refused in 1.5 s'],
  ],
  [
    'a lease that has ended while main was away',
    (page) => page.set('clusterLeaseUntilUs', NOW_US - 1),
    ['critical LEASE_AT_RISK this node has no lease: it refuses writes'],
  ],
  [
    'slots of nobody, where all are needed',
    (page) => {
      page.set('clusterUp', 0);
      page.set('clusterSlotsFree', 16_384);
    },
    ['critical SLOTS_UNCOVERED 16384 slots have no group, and the groups of 0 have no primary'],
  ],
  [
    'a group without its primary, where others go on',
    (page) => {
      page.set('clusterSlotsFailed', 10);
      page.set('clusterGroupsWithoutPrimary', 1);
    },
    [
      'warning SLOTS_UNCOVERED 0 slots have no group, and the groups of 10 have no primary',
      'critical GROUP_WITHOUT_PRIMARY 1 group has no primary with a lease',
    ],
  ],
];

for (const [what, change, expected] of cases) {
  statuses(what, () => {
    const issues = clusterIssues(pageOf(change), MOMENT);
    assert.equal(
      issues.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
      expected,
    );
  });
}

statuses('tells how long the lease lasts by the time of asking', () => {
  const page = pageOf(() => undefined);
  assert.is(clusterStatus(page, [], NOW_US).lease_remaining_ms, 4_000);
  assert.is(clusterStatus(page, [], NOW_US + 1_000_000).lease_remaining_ms, 3_000);
  assert.is(clusterStatus(page, [], NOW_US + 9_000_000).lease_remaining_ms, 0);
});

statuses.run();
