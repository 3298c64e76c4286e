/** Hot keys: under a Zipf load the true top is found, and counted right, sampled or not. */
import { withRandom, type Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HotKeys, mergeShares, weightOf, type HotKey, type HotKeysShare } from './hot-keys.ts';
import { TopKeys } from './top-keys.ts';

const hot = suite('hot keys');

const KEYS = 20_000;
const COMMANDS = 400_000;
const TOP = 16;

/** Draws keys so that the n-th is drawn in proportion to 1 / n. */
function zipf(random: Random): () => number {
  const sums = new Float64Array(KEYS);
  let sum = 0;
  for (let nth = 0; nth < KEYS; nth += 1) {
    sum += 1 / (nth + 1);
    sums[nth] = sum;
  }
  return () => {
    const wanted = random.fraction() * sum;
    let low = 0;
    let high = KEYS - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function zipfLoad(random: Random, sample: number): { share: HotKeysShare; us: Float64Array } {
  const keys = new HotKeys(() => random.fraction());
  keys.answer({ start: { metrics: ['cpu', 'net'], count: TOP, sample } });
  const draw = zipf(random);
  const us = new Float64Array(KEYS);
  for (let nth = 0; nth < COMMANDS; nth += 1) {
    const key = draw();
    us[key] = us[key]! + 2;
    // What is heavy by bytes is not what is heavy by time.
    if (keys.counts(2, 10, true)) keys.sampled(`key:${key}`, 2, 10);
  }
  return { share: mergeShares([keys.answer('get')!], TOP), us };
}

const name = ([key]: HotKey): string => Buffer.from(key).toString('latin1');

for (const [sample, tolerance] of [
  [1, 0.05],
  // A key that was sampled 35 times is known to a sixth, and ranks near it are by chance.
  [100, 0.6],
] as const) {
  hot(
    `finds the top of a Zipf load, SAMPLE ${sample}`,
    withRandom((random) => {
      const { share, us } = zipfLoad(random, sample);
      const ranked = [...us.keys()].sort((a, b) => us[b]! - us[a]!);
      const found = share.byMetric.cpu!;
      assert.is(found.length, TOP);
      const sure = sample === 1 ? TOP : 5;
      for (const key of ranked.slice(0, sure)) {
        const entry = found.find((each) => name(each) === `key:${key}`);
        assert.ok(entry !== undefined, `key:${key} is found`);
        const off = Math.abs(entry[2] - us[key]!) / us[key]!;
        assert.ok(off <= tolerance, `key:${key} is ${off} off`);
        assert.ok(entry[2] <= us[key]! || sample > 1, 'never counts more than there was');
      }
      const weights = found.map((each) => weightOf(each, 'cpu'));
      assert.equal(
        weights,
        [...weights].sort((a, b) => b - a),
      );
      assert.is(share.keyedUs, 2 * COMMANDS, 'totals are of all commands');
    }),
  );
}

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
    keys.sampled(key, us, bytes);
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

hot.run();
