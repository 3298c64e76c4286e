/** The counter that threads share. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedCounter } from './counter.ts';
import { LinkMemory } from './memory.ts';

const counter = suite('shared counter');

counter('gives out each number once, whoever asks', () => {
  const memory = LinkMemory.allocate(64);
  const one = new SharedCounter(memory, 8);
  const other = new SharedCounter(memory, 8);
  assert.is(one.upcoming, 0);
  assert.equal([one.next(), other.next(), other.next(), one.next()], [0, 1, 2, 3]);
  assert.is(other.upcoming, 4);
});

/** A counter whose words are set as after giving out a number of values. */
function counterAt(low: number, halves: number): SharedCounter {
  const memory = LinkMemory.allocate(64);
  memory.words[0] = low | 0;
  memory.words[1] = halves;
  return new SharedCounter(memory, 0);
}

const HALF = 2 ** 31;
const places: readonly (readonly [low: number, halves: number, next: number])[] = [
  [HALF - 1, 0, HALF - 1],
  [HALF, 0, HALF],
  [2 * HALF - 1, 1, 2 * HALF - 1],
  [0, 1, 2 * HALF],
  [HALF, 2, 3 * HALF],
  [0, 3, 4 * HALF],
];
for (const [low, halves, next] of places) {
  counter(`goes on from ${next}`, () => {
    const one = counterAt(low, halves);
    assert.is(one.upcoming, next);
    assert.equal([one.next(), one.next(), one.upcoming], [next, next + 1, next + 2]);
  });
}

for (const [low, halves, next] of places) {
  counter(`gives out several in a row from ${next}`, () => {
    const one = counterAt(low, halves);
    assert.equal([one.take(3), one.take(1), one.upcoming], [next, next + 3, next + 4]);
  });
}

counter('is not misled by who begins a half at the same moment', () => {
  // The first number of a half is given out, but its taker has not recorded it yet.
  assert.is(counterAt(HALF + 5, 0).upcoming, HALF + 5);
  assert.is(counterAt(5, 1).upcoming, 2 * HALF + 5);
  // A number of the previous half was taken, and the next half has started since.
  assert.is(counterAt(HALF - 5, 1).upcoming, HALF - 5);
  assert.is(counterAt(2 * HALF - 5, 2).upcoming, 2 * HALF - 5);
});

counter.run();
