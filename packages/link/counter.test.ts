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

counter('goes beyond 32 bits', () => {
  const memory = LinkMemory.allocate(64);
  new BigUint64Array(memory.memory.buffer, 0, 1)[0] = 2n ** 32n - 1n;
  const one = new SharedCounter(memory, 0);
  assert.equal([one.next(), one.next()], [2 ** 32 - 1, 2 ** 32]);
});

counter.run();
