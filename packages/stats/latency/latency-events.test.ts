/** Events: one sample a second, the worst of all time, and which thread had them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  LATENCY_EVENTS,
  latencyEvent,
  LatencyEvents,
  MAIN_THREAD,
  SAMPLES_MAX,
} from './latency-events.ts';

const events = suite('latency events');

function recording(thresholdMs = 10): LatencyEvents {
  const all = new LatencyEvents();
  all.thresholdUs = thresholdMs * 1_000;
  return all;
}

events('are known, and their order is frozen', () => {
  assert.equal(
    [...LATENCY_EVENTS],
    [
      ...['command', 'fork', 'aof-fsync', 'expire-cycle', 'eviction-cycle', 'snapshot-io'],
      ...['repl-sync', 'warm-fetch'],
    ],
  );
});

events('are found in any case, with either dash', () => {
  assert.is(latencyEvent('AOF_fsync'), 'aof-fsync');
  assert.is(latencyEvent('Expire-Cycle'), 'expire-cycle');
  assert.is(latencyEvent('fast-command'), undefined);
  assert.is(latencyEvent('__proto__'), undefined);
});

events('count from the threshold on', () => {
  const all = recording();
  all.record('command', 9_999.9, 5_000);
  assert.equal(all.all, []);
  all.record('command', 10_000, 5_000);
  assert.is(all.of('command')?.count, 1);
  all.thresholdUs = Infinity;
  all.record('command', 1e12, 5_000);
  assert.is(all.of('command')?.count, 1);
});

events('keep the longest of a second', () => {
  const all = recording();
  for (const [us, unixMs] of [
    [20_000, 1_000],
    [50_000, 1_400],
    [30_000, 1_999],
    [12_000, 2_000],
  ] as const) {
    all.record('command', us, unixMs, 0);
  }
  assert.equal(all.of('command')?.samples, [
    { unixSeconds: 1, us: 50_000, shard: 0 },
    { unixSeconds: 2, us: 12_000, shard: 0 },
  ]);
  assert.is(all.of('command')?.count, 4);
  assert.is(all.of('command')?.usSum, 112_000);
  assert.is(all.of('command')?.latest?.us, 12_000);
});

events('that come late are put where they belong', () => {
  const all = recording();
  for (const second of [5, 9, 7, 5]) all.record('command', 11_000, second * 1_000, second);
  const seconds = all.of('command')?.samples.map(({ unixSeconds }) => unixSeconds);
  assert.equal(seconds, [5, 7, 9]);
});

events('lose their oldest samples, but not the worst', () => {
  const all = recording();
  all.record('command', 900_000, 0);
  for (let second = 1; second <= SAMPLES_MAX + 5; second += 1) {
    all.record('command', 11_000, second * 1_000);
  }
  const series = all.of('command')!;
  assert.is(series.samples.length, SAMPLES_MAX);
  assert.is(series.samples[0]?.unixSeconds, 6);
  assert.is(series.usMax, 900_000);
});

events('tell which thread had them, the worst first', () => {
  const all = recording();
  all.record('command', 20_000, 0, 1);
  all.record('command', 90_000, 0);
  all.record('command', 30_000, 0, 1);
  assert.equal(all.of('command')?.shares, [
    { shard: MAIN_THREAD, count: 1, usMax: 90_000 },
    { shard: 1, count: 2, usMax: 30_000 },
  ]);
});

events('are listed in their order, and forgotten one by one', () => {
  const all = recording();
  all.record('snapshot-io', 20_000, 0);
  all.record('fork', 20_000, 0);
  assert.equal(
    all.all.map(({ event }) => event),
    ['fork', 'snapshot-io'],
  );
  assert.ok(all.reset('fork'));
  assert.not.ok(all.reset('fork'));
  assert.equal(
    all.all.map(({ event }) => event),
    ['snapshot-io'],
  );
});

events.run();
