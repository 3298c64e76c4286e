/** Tests of what breaks a watch, and what does not. */
import { fromLatin1 } from '#base';
import { Span, Store } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Watches } from './watches.ts';

const watching = suite('watches');

const NOW_MS = 1_700_000_000_000;
const SLOT = 7;
const key = fromLatin1('k');

function fixture(): {
  store: Store;
  watches: Watches;
  set: (expireInMs?: number, database?: number) => void;
} {
  const options = { databases: 2, seed: Buffer.alloc(16, 1), random: () => 0.5 };
  const { store, watches } = Store.with(options, (store) => {
    const watches = new Watches(store);
    const gone = (database: number, bytes: Uint8Array, at: number, length: number): void => {
      watches.touch(database, bytes, at, length);
    };
    const events = {
      expired: gone,
      evicted: gone,
      fieldsExpired: gone,
      fieldsDropped: gone,
      endSet: gone,
    };
    return [{ events }, { store, watches }];
  });
  store.nowMs = NOW_MS;
  const set = (expireInMs = 0, database = 0): void => {
    const keyspace = store.databases[database]!;
    const ref = keyspace.set(new Span(key, 0, 1), new Span(key, 0, 1));
    if (expireInMs !== 0) keyspace.setExpireAt(ref, NOW_MS + expireInMs);
  };
  return { store, watches, set };
}

watching('hold while nothing happens, and end with their judgement', () => {
  const { watches, set } = fixture();
  set();
  watches.watch(SLOT, 0, key);
  assert.ok(watches.isActive);
  assert.equal(watches.namesOf(SLOT), ['0:k']);
  assert.not.ok(watches.take(SLOT));
  assert.not.ok(watches.isActive);
});

watching('are named before they have begun', () => {
  const { watches } = fixture();
  watches.awaits(SLOT, ['0:k', '0:l']);
  watches.awaits(SLOT, ['0:m']);
  watches.watch(SLOT, 0, key);
  assert.equal(watches.namesOf(SLOT), ['0:k', '0:l', '0:m']);
  watches.forget(SLOT);
  assert.equal(watches.namesOf(SLOT), []);
});

watching('break when their key changes, in their database and for every client', () => {
  const { watches } = fixture();
  watches.watch(SLOT, 0, key);
  watches.watch(SLOT + 1, 0, key);
  watches.watch(SLOT + 2, 1, key);
  watches.touch(0, key, 0, 1);
  assert.equal(
    [SLOT, SLOT + 1, SLOT + 2].map((slot) => watches.take(slot)),
    [true, true, false],
  );
});

watching('break when their key runs out of time', () => {
  const { store, watches, set } = fixture();
  set(10);
  watches.watch(SLOT, 0, key);
  store.nowMs += 10;
  assert.ok(watches.take(SLOT), 'though nobody has removed it yet');
});

watching('do not break when a key that was over its time is removed', () => {
  const { store, watches, set } = fixture();
  set(10);
  store.nowMs += 20;
  watches.watch(SLOT, 0, key);
  assert.is(store.databases[0]!.peek(key, 0, 1), 0);
  assert.not.ok(watches.take(SLOT));
  set(10);
  watches.watch(SLOT, 0, key);
  store.flush(0);
  watches.flushed(0);
  assert.not.ok(watches.take(SLOT), 'nor when all is');
});

watching('break by a flush where there was something', () => {
  const { watches, set } = fixture();
  watches.watch(SLOT, 0, key);
  watches.flushed(0);
  assert.not.ok(watches.take(SLOT));
  set();
  watches.watch(SLOT, 0, key);
  watches.flushed(1);
  watches.watch(SLOT + 1, 0, key);
  assert.not.ok(watches.take(SLOT));
  watches.flushed(-1);
  assert.ok(watches.take(SLOT + 1));
});

watching('break by an exchange of databases that a reader could see', () => {
  const cases: readonly (readonly [here: number, there: number, isBroken: boolean])[] = [
    // Milliseconds to live: 0 = no key, negative = over its time, Infinity = for good.
    [0, 0, false],
    [Infinity, 0, true],
    [0, Infinity, true],
    [Infinity, Infinity, true],
    [0, -5, false],
    [-5, 0, false],
    [-5, -5, false],
    [-5, Infinity, true],
  ];
  for (const [here, there, isBroken] of cases) {
    const { store, watches, set } = fixture();
    for (const [database, ms] of [here, there].entries()) {
      if (ms !== 0) set(Number.isFinite(ms) ? ms : 0, database);
    }
    watches.watch(SLOT, 0, key);
    store.swap(0, 1);
    watches.swapped(0, 1);
    assert.is(watches.take(SLOT), isBroken, `${here} ${there}`);
  }
});

watching('are forgotten with their client', () => {
  const { watches } = fixture();
  watches.watch(SLOT, 0, key);
  watches.touch(0, key, 0, 1);
  watches.forget(SLOT);
  assert.not.ok(watches.isActive);
  assert.not.ok(watches.take(SLOT));
});

for (const gone of [1, 2, 3]) {
  watching(`of three clients on one key, the others still watch when number ${gone} leaves`, () => {
    const { watches } = fixture();
    for (const slot of [1, 2, 3]) watches.watch(slot, 0, key);
    watches.forget(gone);
    watches.touch(0, key, 0, 1);
    for (const slot of [1, 2, 3]) assert.is(watches.take(slot), slot !== gone, `client ${slot}`);
    assert.not.ok(watches.isActive);
  });
}

watching.run();
