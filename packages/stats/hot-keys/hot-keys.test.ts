/** Hot keys: under a Zipf load the true top is found, and counted right, sampled or not. */
// test-tier: long
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HotKeys, mergeShares, weightOf, type HotKey, type HotKeysShare } from './hot-keys.ts';
import { TopKeys } from './top-keys.ts';

const hot = suite('hot keys');

const KEYS = 20_000;
const TOP = 16;
/** Steep enough that ranks 31 and 33 differ by a tenth: see `TURNS_SAMPLED`. */
const EXPONENT = 1.5;
/** Commands that are drawn; a load is these, again and again. */
const DRAWN = 1 << 20;

/** Keys drawn so that the n-th comes in proportion to n ^ -EXPONENT. */
function zipf(random: Random): Uint16Array {
  const sums = new Float64Array(KEYS);
  let sum = 0;
  for (let nth = 0; nth < KEYS; nth += 1) {
    sum += (nth + 1) ** -EXPONENT;
    sums[nth] = sum;
  }
  return Uint16Array.from({ length: DRAWN }, () => {
    const wanted = random.fraction() * sum;
    let low = 0;
    let high = KEYS - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** Costs of one use of a key: keys with an even number are heavy by time, the others by bytes. */
const HEAVY = 1_000;
const usOf = (key: number): number => (key % 2 === 0 ? HEAVY : 1);
const bytesOf = (key: number): number => (key % 2 === 0 ? 1 : HEAVY);

function sampled(keys: HotKeys, key: string, us: number, bytes: number): void {
  const name = Buffer.from(`[${key}]`, 'latin1');
  keys.sampled(name, 1, key.length, us, bytes);
}

interface Load {
  readonly share: HotKeysShare;
  /** Uses of each key. */
  readonly uses: Float64Array;
}

function zipfLoad(random: Random, sample: number, turns: number): Load {
  const keys = new HotKeys(() => random.fraction());
  keys.answer({ start: { metrics: ['cpu', 'net'], count: TOP, sample } });
  const drawn = zipf(random);
  for (let turn = 0; turn < turns; turn += 1) {
    // An index: an iterator would take most of the time of these loads.
    for (let nth = 0; nth < DRAWN; nth += 1) {
      const key = drawn[nth]!;
      const us = usOf(key);
      const bytes = bytesOf(key);
      if (keys.counts(us, bytes, true)) sampled(keys, `key:${key}`, us, bytes);
    }
  }
  const uses = new Float64Array(KEYS);
  for (const key of drawn) uses[key] = uses[key]! + turns;
  return { share: mergeShares([keys.answer('get')!], TOP), uses };
}

const name = ([key]: HotKey): string => Buffer.from(key).toString('latin1');

/** The true ranking by a cost. */
const ranking = (uses: Float64Array, costOf: (key: number) => number): number[] =>
  [...uses.keys()].sort((a, b) => uses[b]! * costOf(b) - uses[a]! * costOf(a));

const metrics = [
  ['cpu', usOf],
  ['net', bytesOf],
] as const;

hot(
  'finds the top 16 of a Zipf load by time and by bytes, within 5 percent',
  withRandom((random) => {
    const { share, uses } = zipfLoad(random, 1, 2);
    for (const [metric, costOf] of metrics) {
      const top = ranking(uses, costOf).slice(0, TOP);
      const found = share.byMetric[metric]!;
      assert.equal(found.map(name).sort(), top.map((key) => `key:${key}`).sort());
      for (const key of top) {
        const [, calls, us, bytes] = found.find((each) => name(each) === `key:${key}`)!;
        for (const [reported, truth] of [
          [calls, uses[key]!],
          [us, uses[key]! * usOf(key)],
          [bytes, uses[key]! * bytesOf(key)],
        ] as const) {
          assert.ok(reported <= truth, 'never counts more than there was');
          assert.ok(reported >= 0.95 * truth, `key:${key}: ${reported} of ${truth}`);
        }
      }
      const weights = found.map((each) => weightOf(each, metric));
      assert.equal(
        weights,
        [...weights].sort((a, b) => b - a),
      );
    }
    const us = uses.reduce((sum, count, key) => sum + count * usOf(key), 0);
    assert.is(share.keyedUs, us, 'totals are of all commands');
  }),
);

const SAMPLE = 100;
/** Deviations that a count may be off: of 32 keys one in 50,000 runs is further off. */
const SIGMAS = 5;
/** Deviations between two counts from which on their order is certain. */
const RANK_SIGMAS = 3.5;
/**
 * Enough that sampling distinguishes the 16th key from the 17th. These are ranks 31 and 33 of all: the first has 0.22 %
 * of the uses, and 9 % more than the second. The difference of both counts is known to 4 deviations from (4 * sqrt(2) /
 * 0.09) ^ 2 = 4,000 samples on, which are 180 million uses.
 */
const TURNS_SAMPLED = 180;

hot(
  'finds the same from one command in a hundred, within what chance allows',
  withRandom((random) => {
    const { share, uses } = zipfLoad(random, SAMPLE, TURNS_SAMPLED);
    for (const [metric, costOf] of metrics) {
      const ranked = ranking(uses, costOf);
      const [last = 0, next = 0] = ranked.slice(TOP - 1);
      const sigma = (count: number): number => Math.sqrt(count * (SAMPLE - 1));
      const gap = uses[last]! - uses[next]!;
      const decides = Math.hypot(sigma(uses[last]!), sigma(uses[next]!));
      // The draw itself is by chance, so the gap is not always what the law says.
      const isDecidable = gap > RANK_SIGMAS * decides;
      const found = share.byMetric[metric]!;
      const sure = isDecidable ? TOP : TOP - 2;
      for (const key of ranked.slice(0, sure)) {
        const entry = found.find((each) => name(each) === `key:${key}`);
        assert.ok(entry !== undefined, `key:${key} is found by ${metric}`);
        const [, calls, us, bytes] = entry;
        const count = uses[key]!;
        assert.ok(Math.abs(calls - count) <= SIGMAS * sigma(count), `${calls} of ${count}`);
        assert.is(us, calls * usOf(key));
        assert.is(bytes, calls * bytesOf(key));
      }
    }
  }),
);

hot('bounds the error by what was there before', () => {
  const top = new TopKeys(2, 2);
  top.add('a', 10, [1, 10]);
  top.add('b', 5, [1, 5]);
  top.add('c', 1, [1, 1]);
  const known = top
    .heaviest(9)
    .map(({ key, weight, error, sums }) => [key, weight, error, ...sums].join(' '));
  assert.equal(known, ['a 10 0 1 10', 'c 6 5 1 1']);
});

hot('ranks by each metric for itself, and splits nothing by itself', () => {
  const keys = new HotKeys(() => 0);
  keys.answer({ start: { metrics: ['net', 'cpu'], count: 1, sample: 1 } });
  for (const [key, us, bytes] of [
    ['slow', 100, 1],
    ['large', 1, 100],
  ] as const) {
    assert.ok(keys.counts(us, bytes, true));
    sampled(keys, key, us, bytes);
  }
  assert.not.ok(keys.counts(7, 7, false), 'a command without keys has none to count');
  const share = keys.answer('get')!;
  assert.is(name(share.byMetric.cpu![0]!), 'slow');
  assert.is(name(share.byMetric.net![0]!), 'large');
  assert.equal(
    [share.allUs, share.keyedUs, share.allBytes, share.keyedBytes],
    [108, 101, 108, 101],
  );
  const merged = mergeShares([share, share], 1);
  assert.is(merged.allUs, 216);
  assert.equal(
    merged.byMetric.cpu!.map((each) => [name(each), ...each.slice(1)]),
    [['slow', 2, 200, 2, 0]],
    'a key of several shares is added up',
  );
});

hot('keys of any bytes and any length are told apart', () => {
  const keys = new HotKeys(() => 0);
  keys.answer({ start: { metrics: ['net'], count: 20, sample: 1 } });
  const long = 'x'.repeat(300);
  const names = ['', '\0', '\0\0', '\xff', 'y'.repeat(64), 'y'.repeat(65), long, `${long}z`];
  for (let turn = 0; turn < 20; turn += 1) {
    for (const [nth, key] of names.entries()) sampled(keys, key, 0, 1 + nth);
  }
  const found = keys.answer('get')!.byMetric.net!.map((each) => [name(each), each[1], each[3]]);
  assert.equal(found, names.map((key, nth) => [key, 20, 20 * (1 + nth)]).reverse());
});

hot('keeps what it has after a stop, and nothing after a reset', () => {
  const keys = new HotKeys(() => 0);
  assert.is(keys.answer('get'), null);
  keys.answer({ start: { metrics: ['cpu'], count: 1, sample: 1 } });
  assert.ok(keys.isActive);
  keys.answer('stop');
  assert.not.ok(keys.isActive);
  assert.is.not(keys.answer('get'), null);
  keys.answer('reset');
  assert.is(keys.answer('get'), null);
});

hot('counts of chosen slots by themselves', () => {
  const keys = new HotKeys(() => 0);
  keys.answer({ start: { metrics: ['cpu'], count: 1, sample: 1, slots: [5, 7] } });
  assert.ok(keys.hasSlots);
  assert.is(keys.selects(5, 10, 100, true), true);
  assert.is(keys.selects(7, 1, 2, false), false);
  assert.is(keys.selects(6, 1_000, 1_000, true), false);
  const { selectedUs, selectedBytes, sampledUs, sampledBytes } = keys.answer('get')!;
  assert.equal([selectedUs, selectedBytes, sampledUs, sampledBytes], [11, 102, 10, 100]);
});

hot.run();
