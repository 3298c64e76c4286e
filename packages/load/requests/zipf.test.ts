/** Frequencies of Zipf's law and of uniform numbers, by a fixed seed, against theory. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RandomNumbers } from './random.ts';
import { Zipf } from './zipf.ts';

const numbers = suite('random numbers');

const DRAWS = 400_000;
/** Standard deviations within which a count must lie; of all counts here one in a million lies beyond. */
const DEVIATIONS_MAX = 5.5;

function demandCount(count: number, probability: number, what: string): void {
  const expected = DRAWS * probability;
  const deviation = Math.sqrt(DRAWS * probability * (1 - probability));
  const distance = Math.abs(count - expected) / deviation;
  assert.ok(distance < DEVIATIONS_MAX, `${what}: ${count} in place of ${expected.toFixed(1)}`);
}

for (const [ranks, exponent] of [
  [1_000, 0.99],
  [1_000, 1],
  [50, 0.5],
  [10, 2.5],
  [1_000_000, 0.99],
  [2, 1.2],
] as const) {
  numbers(`Zipf's law over ${ranks} ranks with exponent ${exponent}`, () => {
    const zipf = new Zipf(ranks, exponent, new RandomNumbers(7));
    const counts = new Map<number, number>();
    let beyond = 0;
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const rank = zipf.next();
      assert.ok(Number.isInteger(rank) && rank >= 1 && rank <= ranks);
      if (rank <= 20) counts.set(rank, (counts.get(rank) ?? 0) + 1);
      else if (rank > ranks / 2) beyond += 1;
    }
    let sum = 0;
    let sumBeyond = 0;
    for (let rank = ranks; rank >= 1; rank -= 1) {
      sum += rank ** -exponent;
      if (rank === Math.floor(ranks / 2) + 1) sumBeyond = sum;
    }
    for (let rank = 1; rank <= Math.min(20, ranks); rank += 1) {
      demandCount(counts.get(rank) ?? 0, rank ** -exponent / sum, `rank ${rank}`);
    }
    if (ranks > 40) demandCount(beyond, sumBeyond / sum, 'the rarer half');
  });
}

numbers('one rank is always drawn', () => {
  const zipf = new Zipf(1, 0.99, new RandomNumbers(1));
  for (let draw = 0; draw < 100; draw += 1) assert.is(zipf.next(), 1);
});

numbers('uniform numbers are equally likely', () => {
  for (const count of [10, 2 ** 20, 3 * 2 ** 30]) {
    const random = new RandomNumbers(3);
    const tenths = new Array<number>(10).fill(0);
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const number = random.below(count);
      assert.ok(number >= 0 && number < count);
      const tenth = Math.floor((number * 10) / count);
      tenths[tenth] = tenths[tenth]! + 1;
    }
    for (const found of tenths) demandCount(found, 0.1, `a tenth of ${count}`);
  }
});

numbers('seed and stream decide the numbers', () => {
  const drawn = (seed: number, stream: number): number[] => {
    const random = new RandomNumbers(seed, stream);
    return Array.from({ length: 20 }, () => random.word());
  };
  assert.equal(drawn(5, 1), drawn(5, 1));
  assert.not.equal(drawn(5, 1), drawn(5, 2));
  assert.not.equal(drawn(5, 1), drawn(6, 1));
  assert.not.equal(drawn(0, 0), drawn(0, 1));
});

numbers.run();
