import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WorkingSet } from './working-set.ts';

const workingSet = suite('working set');

/** A hash of which all bits depend on the number. */
function hashOf(nth: number): number {
  return Math.imul(Math.imul(nth + 1, 0x9e3779b1) ^ (nth >>> 3), 0x85ebca6b);
}

function use(set: WorkingSet, nth: number, bytes: number): boolean {
  const hash = hashOf(nth);
  const isWatched = set.isWatched(hash);
  if (isWatched) set.note(hash, bytes);
  return isWatched;
}

workingSet('finds the bytes of what is used alike', () => {
  const set = new WorkingSet();
  for (let turn = 0; turn < 20; turn += 1) {
    for (let nth = 0; nth < 20_000; nth += 1) use(set, nth, 1_000);
  }
  const found = set.bytesFor(0.99) / 20_000_000;
  assert.ok(found > 0.7 && found < 1.3, String(found));
});

workingSet('needs little for what is used most', () => {
  const set = new WorkingSet();
  for (let turn = 0; turn < 200_000; turn += 1) {
    // Of a hundred uses one is of 100,000 keys, and the others of 5,000.
    use(set, turn % 100 === 0 ? 5_000 + ((turn * 7) % 100_000) : turn % 5_000, 1_000);
  }
  const found = set.bytesFor(0.98) / 5_000_000;
  assert.ok(found > 0.6 && found < 1.6, String(found));
});

workingSet('watches fewer where a few keys get all the use', () => {
  const set = new WorkingSet();
  let watched = 0;
  for (let turn = 0; turn < 400_000; turn += 1) if (use(set, turn % 3, 100)) watched += 1;
  assert.ok(watched < 40_000, String(watched));
});

workingSet.run();
