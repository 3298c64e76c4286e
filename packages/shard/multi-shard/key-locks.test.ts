/** Tests of key locks: frames on the same keys in order, others at once, barriers for everything. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Frame } from '../execution/frame.ts';
import { KeyLocks } from './key-locks.ts';

const holding = suite('holds');

/** A frame is known by its first word behind the header's size. */
function frameOf(id: number): Frame {
  const words = Int32Array.of(16, id, 0, 0);
  return new Frame(new Uint8Array(words.buffer), words, 0);
}

function fixture(ran?: (id: number, keyLocks: KeyLocks) => void) {
  const order: number[] = [];
  const holds: KeyLocks = new KeyLocks((frame) => {
    const id = frame.words[frame.word + 1]!;
    order.push(id);
    ran?.(id, holds);
  });
  /** Does what the shard does with a frame of the ring. */
  const take = (id: number, keys: readonly string[] | null): void => {
    if (holds.admits(frameOf(id), keys)) order.push(id);
  };
  return { holds, order, take };
}

holding('let everything through while nothing is held', () => {
  const { holds, order, take } = fixture();
  take(1, ['a']);
  take(2, null);
  take(3, ['a', 'b']);
  assert.equal(order, [1, 2, 3]);
  assert.not.ok(holds.isActive);
});

holding('put aside what names a held key, and only that', () => {
  const { holds, order, take } = fixture();
  holds.hold(7, ['b', 'a']);
  take(1, ['b']);
  take(2, ['c']);
  take(3, ['c', 'a']);
  assert.equal(order, [2]);
  holds.release(7);
  assert.equal(order, [2, 1, 3]);
  assert.not.ok(holds.isActive);
});

holding('let nobody overtake a frame that waits', () => {
  const { holds, order, take } = fixture();
  holds.hold(7, ['a']);
  take(1, ['a', 'b']);
  take(2, ['b', 'c']);
  take(3, ['c']);
  take(4, ['d']);
  assert.equal(order, [4]);
  holds.release(7);
  assert.equal(order, [4, 1, 2, 3]);
});

holding('make a barrier wait for all before it, and all behind it wait for the barrier', () => {
  const { holds, order, take } = fixture();
  holds.hold(7, ['a']);
  holds.hold(8, ['b']);
  take(1, ['a']);
  take(2, null);
  take(3, ['free']);
  take(4, null);
  take(5, ['b']);
  holds.release(7);
  assert.equal(order, [1]);
  holds.release(8);
  assert.equal(order, [1, 2, 3, 4, 5]);
  assert.not.ok(holds.isActive);
});

holding('give the place of a frame to the transaction that it begins', () => {
  const { holds, order, take } = fixture((id, self) => {
    if (id === 1) self.hold(9, ['b']);
  });
  holds.hold(7, ['a']);
  take(1, ['a', 'b', 'b']);
  take(2, ['a']);
  take(3, ['b']);
  holds.release(7);
  assert.equal(order, [1, 2], 'what the transaction does not hold is free again');
  holds.release(9);
  assert.equal(order, [1, 2, 3]);
});

holding('keep what a second frame of a transaction adds, behind those who had it before', () => {
  const { holds, order, take } = fixture((id, self) => {
    if (id === 2) self.hold(9, ['b', 'a']);
  });
  holds.hold(7, ['b']);
  holds.hold(9, ['a']);
  assert.ok(holds.isKept('a'));
  assert.not.ok(holds.isKept('c'));
  take(2, ['b']);
  take(3, ['b']);
  holds.release(7);
  assert.equal([...holds.namesOf(9)], ['a', 'b']);
  take(4, ['a']);
  assert.equal(order, [2]);
  holds.release(9);
  assert.equal(order, [2, 4, 3]);
  assert.not.ok(holds.isActive);
});

holding('go on when a transaction ends within the frame that began it', () => {
  const { holds, order, take } = fixture((id, self) => {
    self.hold(100 + id, ['a']);
    self.release(100 + id);
  });
  holds.hold(7, ['a']);
  for (let id = 1; id <= 50_000; id += 1) take(id, ['a']);
  holds.release(7);
  assert.is(order.length, 50_000);
  assert.ok(order.every((id, nth) => id === nth + 1));
  assert.not.ok(holds.isActive);
});

holding('keep a frame of the ring, whose place is used again', () => {
  const { holds, order } = fixture();
  const frame = frameOf(1);
  holds.hold(7, ['a']);
  assert.not.ok(holds.admits(frame, ['a']));
  frame.words[1] = 99;
  holds.release(7);
  assert.equal(order, [1]);
});

holding('know nothing of a transaction that only read', () => {
  const { holds, order, take } = fixture();
  holds.hold(7, ['a']);
  take(1, ['a']);
  holds.release(6);
  assert.equal(order, []);
  assert.ok(holds.isActive);
});

holding('let only what passes the barrier run while stopped', () => {
  const { holds, order, take } = fixture();
  holds.stop();
  assert.ok(holds.isStopped);
  take(1, ['a']);
  take(2, null);
  if (holds.admits(frameOf(3), ['a'], true)) order.push(3);
  if (holds.admits(frameOf(4), null, true)) order.push(4);
  assert.equal(order, [3, 4]);
  holds.resume();
  assert.equal(order, [3, 4, 1, 2]);
  assert.not.ok(holds.isActive);
});

holding('keep what passes the barrier from keys that its transaction has lent', () => {
  const { holds, order, take } = fixture();
  holds.stop();
  holds.hold(7, ['a']);
  if (holds.admits(frameOf(1), ['a'], true)) order.push(1);
  if (holds.admits(frameOf(2), null, true)) order.push(2);
  if (holds.admits(frameOf(3), ['b'], true)) order.push(3);
  take(4, ['b']);
  assert.equal(order, [3]);
  holds.release(7);
  assert.equal(order, [3, 1, 2]);
  holds.resume();
  assert.equal(order, [3, 1, 2, 4]);
});

holding.run();
