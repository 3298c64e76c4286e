import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { threadHeap } from '#base';
import { MemoryReturn, threadMemoryReturn } from './memory-return.ts';

const returns = suite('memory return');

const MIB = 1024 * 1024;
const SECOND_US = 1_000_000;

/** A thread whose garbage is known: looked at each second. */
class Thread {
  used = 0;
  garbage = 0;
  /** Bytes in use that are not reported. */
  hidden = 0;
  collections = 0;
  nowUs = 0;
  collectionUs = 10_000;
  readonly memory = new MemoryReturn({
    collect: () => {
      this.collections += 1;
      this.nowUs += this.collectionUs;
      this.garbage = 0;
    },
    ownedBytes: () => this.used + this.hidden + this.garbage,
    nowUs: () => this.nowUs,
  });

  pass(seconds: number, isIdle = true): void {
    for (let nth = 0; nth < seconds; nth += 1) {
      this.nowUs += SECOND_US;
      this.memory.look(this.used, isIdle);
    }
  }
}

returns('an idle thread gives back what it has dropped with the next look', () => {
  const thread = new Thread();
  thread.garbage = 1_000 * MIB;
  thread.pass(1);
  assert.equal([thread.garbage, thread.collections], [0, 1]);
  thread.pass(1_000);
  assert.is(thread.collections, 1);
});

returns('a busy one is left alone for some seconds', () => {
  const thread = new Thread();
  thread.garbage = 1_000 * MIB;
  thread.pass(5, false);
  assert.is(thread.collections, 0);
  thread.pass(1, false);
  assert.is(thread.collections, 1);
});

returns('dropped buffers that came by message are given back, counted by V8 or not', () => {
  const thread = new Thread();
  thread.memory.noteReceived(20 * MIB);
  thread.pass(100);
  assert.is(thread.collections, 0);
  thread.memory.noteReceived(20 * MIB);
  thread.pass(100);
  assert.is(thread.collections, 1);
});

returns('a value that is deleted is noticed, though nothing is allocated', () => {
  const thread = new Thread();
  thread.used = 2_000 * MIB;
  thread.pass(10);
  assert.is(thread.collections, 0);
  thread.used = 0;
  thread.garbage = 2_000 * MIB;
  thread.pass(1);
  assert.is(thread.garbage, 0);
});

returns('a little is left to V8, and so is what may be a miscount', () => {
  const thread = new Thread();
  thread.garbage = 20 * MIB;
  thread.pass(100);
  assert.is(thread.collections, 0);
  thread.used = 8_000 * MIB;
  thread.garbage = 900 * MIB;
  thread.pass(100);
  assert.is(thread.collections, 0);
});

returns('what is in use unseen costs ever fewer collections, until it is dropped', () => {
  const thread = new Thread();
  thread.hidden = 500 * MIB;
  thread.pass(100);
  assert.ok(thread.collections <= 5, `${thread.collections} collections`);
  thread.hidden = 0;
  thread.garbage = 500 * MIB;
  thread.pass(250);
  assert.is(thread.garbage, 0);
});

returns('what a collection has left is looked at again when something may have freed it', () => {
  const thread = new Thread();
  thread.hidden = 500 * MIB;
  thread.pass(100);
  thread.hidden = 0;
  thread.garbage = 500 * MIB;
  thread.memory.lookAgain();
  thread.pass(1);
  assert.is(thread.garbage, 0);
});

returns('collections take no more than a hundredth of the time', () => {
  const thread = new Thread();
  thread.collectionUs = 60_000;
  for (let second = 0; second < 100; second += 1) {
    thread.garbage += 500 * MIB;
    thread.pass(1);
  }
  assert.ok(thread.collections <= 18, `${thread.collections} collections`);
});

returns('a collection that took long puts off the next for seconds, and no longer', () => {
  const thread = new Thread();
  thread.collectionUs = 2_000_000;
  thread.garbage = 500 * MIB;
  thread.pass(6, false);
  thread.garbage = 500 * MIB;
  thread.pass(16, false);
  assert.is(thread.garbage, 0);
});

/** Makes a heap large, and drops all that it holds. */
function fillHeap(): number {
  return Array.from({ length: 4_000_000 }, (_, nth) => ({ nth })).length;
}

returns('objects that a thread has dropped come back as buffers do', () => {
  const memory = threadMemoryReturn();
  fillHeap();
  const { totalBytes } = threadHeap();
  assert.ok(memory.look(0, true), 'what was dropped is noticed');
  assert.ok(threadHeap().totalBytes < totalBytes / 2);
});

returns('purging asks nothing', () => {
  const thread = new Thread();
  thread.garbage = MIB;
  thread.memory.purge();
  assert.is(thread.garbage, 0);
});

returns.run();
