/** Keys that clients write on a writable replica go when their time is over, and no others do. */
import { fromLatin1 } from '#base';
import { setOptions, Span, Store } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OwnExpiry } from './own-expiry.ts';

const expiry = suite('expiry of keys of a replica');

function set(store: Store, name: string, expireAt: number, database = 0): void {
  const key = new Span(fromLatin1(name));
  store.databases[database]!.set(key, key, setOptions({ expireAt }));
}

function newStore(): Store {
  const store = new Store({ databases: 2, seed: Buffer.alloc(16, 3), random: () => 0.5 });
  store.nowMs = 1_000;
  store.lazyExpireDisabled = true;
  return store;
}

const report = (own: OwnExpiry, name: string, database = 0): void => {
  own.changed(database, fromLatin1(name), 0, name.length);
};

expiry('only what clients have written is removed', () => {
  const store = newStore();
  const own = new OwnExpiry(store);
  for (const name of ['ours', 'theirs']) set(store, name, 2_000);
  set(store, 'ours', 2_000, 1);
  set(store, 'for ever', -1);
  report(own, 'ours');
  report(own, 'ours', 1);
  report(own, 'for ever');
  assert.is(own.count, 2);
  own.slice(() => 0, 1_000);
  assert.is(store.keyCount, 4);
  store.nowMs = 2_001;
  own.slice(() => 0, 1_000);
  assert.is(store.keyCount, 2, "the primary's and the one without an end");
  assert.is(store.stats.expired, 2);
  assert.is(own.count, 0);
});

expiry('what has another end, none, or is gone is looked at as it is now', () => {
  const store = newStore();
  const own = new OwnExpiry(store);
  for (const name of ['later', 'never', 'gone']) {
    set(store, name, 2_000);
    report(own, name);
  }
  set(store, 'later', 3_000);
  set(store, 'never', -1);
  store.databases[0]!.remove(fromLatin1('gone'), 0, 4);
  store.nowMs = 2_500;
  own.slice(() => 0, 1_000);
  assert.is(store.keyCount, 2);
  assert.is(own.count, 1);
  own.clear();
  store.nowMs = 4_000;
  own.slice(() => 0, 1_000);
  assert.is(store.keyCount, 2);
});

expiry('a slice ends with its time, and the next goes on from there', () => {
  const store = newStore();
  const own = new OwnExpiry(store);
  for (let nth = 0; nth < 1_000; nth += 1) {
    set(store, `key:${nth}`, 2_000);
    report(own, `key:${nth}`);
  }
  store.nowMs = 5_000;
  let nowUs = 0;
  const clock = (): number => (nowUs += 10);
  own.slice(clock, 50);
  assert.ok(own.count > 800 && own.count < 1_000, String(own.count));
  for (let round = 0; round < 100 && own.count > 0; round += 1) own.slice(clock, 50);
  assert.is(own.count, 0);
  assert.is(store.keyCount, 0);
});

expiry.run();
