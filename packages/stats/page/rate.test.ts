/** Rates of counters, over a window of samples. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Rate } from './rate.ts';

const rates = suite('rate');

rates('is unknown before there are two samples', () => {
  const rate = new Rate();
  assert.is(rate.perSecond, 0);
  rate.sample(1_000, 5_000_000);
  assert.is(rate.perSecond, 0);
});

rates('is the growth over the time between the samples', () => {
  const rate = new Rate();
  rate.sample(100, 0);
  rate.sample(150, 500_000);
  assert.is(rate.perSecond, 100);
});

rates('forgets what is older than its window', () => {
  const rate = new Rate();
  rate.sample(0, 0);
  // A jump that lies 16 samples back no longer counts.
  for (let nth = 1; nth <= 16; nth += 1) rate.sample(1_000_000 + nth * 10, nth * 100_000);
  assert.is(rate.perSecond, 100);
});

rates('after an idle time knows the last two seconds alone', () => {
  const rate = new Rate();
  for (let second = 0; second < 10; second += 1) rate.sample(0, second * 1_000_000);
  for (let nth = 1; nth <= 5; nth += 1) rate.sample(nth * 100, 9_000_000 + nth * 100_000);
  assert.is(Math.round(rate.perSecond), 333);
});

rates('goes on when a counter was set back, and is 0 when no time has passed', () => {
  const rate = new Rate();
  rate.sample(500, 0);
  rate.sample(550, 100_000);
  rate.sample(30, 200_000);
  assert.is(rate.perSecond, 400);
  const still = new Rate();
  still.sample(1, 7);
  still.sample(2, 7);
  assert.is(still.perSecond, 0);
});

rates.run();
