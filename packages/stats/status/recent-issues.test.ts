/** Issues of the last seconds: at which value each begins, and what it names. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Facts } from '../verdict/facts.ts';
import { quiet, withShard, withThreads } from '../verdict/facts.test-helper.ts';
import { limits } from './limits.test-helper.ts';
import type { HealthLimits } from './vitals.ts';
import { recentIssues } from './recent-issues.ts';

const issues = suite('issues of the last seconds');

const LIMITS: HealthLimits = { ...limits, executionWarningMs: 400 };

const found = (facts: Facts, changed: Partial<HealthLimits> = {}): string[] =>
  recentIssues(facts, { ...LIMITS, ...changed }).map(
    ({ severity, code, value, threshold, object }) =>
      [severity, code, value, threshold, object].map(String).join(' '),
  );

const cases: readonly (readonly [name: string, facts: Facts, expected: readonly string[]])[] = [
  ['nothing', quiet, []],
  ['a queue below its limit', withShard(quiet, { queueMsP99: 499 }), []],
  [
    'a queue at its limit',
    withShard(quiet, { queueMsP99: 500 }),
    ['warning HIGH_LATENCY 500 500 the queue of shard 0'],
  ],
  [
    'slow executions on one shard',
    withShard(quiet, { executeMsP99: 450.4 }),
    ['warning HIGH_LATENCY 450 400 execution of shard 0'],
  ],
  ['too few requests for a percentile', withShard(quiet, { executeMsP99: 450, requests: 49 }), []],
  [
    'a thread without a processor',
    withThreads(quiet, { 'shard-1': { waitShare: 0.6 } }),
    ['warning PROCESSOR_STARVATION 60 50 machine'],
  ],
  ['a thread that waits less', withThreads(quiet, { 'shard-1': { waitShare: 0.49 } }), []],
  [
    'little room on the disk',
    { ...quiet, disk: { ...quiet.disk, freeShare: 0.029, freeBytes: 5_000_000 } },
    ['warning DISK_NEARLY_FULL 2.9 3 disk'],
  ],
  [
    'a disk whose room is not known',
    { ...quiet, disk: { ...quiet.disk, freeShare: null, freeBytes: null } },
    [],
  ],
  [
    'a client that does not read',
    {
      ...quiet,
      clients: { connected: 1, busiest: null, slowest: { id: 7, bytes: 80_000_000 } },
    },
    ['warning CLIENT_BUFFERS 80000000 5000000 client 7'],
  ],
];

for (const [name, facts, expected] of cases) {
  issues(name, () => {
    assert.equal(found(facts), expected);
  });
}

issues('a limit of 0 switches latency off', () => {
  const slow = withShard(quiet, { queueMsP99: 9_000, executeMsP99: 9_000 });
  assert.is(found(slow).length, 2);
  assert.equal(found(slow, { queueWarningMs: 0, executionWarningMs: 0 }), []);
});

issues.run();
