/**
 * Latency that the machine itself causes, measured by a busy loop over the clock, which sees every pause that the
 * scheduler, a hypervisor or power management puts in.
 */

import type { Clock } from '#base';
import { bucketOf, HISTOGRAM_BUCKETS, percentileUs, TICKS_PER_US } from '../page/histogram.ts';

/** Samples are counted as nanoseconds, since most are below a tick; the row of the last bucket is a second and more. */
const NS_PER_US = 1_000;

/** Result of the measurement, in microseconds. A sample is the time between two readings of the clock. */
export interface LatencyBaseline {
  readonly seconds: number;
  readonly samples: number;
  readonly minUs: number;
  readonly avgUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
}

/** Reads the clock for a number of seconds, and reports each new maximum. */
export function measureLatency(
  clock: Clock,
  seconds: number,
  newMaximum: (us: number) => void,
): LatencyBaseline {
  const counts = new Float64Array(HISTOGRAM_BUCKETS);
  const startUs = clock.nowUs();
  const endUs = startUs + seconds * 1_000_000;
  let beforeUs = startUs;
  let samples = 0;
  let minUs = Infinity;
  let maxUs = 0;
  while (beforeUs < endUs) {
    const nowUs = clock.nowUs();
    const us = nowUs - beforeUs;
    beforeUs = nowUs;
    samples += 1;
    const bucket = bucketOf(us * NS_PER_US);
    counts[bucket] = counts[bucket]! + 1;
    if (us < minUs) minUs = us;
    if (us > maxUs) {
      maxUs = us;
      newMaximum(us);
    }
  }
  const percentile = (fraction: number): number =>
    (percentileUs(counts, fraction) * TICKS_PER_US) / NS_PER_US;
  return {
    seconds,
    samples,
    minUs,
    avgUs: (beforeUs - startUs) / samples,
    p50Us: percentile(0.5),
    p99Us: percentile(0.99),
    p999Us: percentile(0.999),
    maxUs,
  };
}

/** Returns a sentence about the intrinsic latency of the machine, compared with the threshold. */
export function latencyVerdict({ maxUs }: LatencyBaseline, thresholdUs: number): string {
  return maxUs > thresholdUs
    ? `above the threshold of ${thresholdUs} us: expect pauses that no server can avoid here`
    : `within the threshold of ${thresholdUs} us`;
}

/** The lines that are printed at the end. */
export function latencyReport(baseline: LatencyBaseline, thresholdUs: number): string[] {
  const us = (value: number): string => `${value.toFixed(3)} us`;
  return [
    `samples  ${baseline.samples} in ${baseline.seconds} s`,
    `min      ${us(baseline.minUs)}`,
    `avg      ${us(baseline.avgUs)}`,
    `p50      ${us(baseline.p50Us)}`,
    `p99      ${us(baseline.p99Us)}`,
    `p99.9    ${us(baseline.p999Us)}`,
    `max      ${us(baseline.maxUs)}`,
    `verdict  ${latencyVerdict(baseline, thresholdUs)}`,
  ];
}
