/** Latency bands: each request is counted once, in the narrowest band that holds it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Bands } from './bands.ts';

const bands = suite('latency bands');

const three = new Bands(true, [0.5, 1, 10]);
const cases: readonly (readonly [us: number, row: number])[] = [
  [0, 0],
  [499.9, 0],
  [500, 0],
  [500.1, 1],
  [1_000, 1],
  [1_001, 2],
  [10_000, 2],
  [10_000.5, 3],
  [1e12, 3],
];

for (const [us, row] of cases) {
  bands(`counts ${String(us)} us in row ${String(row)}`, () => assert.is(three.rowOf(us), row));
}

bands('without thresholds have one row for all', () => assert.is(new Bands(true, []).rowOf(5), 0));

bands.run();
