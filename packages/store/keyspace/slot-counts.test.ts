/** Keys of slots are counted as keys come and go, whichever way they do. */

import { type Bytes, keySlot, SLOT_COUNT } from '#base';
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Store } from '../store.ts';

const slots = suite('keys of slots');

const bytes = (text: string): Bytes => Buffer.from(text);
const slotOf = (text: string): number => keySlot(bytes(text), 0, text.length);

function newStore(random: () => number, countsSlots = true) {
  const store = new Store({ databases: 2, seed: new Uint8Array(16), random, countsSlots });
  store.nowMs = 1_000;
  return store;
}

slots(
  'sets, removals, expiry, eviction, renames and flushes leave the counts true',
  withRandom((random) => {
    const store = newStore(() => random.fraction());
    store.setPolicy('allkeys-random');
    const keyspace = store.databases[0]!;
    const set = (key: string): void => {
      const [name, value] = [bytes(key), bytes('v'.repeat(random.integer(0, 59)))];
      keyspace.set(
        { bytes: name, at: 0, length: name.length },
        { bytes: value, at: 0, length: value.length },
      );
    };
    const check = (): void => {
      const counted = new Map<number, number>();
      let cursor = 0;
      do {
        cursor = keyspace.scan(cursor, 100, (ref) => {
          const { bytes: source, at, length } = keyspace.key(ref);
          const slot = keySlot(source, at, length);
          counted.set(slot, (counted.get(slot) ?? 0) + 1);
        });
      } while (cursor !== 0);
      const reported = Array.from({ length: SLOT_COUNT }, (_, slot) => [
        slot,
        keyspace.keysOfSlot(slot),
      ]).filter(([, count]) => count !== 0);
      assert.equal(
        reported,
        [...counted].sort(([one], [other]) => one - other),
      );
    };
    for (let step = 0; step < 3_000; step += 1) {
      const key = `${'k'.repeat(random.integer(0, 3))}{${random.integer(0, 19)}}${random.integer(0, 29)}`;
      const name = bytes(key);
      const what = random.integer(0, 9);
      if (what < 5) set(key);
      else if (what < 7) keyspace.remove(name, 0, name.length);
      else if (what === 7) {
        const ref = keyspace.peek(name, 0, name.length);
        if (ref !== 0) keyspace.setExpireAt(ref, store.nowMs + random.integer(0, 4));
      } else if (what === 8) store.nowMs += 1;
      else store.evictOne();
      if (step % 500 === 0) check();
    }
    check();
    store.flush();
    check();
    set('{a}1');
    set('{a}2');
    assert.is(keyspace.keysOfSlot(slotOf('a')), 2);
    store.swap(0, 1);
    assert.is(store.databases[0]!.size, 0);
    assert.is(keyspace.keysOfSlot(slotOf('a')), 0);
    assert.is(store.databases[1]!.keysOfSlot(slotOf('a')), 2);
  }),
);

slots('keys of hidden slots are none of those that are there, whenever they came', () => {
  const store = newStore(() => 0.5);
  const keyspace = store.databases[0]!;
  const set = (key: string): void => {
    const name = bytes(key);
    keyspace.set({ bytes: name, at: 0, length: name.length }, { bytes: name, at: 0, length: 1 });
  };
  set('{a}1');
  set('{b}1');
  store.hideSlots([[slotOf('a'), slotOf('a')]]);
  assert.is(keyspace.servedSize, 1);
  set('{a}2');
  set('{b}2');
  assert.is(keyspace.servedSize, 2);
  keyspace.remove(bytes('{a}1'), 0, 4);
  assert.is(keyspace.servedSize, 2);
  store.hideSlots([]);
  assert.is(keyspace.servedSize, 3);
});

slots('nothing is counted outside of a cluster', () => {
  assert.is(newStore(() => 0.5, false).databases[0]!.keysOfSlot(0), undefined);
});

slots.run();
