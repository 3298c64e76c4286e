/** Tests of key locks: frames on the same keys in order, others at once, barriers for everything. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Frame } from '../frames/frame.ts';
import { KeyLocks } from './key-locks.ts';

const holding = suite('key locks');

/** A frame is known by its first word after the header's size. */
function frameOf(id: number): Frame {
  const words = Int32Array.of(16, id, 0, 0);
  return new Frame(new Uint8Array(words.buffer), words, 0);
}

function fixture(ran?: (id: number, keyLocks: KeyLocks) => void) {
  const order: number[] = [];
  const keyLocks: KeyLocks = new KeyLocks((frame) => {
    const id = frame.words[frame.word + 1]!;
    order.push(id);
    ran?.(id, keyLocks);
  });
  /** Does what the shard does with a frame of the ring. */
  const take = (id: number, keys: readonly string[] | null): void => {
    if (keyLocks.admits(frameOf(id), keys)) order.push(id);
  };
  return { keyLocks, order, take };
}

holding('let everything through while nothing is held', () => {
  const { keyLocks, order, take } = fixture();
  take(1, ['a']);
  take(2, null);
  take(3, ['a', 'b']);
  assert.equal(order, [1, 2, 3]);
  assert.not.ok(keyLocks.isActive);
});

holding('put aside what names a held key, and only that', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.hold(7, ['b', 'a']);
  take(1, ['b']);
  take(2, ['c']);
  take(3, ['c', 'a']);
  assert.equal(order, [2]);
  keyLocks.release(7);
  assert.equal(order, [2, 1, 3]);
  assert.not.ok(keyLocks.isActive);
});

holding('let nobody overtake a frame that waits', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.hold(7, ['a']);
  take(1, ['a', 'b']);
  take(2, ['b', 'c']);
  take(3, ['c']);
  take(4, ['d']);
  assert.equal(order, [4]);
  keyLocks.release(7);
  assert.equal(order, [4, 1, 2, 3]);
});

holding('make a barrier wait for all before it, and all behind it wait for the barrier', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.hold(7, ['a']);
  keyLocks.hold(8, ['b']);
  take(1, ['a']);
  take(2, null);
  take(3, ['free']);
  take(4, null);
  take(5, ['b']);
  keyLocks.release(7);
  assert.equal(order, [1]);
  keyLocks.release(8);
  assert.equal(order, [1, 2, 3, 4, 5]);
  assert.not.ok(keyLocks.isActive);
});

holding('give the place of a frame to the transaction that it begins', () => {
  const { keyLocks, order, take } = fixture((id, self) => {
    if (id === 1) self.hold(9, ['b']);
  });
  keyLocks.hold(7, ['a']);
  take(1, ['a', 'b', 'b']);
  take(2, ['a']);
  take(3, ['b']);
  keyLocks.release(7);
  assert.equal(order, [1, 2], 'what the transaction does not hold is free again');
  keyLocks.release(9);
  assert.equal(order, [1, 2, 3]);
});

holding('keep what a second frame of a transaction adds, behind those who had it before', () => {
  const { keyLocks, order, take } = fixture((id, self) => {
    if (id === 2) self.hold(9, ['b', 'a']);
  });
  keyLocks.hold(7, ['b']);
  keyLocks.hold(9, ['a']);
  assert.ok(keyLocks.isKept('a'));
  assert.not.ok(keyLocks.isKept('c'));
  take(2, ['b']);
  take(3, ['b']);
  keyLocks.release(7);
  assert.equal([...keyLocks.namesOf(9)], ['a', 'b']);
  take(4, ['a']);
  assert.equal(order, [2]);
  keyLocks.release(9);
  assert.equal(order, [2, 4, 3]);
  assert.not.ok(keyLocks.isActive);
});

holding('go on when a transaction ends within the frame that began it', () => {
  const { keyLocks, order, take } = fixture((id, self) => {
    self.hold(100 + id, ['a']);
    self.release(100 + id);
  });
  keyLocks.hold(7, ['a']);
  for (let id = 1; id <= 50_000; id += 1) take(id, ['a']);
  keyLocks.release(7);
  assert.is(order.length, 50_000);
  assert.ok(order.every((id, nth) => id === nth + 1));
  assert.not.ok(keyLocks.isActive);
});

holding('keep a frame of the ring, whose place is used again', () => {
  const { keyLocks, order } = fixture();
  const frame = frameOf(1);
  keyLocks.hold(7, ['a']);
  assert.not.ok(keyLocks.admits(frame, ['a']));
  frame.words[1] = 99;
  keyLocks.release(7);
  assert.equal(order, [1]);
});

holding('know nothing of a transaction that only read', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.hold(7, ['a']);
  take(1, ['a']);
  keyLocks.release(6);
  assert.equal(order, []);
  assert.ok(keyLocks.isActive);
});

holding('let only what passes the barrier run while stopped', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.stop();
  assert.ok(keyLocks.isStopped);
  take(1, ['a']);
  take(2, null);
  if (keyLocks.admits(frameOf(3), ['a'], true)) order.push(3);
  if (keyLocks.admits(frameOf(4), null, true)) order.push(4);
  assert.equal(order, [3, 4]);
  keyLocks.resume();
  assert.equal(order, [3, 4, 1, 2]);
  assert.not.ok(keyLocks.isActive);
});

holding('keep what passes the barrier from keys that its transaction has lent', () => {
  const { keyLocks, order, take } = fixture();
  keyLocks.stop();
  keyLocks.hold(7, ['a']);
  if (keyLocks.admits(frameOf(1), ['a'], true)) order.push(1);
  if (keyLocks.admits(frameOf(2), null, true)) order.push(2);
  if (keyLocks.admits(frameOf(3), ['b'], true)) order.push(3);
  take(4, ['b']);
  assert.equal(order, [3]);
  keyLocks.release(7);
  assert.equal(order, [3, 1, 2]);
  keyLocks.resume();
  assert.equal(order, [3, 1, 2, 4]);
});

holding.run();
