/** The pool of blocks: none is lent twice, none lies outside. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockPool } from './blocks.ts';

const blocks = suite('block pool');

const memory = { bytes: new Uint8Array(0), copy: () => undefined };

blocks('lends each block once, then none', () => {
  const pool = new BlockPool(memory, 1_000, 4, 64);
  const taken = [pool.take(), pool.take(), pool.take(), pool.take()];
  assert.equal(taken, [1_000, 1_064, 1_128, 1_192]);
  assert.is(pool.freeCount, 0);
  assert.is(pool.take(), -1);
  assert.is(pool.take(), -1);
});

blocks('lends the block given back last first', () => {
  const pool = new BlockPool(memory, 0, 3, 16);
  const [one, other] = [pool.take(), pool.take()];
  pool.give(one);
  pool.give(other);
  assert.is(pool.freeCount, 3);
  assert.is(pool.take(), other);
  assert.is(pool.take(), one);
});

blocks.run();
