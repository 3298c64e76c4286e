/** The nursery of a heap grows to its limit, and not beyond. */
// test-process: own

import { getHeapSpaceStatistics } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { holdYoungGeneration } from './young-generation.ts';

const young = suite('young generation');

const MIB = 1024 * 1024;
const LITTLE = 0;
const MUCH = 1_000;
/** Twice what it is held at: one step of growth may come between two looks. */
const LITTLE_MIB_MAX = 8;
const MUCH_MIB_MAX = 16;

function nurseryMib(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return (space?.space_size ?? 0) / MIB;
}

/** Makes garbage, some of which lives for a while. */
function litter(): void {
  let kept: object[] = [];
  for (let nth = 0; nth < 20_000; nth += 1) {
    kept.push({ nth, more: [nth] });
    if (kept.length > 5_000) kept = [];
  }
}

function litterFor(collections: number): void {
  for (let round = 0; round < 100; round += 1) {
    litter();
    holdYoungGeneration(collections);
  }
}

young('is held small while there is little garbage', () => {
  litterFor(LITTLE);
  assert.is(holdYoungGeneration(LITTLE), true);
  assert.ok(nurseryMib() <= LITTLE_MIB_MAX, `${nurseryMib()} MiB`);
});

young('grows with more, but not for ever', () => {
  litterFor(MUCH);
  assert.is(holdYoungGeneration(MUCH), true);
  assert.ok(nurseryMib() <= MUCH_MIB_MAX, `${nurseryMib()} MiB`);
});

young.run();
