import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Keyspace } from './keyspace.ts';
import { CELL_BYTES_MAX, KEY_INLINE_BYTES_MAX } from '../memory/limits.ts';
import {
  bytesOf,
  keyText,
  refOf,
  removeKey,
  scannedKeys,
  setText,
  testStore,
  textOf,
  valueText,
} from '../store.test-helper.ts';
import type { Store } from '../store.ts';
import { ValueType } from '../values/value-type.ts';
import { Span } from '../values/span.ts';
import { setOptions } from './set-options.ts';

const keyspaces = suite('keyspace');

function fresh(): { store: Store; keyspace: Keyspace } {
  const store = testStore();
  return { store, keyspace: store.databases[0]! };
}

function setObject(keyspace: Keyspace, key: string, object: unknown, bytes = 1000): number {
  return keyspace.setObject(
    new Span(bytesOf(key)),
    object,
    bytes,
    setOptions({ type: ValueType.hash, encoding: 3 }),
  );
}

const lengths = [
  0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 64, 100, 128, 129, 255, 256, 1000, 2047, 2048, 2049, 4096,
];
const large = [8100, CELL_BYTES_MAX - 8, CELL_BYTES_MAX, 10_000, 65_536, 1_000_000];

keyspaces('keeps keys and values of every length', () => {
  const { keyspace } = fresh();
  for (const keyLength of [...lengths, 9000]) {
    for (const valueLength of [...lengths, ...large]) {
      const key = 'k'.repeat(keyLength);
      const value = String.fromCharCode(33 + (valueLength % 90)).repeat(valueLength);
      setText(keyspace, key, value);
      assert.is(textOf(keyspace, key), value, `${keyLength} and ${valueLength}`);
      const ref = refOf(keyspace, key);
      assert.is(keyText(keyspace, ref), key);
      assert.is(keyspace.length(ref), valueLength);
    }
  }
  assert.is(keyspace.size, lengths.length + 1);
});

keyspaces('reads keys and values anywhere in shared memory', () => {
  const { keyspace } = fresh();
  const ring = new Uint8Array(new SharedArrayBuffer(4096));
  for (let i = 0; i < ring.length; i += 1) ring[i] = (i * 7 + (i >> 8)) & 255;
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 40; at += 1) {
      keyspace.set(new Span(ring, at, 5 + at), new Span(ring, 100 + at, 90 + at));
    }
    for (let at = 0; at < 40; at += 1) {
      const ref = keyspace.find(ring, at, 5 + at);
      assert.is.not(ref, 0);
      const view = keyspace.value(ref);
      const expected = Buffer.from(ring.slice(100 + at, 190 + 2 * at));
      assert.ok(expected.equals(view.bytes.subarray(view.at, view.at + view.length)));
    }
  }
});

keyspaces('tells types and encodings, and lets the encoding change', () => {
  const { keyspace } = fresh();
  const key = bytesOf('k');
  const ref = keyspace.set(
    new Span(key),
    new Span(key),
    setOptions({ type: ValueType.zset, encoding: 9 }),
  );
  assert.is(keyspace.type(ref), ValueType.zset);
  assert.is(keyspace.encoding(ref), 9);
  keyspace.setEncoding(ref, 15);
  assert.is(keyspace.encoding(ref), 15);
  assert.is(keyspace.type(ref), ValueType.zset);
  assert.is(keyspace.type(setText(keyspace, 'k', 'v')), ValueType.string);
  assert.is(keyspace.encoding(refOf(keyspace, 'k')), 0);
});

keyspaces('drops the expiry on set unless it is kept', () => {
  const { store, keyspace } = fresh();
  for (const value of ['v', 'x'.repeat(300), 'y'.repeat(20_000)]) {
    keyspace.setExpireAt(setText(keyspace, 'k', 'v'), store.nowMs + 5000);
    assert.is(keyspace.expireAt(setText(keyspace, 'k', value, true)), store.nowMs + 5000);
    assert.is(keyspace.expires, 1);
    assert.is(textOf(keyspace, 'k'), value);
    assert.is(keyspace.expireAt(setText(keyspace, 'k', value)), -1);
    assert.is(keyspace.expires, 0);
    assert.is(textOf(keyspace, 'k'), value);
  }
});

keyspaces('sets value and expiry at once', () => {
  const { store, keyspace } = fresh();
  const key = bytesOf('k');
  for (const length of [10, 20, 19, 300, 9000, 9001, 3]) {
    for (const [keep, expireAt] of [
      [false, store.nowMs + 77],
      [true, store.nowMs + 78],
      [true, -1],
      [false, -1],
      [true, store.nowMs + 79],
      [false, -1],
    ] as const) {
      const before = keyspace.peek(key, 0, 1);
      const kept = keep && before !== 0 ? keyspace.expireAt(before) : -1;
      const value = new Uint8Array(length).fill(length & 255);
      const ref = keyspace.set(
        new Span(key, 0, 1),
        new Span(value),
        setOptions({ keepTtl: keep, expireAt }),
      );
      const expected = expireAt >= 0 ? expireAt : kept;
      assert.is(keyspace.expireAt(ref), expected);
      assert.is(keyspace.expires, expected >= 0 ? 1 : 0);
      assert.is(valueText(keyspace, ref), String.fromCharCode(length & 255).repeat(length));
    }
  }
  assert.is(keyspace.size, 1);
});

keyspaces('sets, changes and removes an expiry without losing anything else', () => {
  const { store, keyspace } = fresh();
  for (const length of [...lengths, ...large]) {
    const value = 'w'.repeat(length);
    const key = `key${length}`;
    let ref = setText(keyspace, key, value);
    keyspace.setAccess(ref, 12345);
    keyspace.setEncoding(ref, 4);
    ref = keyspace.setExpireAt(ref, store.nowMs + 1);
    assert.is(keyspace.expireAt(ref), store.nowMs + 1);
    ref = keyspace.setExpireAt(ref, store.nowMs + 2 ** 40);
    assert.is(keyspace.expireAt(ref), store.nowMs + 2 ** 40);
    assert.is(valueText(keyspace, ref), value);
    assert.is(keyspace.expires, 1);
    ref = keyspace.setExpireAt(ref, -1);
    assert.is(keyspace.expireAt(ref), -1);
    assert.is(keyspace.expires, 0);
    assert.is(valueText(keyspace, ref), value);
    assert.is(keyspace.access(ref), 12345);
    assert.is(keyspace.encoding(ref), 4);
    assert.is(keyspace.peek(bytesOf(key), 0, key.length), ref);
  }
});

keyspaces('resizes in every direction, with zeros where it grows', () => {
  const { store, keyspace } = fresh();
  const steps = [
    3, 10, 5, 200, 199, 9000, 9001, 5000, 100, 0, 8176, 20_000, 40_000, 3_000_000, 12, 4096, 4097,
  ];
  for (const hasExpiry of [false, true]) {
    let model = Buffer.from('abc');
    let ref = setText(keyspace, 'k', 'abc');
    if (hasExpiry) ref = keyspace.setExpireAt(ref, store.nowMs + 9);
    for (const length of steps) {
      const grown = Buffer.alloc(length);
      model.copy(grown, 0, 0, Math.min(length, model.length));
      ref = keyspace.resize(ref, length);
      let view = keyspace.value(ref);
      assert.is(view.length, length);
      assert.ok(grown.equals(view.bytes.subarray(view.at, view.at + length)), `to ${length}`);
      // Dirty everything, so that bytes left over would show when it grows again.
      view = keyspace.value(refOf(keyspace, 'k'));
      view.bytes.fill(0xaa, view.at, view.at + length);
      model = grown.fill(0xaa);
    }
    assert.is(keyspace.expireAt(ref), hasExpiry ? store.nowMs + 9 : -1);
  }
});

keyspaces('appends to a large value without copying it each time', () => {
  const { store, keyspace } = fresh();
  let ref = setText(keyspace, 'log', 'x'.repeat(10_000));
  let copies = 0;
  let bytes: Uint8Array | undefined;
  for (let i = 0; i < 100_000; i += 1) {
    ref = keyspace.resize(ref, keyspace.length(ref) + 10);
    const view = keyspace.value(ref);
    if (view.bytes !== bytes) copies += 1;
    bytes = view.bytes;
  }
  assert.ok(copies < 12, `few copies, not ${copies}`);
  assert.ok(store.memory.blobBytes <= 2 * 1_010_000 + 1000);
});

keyspaces('keeps objects, their count, and their expiry', () => {
  const { store, keyspace } = fresh();
  const empty = store.memory.usedBytes;
  const members = new Map([['a', 1]]);
  let ref = setObject(keyspace, 'h', members);
  assert.is(keyspace.object(ref), members);
  assert.ok(keyspace.isObject(ref));
  assert.is(keyspace.type(ref), ValueType.hash);
  assert.is(keyspace.encoding(ref), 3);
  const before = store.memory.objectBytes;
  keyspace.addObjectBytes(ref, 500);
  assert.is(store.memory.objectBytes, before + 500);
  ref = keyspace.setExpireAt(ref, store.nowMs + 100);
  assert.is(keyspace.object(ref), members);
  assert.ok(keyspace.recordBytes(ref) > 1500);
  assert.is(keyspace.length(ref), 0);
  setText(keyspace, 'h', 'now a string');
  assert.is(store.memory.objectBytes, 0);
  assert.is(keyspace.object(refOf(keyspace, 'h')), undefined);
  ref = setObject(keyspace, 'h', [1], 10);
  ref = setObject(keyspace, 'h', [2], 20);
  assert.equal(keyspace.object(ref), [2]);
  assert.ok(removeKey(keyspace, 'h'));
  assert.is(store.memory.usedBytes, empty);
});

keyspaces('takes a value out of its own memory', () => {
  const { keyspace } = fresh();
  for (const length of [10, 200, 9000]) {
    setText(keyspace, 'source', 's'.repeat(length) + '!');
    const view = keyspace.value(refOf(keyspace, 'source'));
    keyspace.set(new Span(bytesOf('target')), view);
    assert.is(textOf(keyspace, 'target'), 's'.repeat(length) + '!');
    const own = keyspace.value(refOf(keyspace, 'source'));
    keyspace.set(new Span(bytesOf('source')), new Span(own.bytes, own.at + 1, own.length - 1));
    assert.is(textOf(keyspace, 'source'), 's'.repeat(length - 1) + '!');
  }
});

keyspaces('meets an expired key: gone, with an event, and not found again', () => {
  const { store, keyspace } = fresh();
  const seen: string[] = [];
  store.events.expired = (database, key, at, length) => {
    seen.push(`${database}:${Buffer.from(key.subarray(at, at + length)).toString()}`);
  };
  const meet: readonly (readonly [string, (key: string) => unknown])[] = [
    ['find', (key) => refOf(keyspace, key)],
    ['peek', (key) => keyspace.peek(bytesOf(key), 0, key.length)],
    ['remove', (key) => (removeKey(keyspace, key) ? 1 : 0)],
  ];
  for (const [name, act] of meet) {
    const key = `${name}-${'k'.repeat(name === 'peek' ? 3000 : 3)}`;
    keyspace.setExpireAt(setText(keyspace, key, 'v'), store.nowMs + 10);
    store.nowMs += 10;
    assert.is(
      keyspace.peek(bytesOf(key), 0, key.length) === 0,
      false,
      'alive in its last millisecond',
    );
    store.nowMs += 1;
    assert.is(act(key), 0);
    assert.is(seen.pop(), `0:${key}`);
    assert.is(keyspace.size, 0);
    assert.is(keyspace.expires, 0);
  }
  assert.is(store.stats.expired, 3);
});

keyspaces('overwrites an expired key as a new one', () => {
  const { store, keyspace } = fresh();
  let events = 0;
  store.events.expired = () => (events += 1);
  keyspace.setExpireAt(setText(keyspace, 'k', 'old'), store.nowMs + 10);
  store.nowMs += 11;
  const ref = setText(keyspace, 'k', 'new', true);
  assert.is(events, 1);
  assert.is(keyspace.expireAt(ref), -1);
  assert.is(keyspace.size, 1);
});

keyspaces('hides expired keys without removing them while that is disabled', () => {
  const { store, keyspace } = fresh();
  store.events.expired = () => assert.unreachable();
  store.lazyExpireDisabled = true;
  keyspace.setExpireAt(setText(keyspace, 'k', 'old'), store.nowMs + 10);
  store.nowMs += 11;
  assert.is(refOf(keyspace, 'k'), 0);
  assert.not(removeKey(keyspace, 'k'));
  assert.is(keyspace.size, 1);
  assert.is(keyspace.expireAt(setText(keyspace, 'k', 'new', true)), -1);
  assert.is(keyspace.expires, 0);
  assert.is(textOf(keyspace, 'k'), 'new');
});

keyspaces('swaps and flushes databases', () => {
  const store = testStore();
  const [first, second] = [store.databases[0]!, store.databases[1]!];
  const empty = store.memory.usedBytes;
  for (let i = 0; i < 3000; i += 1) setText(first, `a${i}`, 'v'.repeat(i));
  first.setExpireAt(refOf(first, 'a5'), store.nowMs + 1000);
  setText(second, 'b', 'second');
  store.swap(0, 1);
  assert.is(first.size, 1);
  assert.is(second.size, 3000);
  assert.is(second.expires, 1);
  assert.is(textOf(first, 'b'), 'second');
  assert.is(textOf(second, 'a2999'), 'v'.repeat(2999));
  store.flush(1);
  assert.is(second.size, 0);
  assert.is(textOf(second, 'a1'), undefined);
  assert.is(textOf(first, 'b'), 'second');
  setText(second, 'again', 'x');
  store.flush();
  assert.is(store.memory.usedBytes, empty);
  assert.is(store.memory.segmentBytes, 0);
});

keyspaces('scans database by database', () => {
  const store = testStore();
  for (let i = 0; i < 2000; i += 1) setText(store.databases[i & 1]!, `k${i}`, 'v');
  assert.is(scannedKeys(store.databases[0]!).size, 1000);
  assert.is(scannedKeys(store.databases[1]!, 100).size, 1000);
  assert.is(scannedKeys(store.databases[2]!).size, 0);
});

keyspaces('counts memory exactly', () => {
  const { store, keyspace } = fresh();
  const empty = store.memory.usedBytes;
  const before = store.memory.usedBytes;
  setText(keyspace, 'k', 'v'.repeat(7));
  assert.is(store.memory.usedBytes - before, 16);
  assert.is(store.memory.recordBytes, 16);
  setText(keyspace, 'b'.repeat(KEY_INLINE_BYTES_MAX + 1), 'v'.repeat(100_000));
  assert.ok(store.memory.blobBytes > 102_000);
  assert.ok(keyspace.recordBytes(refOf(keyspace, 'k')) >= 16);
  removeKey(keyspace, 'k');
  removeKey(keyspace, 'b'.repeat(KEY_INLINE_BYTES_MAX + 1));
  assert.is(store.memory.usedBytes, empty);
  assert.ok(store.memory.peakBytes > 100_000);
  store.memory.resetPeak();
  assert.is(store.memory.peakBytes, empty);
});

keyspaces('keeps values of 20 MiB and more', () => {
  const { store, keyspace } = fresh();
  const value = new Uint8Array(20 * 1024 * 1024);
  for (let i = 0; i < value.length; i += 4096) value[i] = (i / 4096) & 255;
  let ref = keyspace.set(new Span(bytesOf('big')), new Span(value));
  assert.is(keyspace.length(ref), value.length);
  ref = keyspace.resize(ref, value.length + 5);
  const view = keyspace.value(ref);
  assert.is(view.bytes[view.at + 4096 * 77], 77);
  assert.is(Buffer.compare(view.bytes.subarray(0, value.length), value), 0);
  assert.ok(store.memory.blobBytes < 22 * 1024 * 1024);
});

keyspaces.run();
