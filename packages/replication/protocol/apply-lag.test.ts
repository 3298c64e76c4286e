import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApplyLag } from './apply-lag.ts';

const lags = suite('lag of what has come and is not applied');

lags('is the wait of the oldest byte', () => {
  const lag = new ApplyLag();
  assert.is(lag.waitedMs(0, 1_000), 0);
  lag.came(10, 1_000);
  lag.came(20, 1_040);
  lag.came(30, 1_100);
  assert.is(lag.waitedMs(0, 1_100), 100);
  assert.is(lag.waitedMs(10, 1_200), 200, 'bytes that come together wait together');
  assert.is(lag.waitedMs(20, 1_200), 100);
  assert.is(lag.waitedMs(30, 1_300), 0);
  lag.came(40, 1_400);
  assert.is(lag.waitedMs(30, 1_350), 0, 'a clock that was set back makes no negative wait');
});

lags('steps are bounded, and none is forgotten', () => {
  const lag = new ApplyLag();
  for (let nth = 1; nth <= 5_000; nth += 1) lag.came(nth, 100 * nth);
  assert.is(lag.waitedMs(0, 500_000), 499_900);
  assert.is(lag.waitedMs(999, 500_000), 400_000);
  assert.is(lag.waitedMs(4_999, 500_000), 400_000);
  assert.is(lag.waitedMs(5_000, 500_000), 0);
});

lags.run();
