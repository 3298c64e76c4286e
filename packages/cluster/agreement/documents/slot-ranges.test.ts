import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownersOf, rangesOf, slotRangesFault, type SlotRange } from './slot-ranges.ts';

const ranges = suite('ranges of slots');

const map: readonly SlotRange[] = [
  [0, 99, 'a'],
  [100, 100, 'b'],
  [200, 16_383, 'a'],
];

ranges('a map of slots and its ranges say the same', () => {
  const owners = ownersOf(map);
  assert.is(owners[0], 'a');
  assert.is(owners[100], 'b');
  assert.is(owners[150], undefined);
  assert.is(owners[16_383], 'a');
  assert.equal(rangesOf(owners), map);
});

ranges('neighbours of one group are one range', () => {
  assert.equal(
    rangesOf(
      ownersOf([
        [0, 4, 'a'],
        [5, 9, 'a'],
      ]),
    ),
    [[0, 9, 'a']],
  );
  assert.equal(rangesOf(ownersOf([])), []);
});

const faults: readonly (readonly [ranges: readonly unknown[], isFaulty: boolean])[] = [
  [map, false],
  [[], false],
  [[[0, 1]], true],
  [[[0, 1, 2]], true],
  [[['0', 1, 'a']], true],
  [[[5, 4, 'a']], true],
  [
    [
      [0, 5, 'a'],
      [5, 6, 'b'],
    ],
    true,
  ],
  [[[0, 16_384, 'a']], true],
];

for (const [value, isFaulty] of faults) {
  ranges(`${JSON.stringify(value)} ${isFaulty ? 'has a fault' : 'has none'}`, () => {
    assert.is(slotRangesFault(value) !== undefined, isFaulty);
  });
}

ranges.run();
