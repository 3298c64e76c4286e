import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  refOf,
  removeKey,
  seededRandom,
  setText,
  stoppedClock,
  testStore,
  textOf,
} from '../store.test-helper.ts';
import type { Store } from '../store.ts';

const defrag = suite('defrag');

/** Small databases cannot be dense: each size in use leaves part of a slab, and half a segment is free. */
const WASTE_BYTES_MAX = 3 * 1024 * 1024;

/** Fills a database with keys whose values contain their number; returns the lengths. */
function fill(store: Store, database: number, count: number, random: () => number): number[] {
  const keyspace = store.databases[database]!;
  const lengths: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const length = Math.floor(16 * 2 ** (random() * 6));
    lengths.push(length);
    const ref = setText(keyspace, `key:${i}`, valueOf(i, length));
    if (i % 10 === 3) keyspace.setExpireAt(ref, store.nowMs + 1e6 + i);
  }
  return lengths;
}

function valueOf(id: number, length: number): string {
  return `${id}.`.repeat(Math.ceil(length / 2)).slice(0, length);
}

/** A clock that ends every slice after a few steps. */
function hastyClock(): () => number {
  let nowUs = 0;
  return () => (nowUs += 1);
}

/** Runs slices until none is active; returns the bytes given back. */
function defragment(store: Store): number {
  let given = 0;
  let slices = 0;
  do {
    given += store.defragSlice(hastyClock(), 4);
    slices += 1;
    assert.ok(slices < 200_000, 'an end');
  } while (store.isDefragmenting);
  return given;
}

defrag('brings memory near to what is live, and keeps every key', () => {
  const store = testStore();
  const random = seededRandom(11);
  const keyspace = store.databases[0]!;
  const lengths = fill(store, 0, 200_000, random);
  const before = store.memory.segmentBytes;
  const kept: number[] = [];
  for (let i = 0; i < lengths.length; i += 1) {
    if (random() < 0.8) removeKey(keyspace, `key:${i}`);
    else kept.push(i);
  }
  const live = store.memory.recordBytes;
  assert.ok(store.fragmentation > 2, `sparse before: ${store.fragmentation}`);
  const given = defragment(store);
  assert.is(store.memory.segmentBytes, before - given);
  assert.is(store.memory.recordBytes, live);
  assert.ok(store.fragmentation < 1.3, `dense after: ${store.fragmentation}`);
  assert.ok(store.stats.get('defragMoved') > 0);
  assert.is(keyspace.size, kept.length);
  for (const i of kept) assert.is(textOf(keyspace, `key:${i}`), valueOf(i, lengths[i]!));
  for (const i of kept) {
    const expected = i % 10 === 3 ? store.nowMs + 1e6 + i : -1;
    assert.is(keyspace.expireAt(refOf(keyspace, `key:${i}`)), expected);
  }
  store.nowMs += 1e9;
  const expiring = keyspace.expires;
  let removed = 0;
  for (let i = 0; i < 2000; i += 1) removed += store.expireSlice(stoppedClock, 1);
  assert.is(removed, expiring);
});

defrag('does nothing when memory is dense, and moves nothing twice', () => {
  const store = testStore();
  fill(store, 0, 50_000, seededRandom(1));
  assert.is(defragment(store), 0);
  const moved = store.stats.get('defragMoved');
  defragment(store);
  assert.ok(store.stats.get('defragMoved') - moved < 20_000);
});

defrag('goes on correctly when keys come, go and move between its slices', () => {
  const store = testStore();
  const random = seededRandom(21);
  const model = new Map<string, string>();
  const keyspace = store.databases[0]!;
  const write = (id: number): void => {
    const value = valueOf(id, Math.floor(random() * 600));
    setText(keyspace, `k${id}`, value);
    model.set(`k${id}`, value);
  };
  for (let round = 0; round < 4; round += 1) {
    for (let id = 0; id < 30_000; id += 1) write(id);
    for (let id = 0; id < 30_000; id += 1) {
      if (random() < 0.2) continue;
      removeKey(keyspace, `k${id}`);
      model.delete(`k${id}`);
    }
    do {
      store.defragSlice(hastyClock(), 3);
      for (let i = 0; i < 3; i += 1) write(Math.floor(random() * 30_000));
      const gone = `k${Math.floor(random() * 30_000)}`;
      assert.is(removeKey(keyspace, gone), model.delete(gone));
    } while (store.isDefragmenting);
    assert.is(keyspace.size, model.size);
    for (const [key, value] of model) assert.is(textOf(keyspace, key), value);
  }
  assert.ok(store.memory.wasteBytes < WASTE_BYTES_MAX, `little waste: ${store.memory.wasteBytes}`);
});

defrag('survives swap and flush in the middle of its work', () => {
  const store = testStore();
  const random = seededRandom(31);
  fill(store, 0, 40_000, random);
  fill(store, 1, 40_000, random);
  for (let i = 0; i < 40_000; i += 1) {
    if (i % 5 === 0) continue;
    removeKey(store.databases[0]!, `key:${i}`);
    removeKey(store.databases[1]!, `key:${i}`);
  }
  for (let i = 0; i < 10; i += 1) store.defragSlice(hastyClock(), 3);
  store.swap(0, 1);
  for (let i = 0; i < 10; i += 1) store.defragSlice(hastyClock(), 3);
  store.flush(0);
  defragment(store);
  assert.ok(store.memory.wasteBytes < WASTE_BYTES_MAX, `little waste: ${store.memory.wasteBytes}`);
  assert.is(store.databases[1]!.size, 8000);
  for (let i = 0; i < 40_000; i += 5) assert.is.not(refOf(store.databases[1]!, `key:${i}`), 0);
});

defrag('gives everything back when everything is removed', () => {
  const store = testStore();
  const empty = store.memory.usedBytes;
  fill(store, 0, 50_000, seededRandom(41));
  for (let i = 0; i < 50_000; i += 1) removeKey(store.databases[0]!, `key:${i}`);
  assert.is(store.memory.usedBytes, empty);
  defragment(store);
  assert.is(store.memory.segmentBytes, 0);
});

defrag.run();
