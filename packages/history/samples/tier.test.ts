import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketOf, TICKS_PER_US } from '#stats';
import type { OpenChunk } from '../chunks/samples.ts';
import { HistogramGrowth } from './histogram-growth.ts';
import type { Series } from './series.ts';
import { percentileSeries } from './series.ts';
import { Tier, type Reading } from './tier.ts';

const tiers = suite('tiers of the history');

const SERIES: readonly Series[] = [
  { name: 'ops', kind: 'growth', unit: 'count' },
  { name: 'clients', kind: 'gauge', unit: 'count' },
  { name: 'causes', kind: 'flags', unit: 'causes' },
  ...percentileSeries('execute'),
];
const NAMES = SERIES.map(({ name }) => name);

/** A server that the test moves on. */
class Source {
  readonly counts = new Float64Array(1_600);
  readonly growth = new HistogramGrowth(() => this.counts);
  readonly closed: OpenChunk[] = [];
  readonly tier: Tier;
  nowUs = 5_000_000;

  constructor(seconds: number) {
    const shape = { name: 'x', seconds, samplesMax: 1_000, saveSeconds: 10 };
    this.tier = new Tier(shape, (chunk) => this.closed.push(chunk));
  }

  reading(ops: number, clients: number, causes: number): Reading {
    this.growth.take();
    const values = [ops, clients, causes, NaN, NaN, NaN, NaN];
    return {
      owners: [{ owner: 'main', names: NAMES }],
      series: SERIES,
      values,
      phases: [{ grown: this.growth.grown, column: 3 }],
    };
  }

  second(ops: number, clients: number, causes: number): void {
    this.nowUs += 1_000_000;
    const time = { wallMs: this.nowUs / 1_000, intervalUs: 1_000_000 };
    this.tier.add(this.reading(ops, clients, causes), this.nowUs, time);
  }

  executed(us: number, times: number): void {
    this.counts[bucketOf(us * TICKS_PER_US)]! += times;
  }

  values(name: string): number[] {
    return [...this.tier.open.column('main', name)!.slice(0, this.tier.open.count)];
  }
}

tiers('add growth, keep the greatest of gauges, and unite flags', () => {
  const source = new Source(10);
  // From second 6 on; the sample of seconds 6 to 10 is short, the next has ten.
  for (let second = 6; second <= 20; second += 1)
    source.second(second, 100 - second, 1 << (second % 3));
  assert.equal(source.values('ops'), [6 + 7 + 8 + 9 + 10, 155]);
  assert.equal(source.values('clients'), [94, 89]);
  assert.equal(source.values('causes'), [7, 7]);
  assert.equal([...source.tier.open.intervalsUs.slice(0, 2)], [5_000_000, 10_000_000]);
});

tiers('compute percentiles from all executions of a sample, not from percentiles', () => {
  const source = new Source(10);
  source.second(0, 0, 0);
  while (source.nowUs < 10_000_000) source.second(0, 0, 0);
  // A second with one slow execution, and nine with many fast ones: a mean of percentiles would be far off.
  source.executed(60_000, 1);
  source.second(0, 0, 0);
  for (let second = 0; second < 9; second += 1) {
    source.executed(100, 1_000);
    source.second(0, 0, 0);
  }
  const [p50, p99, max] = ['p50', 'p99', 'max'].map((rank) =>
    source.values(`execute_${rank}_us`).at(-1)!,
  );
  assert.ok(Math.abs(p50! - 100) < 1, String(p50));
  assert.ok(Math.abs(p99! - 100) < 1, String(p99));
  assert.ok(Math.abs(max! - 60_000) < 600, String(max));
});

tiers('have no percentiles where nothing was executed', () => {
  const source = new Source(1);
  source.executed(5, 1);
  source.second(0, 0, 0);
  source.second(0, 0, 0);
  assert.equal(
    source.values('execute_p99_us').map((value) => Number.isNaN(value)),
    [false, true],
  );
});

tiers('close a chunk of sixty samples, and what there is at the end', () => {
  const source = new Source(1);
  for (let second = 0; second < 130; second += 1) source.second(second, 0, 0);
  assert.equal(
    source.closed.map(({ first, count }) => [first, count]),
    [
      [0, 60],
      [60, 60],
    ],
  );
  source.tier.close(source.reading(0, 0, 0), 1);
  assert.equal([source.closed.at(-1)!.first, source.closed.at(-1)!.count], [120, 10]);
});

tiers('keep the seconds of an unfinished sample at the end', () => {
  const source = new Source(60);
  for (let second = 0; second < 20; second += 1) source.second(1, 0, 0);
  source.tier.close(source.reading(0, 0, 0), 25_000);
  assert.equal([...source.closed[0]!.column('main', 'ops')!.slice(0, 1)], [20]);
  assert.is(source.closed[0]!.intervalsUs[0], 20_000_000);
});

tiers.run();
