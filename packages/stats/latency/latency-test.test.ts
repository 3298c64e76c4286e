/** The latency test with a clock whose jumps are set by the test. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { latencyReport, latencyVerdict, measureLatency } from './latency-test.ts';

const latency = suite('latency test');

/** A clock that moves on by a microsecond with each reading, and by more at some of them. */
function clockWith(jumps: Readonly<Record<number, number>>) {
  let reading = 0;
  let us = 5_000_000;
  return {
    nowUs: () => {
      us += jumps[reading] ?? 1;
      reading += 1;
      return us;
    },
    wallMs: () => 0,
  };
}

latency('finds the pauses, and tells each that is longer than all before', () => {
  const maxima: number[] = [];
  const jumps = { 10: 50, 20: 40, 30: 3_000 };
  const baseline = measureLatency(clockWith(jumps), 1, (us) => maxima.push(us));
  assert.equal(maxima, [1, 50, 3_000]);
  assert.is(baseline.maxUs, 3_000);
  assert.is(baseline.minUs, 1);
  assert.is(baseline.samples, 1_000_000 - 3_090 + 3);
  assert.ok(Math.abs(baseline.avgUs - 1_000_000 / baseline.samples) < 1e-9);
  assert.ok(Math.abs(baseline.p999Us - 1) < 0.1);
});

latency('judges by the longest pause', () => {
  const baseline = measureLatency(clockWith({ 5: 2_001 }), 1, () => undefined);
  assert.match(latencyVerdict(baseline, 2_000), /^above the threshold of 2000 us/);
  assert.match(latencyVerdict(baseline, 2_001), /^within/);
  const lines = latencyReport(baseline, 2_000);
  assert.equal(
    lines.map((line) => line.split(' ')[0]),
    ['samples', 'min', 'avg', 'p50', 'p99', 'p99.9', 'max', 'verdict'],
  );
});

latency.run();
