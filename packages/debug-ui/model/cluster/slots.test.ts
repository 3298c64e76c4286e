/** A slot belongs to the group whose range contains it, and ranges have a short form. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { colourOfGroup, groupAt, rangesInWords } from './slots.ts';

const slots = suite('slots by group');

const groups = [
  { ranges: [[0, 9]] },
  {
    ranges: [
      [10, 10],
      [20, 29],
    ],
  },
] as const;

slots('are of the group whose range has them', () => {
  assert.is(groupAt(groups, 9), 0);
  assert.is(groupAt(groups, 10), 1);
  assert.is(groupAt(groups, 29), 1);
  assert.is(groupAt(groups, 11), undefined);
});

slots('are told as ranges', () => {
  assert.is(rangesInWords(groups[1].ranges), '10, 20-29');
  assert.is(rangesInWords([]), '');
  const many = Array.from({ length: 15 }, (_none, nth) => [2 * nth, 2 * nth] as const);
  assert.is(rangesInWords(many), '0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 3 more');
});

slots('of the ninth group have the first colour again', () => {
  assert.equal([0, 7, 8].map(colourOfGroup), ['c1', 'c8', 'c1']);
});

slots.run();
