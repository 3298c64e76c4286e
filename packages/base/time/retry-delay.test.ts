import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RetryDelay } from './retry-delay.ts';

const retries = suite('delay between snapshots that fail');

retries('doubles up to its limit, and starts over after a success', () => {
  const delay = new RetryDelay(1_000, 30_000);
  const delays = (count: number): number[] => Array.from({ length: count }, () => delay.next());
  assert.equal(delays(8), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  delay.reset();
  assert.equal(delays(2), [1_000, 2_000]);
});

retries.run();
