/** Log-linear histograms: how exact they are, and that percentiles are those of the sorted values. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addCounts,
  bucketHigh,
  bucketLow,
  bucketOf,
  cumulativeByPowers,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
  ticksFromWord,
  ticksToWord,
  totalCount,
} from './histogram.ts';

const histogram = suite('histogram');

const TICKS_MAX = 2 ** 30 - 1;

histogram('has buckets that follow each other without gap or overlap', () => {
  assert.is(bucketLow(0), 0);
  for (let index = 0; index < HISTOGRAM_BUCKETS; index += 1) {
    assert.is(bucketHigh(index) + 1, bucketLow(index + 1));
    assert.is(bucketOf(bucketLow(index)), index);
    assert.is(bucketOf(bucketHigh(index)), index);
  }
  assert.is(bucketHigh(HISTOGRAM_BUCKETS - 1), TICKS_MAX);
});

histogram('reads a value back with an error below one percent', () => {
  for (let ticks = 1; ticks <= TICKS_MAX; ticks = Math.ceil(ticks * 1.003)) {
    const bucket = bucketOf(ticks);
    const middle = (bucketLow(bucket) + bucketHigh(bucket)) / 2;
    assert.ok(Math.abs(middle - ticks) / ticks < 0.01, `${String(ticks)} is read as ${middle}`);
  }
});

histogram('keeps what is out of its range in the outermost buckets', () => {
  assert.is(bucketOf(-5), 0);
  assert.is(bucketOf(0.99), 0);
  assert.is(bucketOf(TICKS_MAX + 1), HISTOGRAM_BUCKETS - 1);
  assert.is(bucketOf(1e300), HISTOGRAM_BUCKETS - 1);
  assert.is(bucketOf(Infinity), HISTOGRAM_BUCKETS - 1);
});

histogram(
  'finds the bucket of the value that sorting finds',
  withRandom((random) => {
    for (const count of [1, 2, 3, 100, 1_000]) {
      const counts = new Float64Array(HISTOGRAM_BUCKETS);
      const values = Array.from({ length: count }, () =>
        Math.floor(2 ** (random.fraction() * 29.9)),
      );
      for (const ticks of values) counts[bucketOf(ticks)]! += 1;
      values.sort((a, b) => a - b);
      for (const fraction of [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1]) {
        const rank = Math.max(1, Math.ceil(count * fraction));
        const bucket = bucketOf(values[rank - 1]!);
        const middle = (bucketLow(bucket) + bucketHigh(bucket)) / 2 / TICKS_PER_US;
        assert.is(percentileUs(counts, fraction), middle);
      }
    }
  }),
);

histogram('answers 0 when nothing was counted', () => {
  assert.is(percentileUs(new Float64Array(HISTOGRAM_BUCKETS), 0.5), 0);
});

histogram('adds up', () => {
  const one = new Float64Array(HISTOGRAM_BUCKETS);
  const other = new Float64Array(HISTOGRAM_BUCKETS);
  one[3] = 2;
  other[3] = 5;
  other[HISTOGRAM_BUCKETS - 1] = 1;
  addCounts(one, other);
  assert.is(one[3], 7);
  assert.is(totalCount(one), 8);
  assert.is(totalCount(other), 6);
});

histogram('is cumulative by powers of two, each only where it adds any', () => {
  const counts = new Float64Array(HISTOGRAM_BUCKETS);
  const us = [0, 0.9, 1, 3.9, 4, 1_000, 1_023, 1_024, 60_000_000, 1e9];
  for (const each of us) counts[bucketOf(each * TICKS_PER_US)]! += 1;
  assert.equal(cumulativeByPowers(counts), [
    ...[
      [1, 2],
      [2, 3],
      [4, 4],
      [8, 5],
      [1_024, 7],
      [2_048, 8],
    ],
    [2 ** 26, 10],
  ]);
  assert.equal(cumulativeByPowers(new Float64Array(HISTOGRAM_BUCKETS)), []);
});

histogram('of a time fits a word of 32 bits, however long it was', () => {
  const word = new Int32Array(1);
  for (const us of [0, 1, 0.25, 134_217_727, 134_217_728, 200_000_001, 2 ** 31 - 1]) {
    word[0] = ticksToWord(us * TICKS_PER_US);
    assert.is(ticksFromWord(word[0]), us * TICKS_PER_US);
  }
  word[0] = ticksToWord(1e18);
  assert.is(ticksFromWord(word[0]), (2 ** 31 - 1) * TICKS_PER_US);
});

histogram.run();
