/** A freeze hands out every key as it was, however it changes meanwhile: long values too, which are read in steps. */
// test-tier: long
import { type Bytes, fromLatin1 } from '#base';
import { type Random, withoutMemory, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SnapshotIterator } from './snapshot-iterator.ts';

import { LONG_COPY_BYTES } from '../memory/limits.ts';
import { keysInPiece, PieceInstaller } from './long-state.ts';
import { SetValue } from '../set/set-value.ts';
import { Store } from '../store.ts';
import { Span } from '../values/span.ts';

const freezes = suite('freeze');

const LIMITS = { entries: 0, valueBytes: 0, intsetEntries: 0 };
const MEMBERS = 60_000;

function newStore(): Store {
  return new Store({ databases: 2, seed: Buffer.alloc(16, 3), random: () => 0.5 });
}

function setOf(store: Store, key: Bytes): SetValue {
  const keyspace = store.databases[0]!;
  return new SetValue().open(keyspace, keyspace.peek(key, 0, key.length), LIMITS);
}

function textOf(store: Store, key: Bytes): Uint8Array {
  const keyspace = store.databases[0]!;
  const ref = keyspace.peek(key, 0, key.length);
  const { bytes, at, length } = keyspace.value(ref);
  return bytes.slice(at, at + length);
}

/** A store with a long set and a long string among short strings. */
function filled(): Store {
  const store = newStore();
  const keyspace = store.databases[0]!;
  const name = { bytes: fromLatin1('set'), at: 0, length: 3 };
  const set = new SetValue().create(keyspace, name, LIMITS, name, 1);
  for (let nth = 0; nth < MEMBERS; nth += 1) {
    const member = fromLatin1(`member:${nth}`);
    set.add(member, 0, member.length);
  }
  // More than a piece of a long state.
  const long = new Uint8Array(20 * LONG_COPY_BYTES).fill(7);
  const text = fromLatin1('text');
  keyspace.set(new Span(text), new Span(long));
  for (let nth = 0; nth < 200; nth += 1) {
    const key = fromLatin1(`key:${nth}`);
    keyspace.set(new Span(key), new Span(key));
  }
  return store;
}

/** Walks to the end in the least of steps, with `between` before each; returns what was handed out. */
function walked(store: Store, between: (snapshotIterator: SnapshotIterator) => void): Store {
  const pieces: (readonly [states: Bytes, count: number])[] = [];
  let count = 0;
  const freeze = new SnapshotIterator(store);
  freeze.begin((states, keys, isGiven) => {
    const transfer = isGiven ? [states.buffer as ArrayBuffer] : [];
    pieces.push([structuredClone(states, { transfer }), keys]);
    count += keysInPiece(keys);
  });
  do between(freeze);
  while (!freeze.slice(() => 0, 0));
  const copy = newStore();
  const installer = new PieceInstaller(copy);
  let installed = 0;
  for (const [states, keys] of pieces) installed += installer.install(states, keys);
  assert.is(installed, count);
  assert.is(copy.keyCount, count, 'each key is handed out once');
  return copy;
}

function change(store: Store, freeze: SnapshotIterator, random: Random): void {
  const set = fromLatin1('set');
  const text = fromLatin1('text');
  if (random.chance(0.02)) {
    freeze.preserve(0, set, 0, set.length);
    const member = fromLatin1(`member:${random.integer(0, MEMBERS)}`);
    setOf(store, set).delete(member, 0, member.length);
  }
  if (random.chance(0.02)) {
    freeze.preserve(0, text, 0, text.length);
    const keyspace = store.databases[0]!;
    const { bytes, at, length } = keyspace.value(keyspace.peek(text, 0, text.length));
    bytes.fill(random.integer(8, 255), at, at + length);
  }
}

freezes('nothing changes, and all is handed out', () => {
  const store = filled();
  let isRead = false;
  const copy = walked(store, (freeze) => {
    isRead ||= freeze.isReading;
  });
  assert.ok(isRead, 'long values are read in steps');
  assert.is(copy.keyCount, store.keyCount);
  assert.is(setOf(copy, fromLatin1('set')).count, MEMBERS);
  assert.equal(textOf(copy, fromLatin1('text')), textOf(store, fromLatin1('text')));
});

freezes(
  'long values that change while they are read are handed out as they were',
  withRandom((random) => {
    for (let round = 0; round < 6; round += 1) {
      const store = filled();
      const copy = walked(store, (freeze) => {
        change(store, freeze, random);
      });
      assert.is(setOf(copy, fromLatin1('set')).count, MEMBERS);
      assert.ok(textOf(copy, fromLatin1('text')).every((byte) => byte === 7));
      assert.is(copy.keyCount, 202);
    }
  }),
);

freezes(
  'a long value that is overwritten or removed while it is read is handed out as it was',
  () => {
    for (const act of ['overwrite', 'remove', 'clear'] as const) {
      const store = filled();
      const keyspace = store.databases[0]!;
      const key = fromLatin1('text');
      let isDone = false;
      const copy = walked(store, (freeze) => {
        if (isDone || !freeze.isReading) return;
        isDone = true;
        freeze.preserve(0, key, 0, key.length);
        if (act === 'overwrite') keyspace.set(new Span(key), new Span(key));
        else if (act === 'remove') keyspace.remove(key, 0, key.length);
        else keyspace.clear();
      });
      assert.ok(isDone);
      assert.is(textOf(copy, key).length, 20 * LONG_COPY_BYTES, act);
      assert.is(copy.keyCount, 202);
    }
  },
);

freezes('a value that there is no memory to copy fails one freeze, and the next is whole', () => {
  const key = fromLatin1('text');
  for (const act of ['walk', 'preserve'] as const) {
    const store = filled();
    const freeze = new SnapshotIterator(store);
    let failures = 0;
    let handed = 0;
    freeze.begin(
      (_, keys) => {
        handed += keys;
      },
      () => {
        failures += 1;
      },
    );
    const isScarce = withoutMemory(0, LONG_COPY_BYTES, () => {
      if (act === 'preserve') freeze.preserve(0, key, 0, key.length);
      while (!freeze.slice(() => 0, 0));
    });
    assert.ok(isScarce);
    assert.equal([failures, freeze.isWhole, freeze.isActive], [1, false, false], act);
    assert.ok(handed < store.keyCount);
    const copy = walked(store, () => undefined);
    assert.is(copy.keyCount, store.keyCount, act);
  }
});

freezes.run();
