/** Plans by which groups come to weigh the same. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slotsOf } from '../agreement/decisions/migrations.ts';
import { planMoves, type Holder } from './rebalance-plan.ts';

const plans = suite('plans of a rebalance');

const range = (first: number, last: number): number[] => slotsOf([[first, last]]);

plans('a node without slots gets its share, in one range', () => {
  const holders: Holder[] = [
    { id: 'a', slots: range(0, 99) },
    { id: 'b', slots: [] },
  ];
  const { moves, before, after } = planMoves(holders, () => 3);
  assert.equal(moves, [{ from: 'a', to: 'b', spans: [[50, 99]], weight: 150 }]);
  assert.equal(
    [before, after],
    [
      [300, 0],
      [150, 150],
    ],
  );
});

plans('what is alike is let be', () => {
  const holders: Holder[] = [
    { id: 'a', slots: range(0, 100) },
    { id: 'b', slots: range(101, 200) },
  ];
  assert.equal(planMoves(holders, () => 1).moves, []);
});

plans('several nodes give to several', () => {
  const holders: Holder[] = [
    { id: 'a', slots: range(0, 59) },
    { id: 'b', slots: range(60, 119) },
    { id: 'c', slots: [] },
    { id: 'd', slots: [] },
  ];
  const { moves, after } = planMoves(holders, () => 1);
  assert.equal(after, [30, 30, 30, 30]);
  assert.is(
    moves.reduce((sum, { weight }) => sum + weight, 0),
    60,
  );
});

plans('a slot that weighs more than is wanted stays', () => {
  const weights = [10, 100, 10, 10];
  const holders: Holder[] = [
    { id: 'a', slots: [0, 1, 2, 3] },
    { id: 'b', slots: [4] },
  ];
  const { moves, after } = planMoves(holders, (slot) => weights[slot] ?? 40);
  assert.equal(moves[0]?.spans, [
    [0, 0],
    [2, 3],
  ]);
  assert.equal(after, [100, 70]);
});

plans('slots without weight go with those that they lie between', () => {
  const holders: Holder[] = [
    { id: 'a', slots: range(0, 9) },
    { id: 'b', slots: [] },
  ];
  const weightOf = (slot: number): number => Number([1, 3, 6, 8].includes(slot));
  assert.equal(planMoves(holders, weightOf).moves[0]?.spans, [[6, 8]]);
});

plans('without weights there is nothing to move', () => {
  const holders: Holder[] = [
    { id: 'a', slots: range(0, 9) },
    { id: 'b', slots: [] },
  ];
  assert.equal(planMoves(holders, () => 0).moves, []);
});

plans.run();
