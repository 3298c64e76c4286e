/** Health issues that need a look back over the last seconds. */

import { littleRoom } from './health.ts';
import type { HealthLimits } from './vitals.ts';
import { fallenHitShare } from '../verdict/data-causes.ts';
import type { Facts } from '../verdict/facts.ts';
import { inBytes, percent } from '../verdict/finding.ts';
import { issueOf, type JudgedIssue } from '../issues/report.ts';
import { COLLECTION_MS, garbage, waitingThreads } from '../verdict/thread-causes.ts';
import { slowestReader } from '../verdict/work-causes.ts';

/** Share of time without a processor that is an issue; less is a finding alone. */
const WAIT_SHARE = 0.5;
/** Requests of a window from which their percentiles are used. */
const REQUESTS_MIN = 50;

export function recentIssues(facts: Facts, limits: HealthLimits): readonly JudgedIssue[] {
  return [
    ...starvation(facts),
    ...latency(facts, limits),
    ...collections(facts),
    ...buffers(facts),
    ...hits(facts),
    ...room(facts, limits),
  ];
}

function starvation(facts: Facts): readonly JudgedIssue[] {
  const [worst] = waitingThreads(facts, WAIT_SHARE);
  if (worst === undefined) return [];
  const value = percent(worst.waitShare);
  return [
    issueOf(
      ['warning', 'PROCESSOR_STARVATION'],
      `${worst.name} waited for a processor for ${value} % of the last ${Math.round(facts.seconds)} s`,
      {
        value,
        unit: '%',
        threshold: percent(WAIT_SHARE),
        object: 'machine',
        link: '/debug/shards',
      },
    ),
  ];
}

function latency(
  { shards }: Facts,
  { queueWarningMs, executionWarningMs }: HealthLimits,
): readonly JudgedIssue[] {
  const issues: JudgedIssue[] = [];
  const add = (what: string, shard: number, ms: number, threshold: number): void => {
    const value = Math.round(ms);
    const details = { value, unit: 'ms', threshold, object: `${what} of shard ${shard}` };
    const message = `99 % of the requests of shard ${shard} needed up to ${value} ms for ${what}`;
    const link = `/debug/shards?shard=${shard}`;
    issues.push(issueOf(['warning', 'HIGH_LATENCY'], message, { ...details, link }));
  };
  for (const { shard, requests, queueMsP99, executeMsP99 } of shards) {
    if (requests < REQUESTS_MIN) continue;
    if (queueWarningMs > 0 && queueMsP99 >= queueWarningMs)
      add('the queue', shard, queueMsP99, queueWarningMs);
    if (executionWarningMs > 0 && executeMsP99 >= executionWarningMs)
      add('execution', shard, executeMsP99, executionWarningMs);
  }
  return issues;
}

function collections(facts: Facts): readonly JudgedIssue[] {
  return garbage(facts).map(({ value, unit, threshold, object, message, link }) =>
    issueOf(
      ['warning', 'GARBAGE_COLLECTION'],
      message,
      value >= threshold
        ? { value, unit, threshold, object, link }
        : { value: null, unit: null, threshold: COLLECTION_MS, object, link },
    ),
  );
}

function buffers(facts: Facts): readonly JudgedIssue[] {
  const slowest = slowestReader(facts);
  if (slowest === undefined) return [];
  const { id, bytes: value, threshold } = slowest;
  const message = `client ${id} has not read ${inBytes(value)} of replies`;
  const link = `/debug/clients?id=${id}`;
  const details = { value, unit: 'bytes', threshold, object: `client ${id}`, link };
  return [issueOf(['warning', 'CLIENT_BUFFERS'], message, details)];
}

function hits(facts: Facts): readonly JudgedIssue[] {
  const fallen = fallenHitShare(facts);
  if (fallen === undefined) return [];
  const { hitShare, hitShareBefore, threshold } = fallen;
  const [value, before] = [percent(hitShare), percent(hitShareBefore)];
  const message = `the hit rate fell from ${before} % to ${value} % while keys are evicted`;
  const details = { value, unit: '%', threshold, link: '/debug/memory' };
  return [issueOf(['warning', 'HIT_RATE_FALLING'], message, details)];
}

function room({ disk }: Facts, { diskFreeWarningPercent }: HealthLimits): readonly JudgedIssue[] {
  const { freeBytes, freeShare } = disk;
  if (freeBytes === null || freeShare === null) return [];
  if (freeShare * 100 >= diskFreeWarningPercent) return [];
  return [littleRoom(freeBytes, freeShare, diskFreeWarningPercent)];
}
