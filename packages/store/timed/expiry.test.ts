import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  refOf,
  seededRandom,
  setText,
  stoppedClock,
  testStore,
  textOf,
} from '../store.test-helper.ts';
import type { Store } from '../store.ts';

const expiry = suite('active expiry');

/** Adds `count` keys that expire in `ms`, with names starting with `prefix`. */
function addExpiring(
  store: Store,
  database: number,
  prefix: string,
  count: number,
  ms: number,
): void {
  const keyspace = store.databases[database]!;
  for (let i = 0; i < count; i += 1) {
    keyspace.setExpireAt(setText(keyspace, `${prefix}${i}`, 'value'), store.nowMs + ms);
  }
}

/** A clock that moves on by `stepUs` each time it is read. */
function steppingClock(stepUs: number): () => number {
  let nowUs = 0;
  return () => (nowUs += stepUs);
}

expiry('removes all that is due, in every database, and nothing else', () => {
  const store = testStore();
  let events = 0;
  store.events.expired = () => (events += 1);
  for (const database of [0, 2]) {
    addExpiring(store, database, 'due', 5000, 10);
    addExpiring(store, database, 'later', 500, 1_000_000);
    setText(store.databases[database]!, 'never', 'v');
  }
  assert.is(store.expireSlice(stoppedClock, 1), 0);
  store.nowMs += 11;
  let removed = 0;
  for (let i = 0; i < 100; i += 1) removed += store.expireSlice(stoppedClock, 1);
  assert.ok(removed > 9900, `nearly all at once, not ${removed}`);
  for (let i = 0; i < 500; i += 1) removed += store.expireSlice(stoppedClock, 1);
  assert.is(removed, 10_000);
  assert.is(events, 10_000);
  assert.is(store.stats.expired, 10_000);
  assert.is(store.databases[0]!.size, 501);
  assert.is(store.databases[2]!.expires, 500);
  assert.is(textOf(store.databases[2]!, 'never'), 'v');
});

expiry('stops when its time is over, and goes on where it stopped', () => {
  const store = testStore();
  addExpiring(store, 0, 'due', 10_000, 10);
  addExpiring(store, 1, 'due', 10_000, 10);
  store.nowMs += 11;
  const first = store.expireSlice(steppingClock(10), 100);
  assert.ok(first > 0 && first < 500, `a bounded slice, not ${first}`);
  assert.is(store.stats.get('expiredTimeCapReached'), 1);
  assert.ok(store.stats.get('stalePercent') > 0);
  let slices = 0;
  while (store.databases[0]!.size + store.databases[1]!.size > 0) {
    store.expireSlice(steppingClock(10), 100);
    slices += 1;
    assert.ok(slices < 2000, 'an end');
  }
});

expiry('does nothing while it is off', () => {
  const store = testStore();
  addExpiring(store, 0, 'due', 10, 10);
  store.nowMs += 11;
  store.activeExpire = false;
  assert.is(store.expireSlice(stoppedClock, 1), 0);
  store.activeExpire = true;
  store.lazyExpireDisabled = true;
  assert.is(store.expireSlice(stoppedClock, 1), 0);
  assert.is(store.databases[0]!.size, 10);
});

expiry('finds the few that are due among many that are not', () => {
  const store = testStore();
  addExpiring(store, 0, 'later', 20_000, 1_000_000);
  addExpiring(store, 0, 'due', 40, 10);
  store.nowMs += 11;
  let slices = 0;
  while (store.databases[0]!.size > 20_000) {
    store.expireSlice(stoppedClock, 1);
    slices += 1;
    assert.ok(slices < 2100, 'one round of the cursor');
  }
});

expiry('keeps both indexes in step, whatever changes', () => {
  const store = testStore();
  const keyspace = store.databases[0]!;
  const random = seededRandom(5);
  for (let i = 0; i < 50_000; i += 1) {
    const key = `k${Math.floor(random() * 500)}`;
    const ref = refOf(keyspace, key);
    if (ref === 0 || random() < 0.3)
      setText(keyspace, key, 'x'.repeat(random() * 50), random() < 0.5);
    else keyspace.setExpireAt(ref, random() < 0.3 ? -1 : store.nowMs + Math.floor(random() * 100));
    if (i % 100 === 0) store.nowMs += 7;
    if (i % 1000 === 0) store.expireSlice(stoppedClock, 1);
  }
  let expiring = 0;
  let cursor = 0;
  do {
    cursor = keyspace.scan(cursor, 100, (ref) => (expiring += keyspace.expireAt(ref) >= 0 ? 1 : 0));
  } while (cursor !== 0);
  assert.is(keyspace.expires, expiring);
});

expiry.run();
