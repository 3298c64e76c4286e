import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { evictionUs } from './upkeep.ts';

const upkeep = suite('upkeep');

/** Redis' evictionTimeLimitUs. */
const slices: readonly (readonly [tenacity: number, us: number])[] = [
  [0, 0],
  [5, 250],
  [10, 500],
  [20, 500 * 1.15 ** 10],
  [99, 500 * 1.15 ** 89],
  [100, Infinity],
];
for (const [tenacity, us] of slices) {
  upkeep(`tenacity ${tenacity} evicts for ${us} us at a time`, () => {
    assert.is(evictionUs(tenacity), us);
  });
}

upkeep.run();
