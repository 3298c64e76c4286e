/** The health rules: what is an issue, at which value, and how bad it makes the whole. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judge } from './health.ts';
import { limits } from './limits.test-helper.ts';
import type { Vitals } from './vitals.ts';

const health = suite('health');

const well: Vitals = {
  isReady: true,
  usedBytes: 0,
  limitBytes: 0,
  evicts: false,
  tierFault: 'none',
  connected: 1,
  maxClients: 100,
  durabilityLagMs: 0,
  durabilityLagShard: 0,
  oldSnapshot: null,
  certificateMs: null,
  recentIssues: [],
  persistenceError: null,
  lastSave: 'fine',
  recoveryLoss: null,
  replicas: 0,
  replicasSeen: 0,
  lacksReplicas: false,
  linkDownMs: null,
  unappliedMs: 0,
  streamFault: null,
  replicaLagMs: 0,
  mainStandstill: null,
  stuckFronts: [],
  clusterIssues: [],
  stuck: [],
};

const cases: readonly (readonly [change: Partial<Vitals>, status: string, codes: string[]])[] = [
  [{}, 'healthy', []],
  [{ usedBytes: 1e12 }, 'healthy', []],
  [{ tierFault: 'vanished' }, 'degraded', ['warning TIER_FAULT']],
  [{ tierFault: 'full' }, 'unhealthy', ['critical TIER_FAULT']],
  [{ usedBytes: 899, limitBytes: 1_000 }, 'healthy', []],
  [{ usedBytes: 900, limitBytes: 1_000 }, 'degraded', ['warning MEMORY_PRESSURE']],
  [{ usedBytes: 949, limitBytes: 1_000 }, 'degraded', ['warning MEMORY_PRESSURE']],
  [{ usedBytes: 950, limitBytes: 1_000 }, 'unhealthy', ['critical MEMORY_PRESSURE']],
  [{ usedBytes: 899, limitBytes: 1_000, evicts: true }, 'healthy', []],
  [{ usedBytes: 1_049, limitBytes: 1_000, evicts: true }, 'healthy', []],
  [{ usedBytes: 1_050, limitBytes: 1_000, evicts: true }, 'degraded', ['warning MEMORY_PRESSURE']],
  [{ certificateMs: 14 * 86_400_000 }, 'healthy', []],
  [{ certificateMs: 14 * 86_400_000 - 1 }, 'degraded', ['warning CERTIFICATE_EXPIRES']],
  [{ certificateMs: 0 }, 'unhealthy', ['critical CERTIFICATE_EXPIRES']],
  [{ oldSnapshot: { ageMs: 30_000, limitMs: 10_000 } }, 'degraded', ['warning SNAPSHOT_OLD']],
  [{ connected: 79 }, 'healthy', []],
  [{ connected: 80 }, 'degraded', ['warning NEAR_CONNECTION_LIMIT']],
  [{ durabilityLagMs: 4_999 }, 'healthy', []],
  [{ durabilityLagMs: 5_000 }, 'degraded', ['warning ELEVATED_DURABILITY_LAG']],
  [{ durabilityLagMs: 30_000 }, 'unhealthy', ['critical HIGH_DURABILITY_LAG']],
  [{ persistenceError: 'the disk is full' }, 'unhealthy', ['critical PERSISTENCE_ERROR']],
  [{ lastSave: 'refuses writes' }, 'unhealthy', ['critical PERSISTENCE_ERROR']],
  [{ lastSave: 'failed' }, 'degraded', ['warning PERSISTENCE_ERROR']],
  [
    { lastSave: 'failed', persistenceError: 'the disk is full' },
    'unhealthy',
    ['critical PERSISTENCE_ERROR'],
  ],
  [{ recoveryLoss: '5 bytes' }, 'degraded', ['warning PERSISTENCE_ERROR']],
  [{ replicas: 2, replicasSeen: 2, replicaLagMs: 9_999 }, 'healthy', []],
  [{ replicas: 1, replicasSeen: 2 }, 'degraded', ['warning REPLICA_DOWN']],
  [{ replicaLagMs: 10_000 }, 'degraded', ['warning REPLICATION_LAG']],
  [{ lacksReplicas: true }, 'unhealthy', ['critical NO_GOOD_REPLICAS']],
  [{ linkDownMs: 5 }, 'degraded', ['warning PRIMARY_LINK_DOWN']],
  [{ streamFault: { agoMs: 5, differs: true } }, 'unhealthy', ['critical PRIMARY_STREAM_FAULT']],
  [{ unappliedMs: 1_000_000 }, 'degraded', ['warning REPLICATION_LAG']],
  [{ streamFault: { agoMs: 5, differs: false } }, 'degraded', ['warning PRIMARY_STREAM_FAULT']],
  [{ isReady: false }, 'unhealthy', ['critical NOT_READY']],
  [{ mainStandstill: 'sleeps' }, 'unhealthy', ['critical MAIN_STUCK']],
  [{ stuckFronts: ['front 0 sleeps'] }, 'unhealthy', ['critical FRONT_STUCK']],
  [
    { stuck: [{ shard: 1, doing: 'sleeps' }], connected: 100 },
    'unhealthy',
    ['warning NEAR_CONNECTION_LIMIT', 'critical SHARD_STUCK'],
  ],
];

for (const [change, status, codes] of cases) {
  health(`${JSON.stringify(change)} is ${status}`, () => {
    const judged = judge({ ...well, ...change }, limits);
    assert.is(judged.status, status);
    assert.equal(
      judged.issues.map(({ severity, code }) => `${severity} ${code}`),
      codes,
    );
  });
}

health('a warning above 95 percent does not hide what is critical', () => {
  const lax = { ...limits, memoryWarningPercent: 100 };
  const judged = judge({ ...well, usedBytes: 960, limitBytes: 1_000 }, lax);
  assert.is(judged.status, 'unhealthy');
});

health('says which shard is stuck in what', () => {
  const stuck = [{ shard: 1, doing: 'has been running lcs for 2.0 s' }];
  const [issue] = judge({ ...well, stuck }, limits).issues;
  assert.is(issue?.message, 'shard 1 has been running lcs for 2.0 s');
});

health.run();
