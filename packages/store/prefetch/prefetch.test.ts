/** Prefetching changes no reply: the hash of a key is computed from its bytes, regardless of prefetched keys. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyStateWriter } from '../state/key-state.ts';
import { installStates } from '../state/key-state-reader.ts';
import { Encoding } from '../values/encodings.ts';
import { LOOK_AHEAD_MAX } from './prefetch.ts';
import { bytesOf, setText, testStore } from '../store.test-helper.ts';
import type { Store } from '../store.ts';
import type { PackedTable } from '../table/packed-table.ts';
import { ValueType } from '../values/value-type.ts';
import { Span } from '../values/span.ts';
import { setOptions } from '../keyspace/set-options.ts';

const TABLE = setOptions({ type: ValueType.set, encoding: Encoding.hashtable });

const looks = suite('look-ahead');

const KEYS = ['a', 'bc', 'def', 'ghijklmnop', 'absent'];

/** A store with keys, and their names one after the other in one piece of memory. */
function fixture(): { store: Store; bytes: Uint8Array; spans: [at: number, length: number][] } {
  const store = testStore();
  for (const key of KEYS.slice(0, -1)) setText(store.databases[0]!, key, `value of ${key}`);
  let at = 0;
  const spans = KEYS.map((key): [number, number] => {
    at += key.length;
    return [at - key.length, key.length];
  });
  return { store, bytes: bytesOf(KEYS.join('')), spans };
}

looks('every key is found as without it, in the order of the commands and out of it', () => {
  const { store, bytes, spans } = fixture();
  const [keyspace] = store.databases;
  const { keyPrefetch } = store;
  const found = (): number[] => spans.map(([at, length]) => keyspace!.peek(bytes, at, length));
  const wanted = found();
  assert.is(wanted.filter((ref) => ref !== 0).length, KEYS.length - 1);
  keyPrefetch.begin();
  for (const [at, length] of spans) keyPrefetch.add(0, bytes, at, length);
  keyPrefetch.skip();
  keyPrefetch.read(bytes);
  assert.is(keyPrefetch.left, spans.length + 1);
  for (const [nth, [at, length]] of spans.entries()) {
    keyPrefetch.take(bytes);
    assert.is(keyspace!.peek(bytes, at, length), wanted[nth]);
    assert.equal(found(), wanted, 'keys of other commands');
    const other = Uint8Array.from(bytes);
    other.fill(0x7a);
    assert.is(keyspace!.peek(other, at, length), 0, 'other bytes at the same place');
    assert.is(keyspace!.peek(bytes, at, 0), 0, 'fewer bytes');
  }
  keyPrefetch.take(bytes);
  assert.is(keyPrefetch.left, 0);
  assert.equal(found(), wanted);
});

looks('behind the end, memory that has other keys now is hashed anew', () => {
  const { store, bytes } = fixture();
  const [keyspace] = store.databases;
  const { keyPrefetch } = store;
  keyPrefetch.begin();
  keyPrefetch.add(0, bytes, 0, 1);
  keyPrefetch.read(bytes);
  keyPrefetch.take(bytes);
  const ref = keyspace!.peek(bytes, 0, 1);
  keyPrefetch.end();
  bytes[0] = 0x62;
  assert.is(keyspace!.peek(bytes, 0, 1), 0);
  bytes[0] = 0x61;
  assert.is(keyspace!.peek(bytes, 0, 1), ref);
});

looks(
  'a value is known to be in memory for the key at hand alone, and only where it was met',
  () => {
    const { store, bytes, spans } = fixture();
    const [keyspace, other] = store.databases;
    const { keyPrefetch } = store;
    const reported = (): boolean[] =>
      spans.map(([at, length]) => keyPrefetch.wasInMemory(keyspace!, bytes, at, length));
    const none = spans.map(() => false);
    for (const isRead of [true, false]) {
      keyPrefetch.begin();
      for (const [at, length] of spans) {
        keyPrefetch.add(0, bytes, at, length);
        keyPrefetch.report();
      }
      keyPrefetch.skip();
      if (isRead) keyPrefetch.read(bytes);
      for (const nth of spans.keys()) {
        keyPrefetch.take(bytes);
        const isThere = nth < KEYS.length - 1;
        assert.equal(reported(), isRead && isThere ? none.with(nth, true) : none, KEYS[nth]);
        const [at, length] = spans[nth]!;
        assert.not(keyPrefetch.wasInMemory(other!, bytes, at, length), 'of another database');
        assert.is(keyPrefetch.isInMemory, isRead && isThere);
      }
      keyPrefetch.take(bytes);
      assert.equal(reported(), none);
      keyPrefetch.end();
      assert.equal(reported(), none);
      assert.not(keyPrefetch.isInMemory);
    }
    assert.is(keyPrefetch.foundInMemory, KEYS.length - 1);
  },
);

looks('nothing is told of a value that is watched, or not all that its command looks at', () => {
  const { store, bytes } = fixture();
  const { keyPrefetch } = store;
  for (const [isOnly, watchedMask, isReported] of [
    [true, -1, true],
    [false, -1, false],
    [true, 0, false],
  ] as const) {
    keyPrefetch.watchedMask = watchedMask;
    keyPrefetch.begin();
    keyPrefetch.add(0, bytes, 0, 1);
    if (isOnly) keyPrefetch.report();
    keyPrefetch.read(bytes);
    keyPrefetch.take(bytes);
    assert.is(keyPrefetch.isInMemory, isReported);
  }
  keyPrefetch.end();
});

looks('a key in the very place of the one before is hashed as itself', () => {
  const { store, bytes } = fixture();
  const [keyspace] = store.databases;
  const { keyPrefetch } = store;
  // As in a ring that was given back and filled again while its reader was busy.
  for (const letter of bytesOf('abxy')) {
    bytes[0] = letter;
    keyPrefetch.begin();
    keyPrefetch.add(0, bytes, 0, 1);
    keyPrefetch.read(bytes);
    keyPrefetch.take(bytes);
    keyspace!.set(new Span(bytes, 0, 1), new Span(bytes, 0, 1));
  }
  keyPrefetch.end();
  for (const key of ['a', 'b', 'x', 'y']) {
    assert.is.not(keyspace!.peek(bytesOf(key), 0, 1), 0, `${key} is found again`);
  }
});

looks('fields of large values are found as without it, in whichever hash they are', () => {
  const store = testStore();
  const [keyspace] = store.databases;
  const table = keyspace!.createTable(false);
  const other = keyspace!.createTable(false);
  const members = ['member', 'another member', 'm'];
  for (const each of members) table.add(bytesOf(each), 0, each.length);
  other.add(bytesOf('m'), 0, 1);
  for (const [key, value] of [
    ['set', table],
    ['other', other],
  ] as const) {
    const name = bytesOf(key);
    keyspace!.setObject(new Span(name, 0, key.length), value, value.bytes, TABLE);
  }
  const words = ['set', ...members, 'absent', 'other', 'm', 'string'];
  setText(keyspace!, 'string', 'no table');
  const bytes = bytesOf(words.join(''));
  const at = (nth: number): number => words.slice(0, nth).join('').length;
  const commands = [1, 2, 3, 4].map((member): [key: number, member: number] => [0, member]);
  commands.push([5, 6], [5, 1], [7, 1]);
  const { keyPrefetch } = store;
  keyPrefetch.begin();
  for (const [key, member] of commands) {
    keyPrefetch.add(0, bytes, at(key), words[key]!.length);
    keyPrefetch.addField(at(member), words[member]!.length);
  }
  keyPrefetch.skip();
  keyPrefetch.addField(0, 3);
  keyPrefetch.read(bytes);
  const find = (where: PackedTable, member: number, from = bytes): boolean =>
    where.find(from, at(member), words[member]!.length) !== 0;
  for (const [key, member] of commands) {
    keyPrefetch.take(bytes);
    if (key !== 7) {
      const isThere = key === 0 ? member < 4 : member === 6;
      assert.is(find(key === 0 ? table : other, member), isThere, words[member]);
    }
    assert.ok(find(table, 2), 'another member of the same set');
    assert.is(find(other, 2), false);
    assert.is(find(table, member, Uint8Array.from(bytes).fill(0x7a)), false, 'other bytes');
  }
  keyPrefetch.take(bytes);
  assert.ok(find(table, 1));
  keyPrefetch.end();
});

looks(
  'where few commands wait nothing is read, and nothing is told of fields that were before',
  () => {
    const store = testStore();
    const [keyspace] = store.databases;
    const table = keyspace!.createTable(false);
    for (const member of ['a', 'b']) table.add(bytesOf(member), 0, 1);
    keyspace!.setObject(new Span(bytesOf('k')), table, table.bytes, TABLE);
    const bytes = bytesOf('kakb');
    const { keyPrefetch } = store;
    for (const [at, isRead] of [
      [0, true],
      [2, false],
    ] as const) {
      keyPrefetch.begin();
      keyPrefetch.add(0, bytes, at, 1);
      keyPrefetch.addField(at + 1, 1);
      if (isRead) keyPrefetch.read(bytes);
      keyPrefetch.take(bytes);
      const found = table.find(bytes, at + 1, 1);
      keyPrefetch.end();
      assert.is(found, table.find(bytes, at + 1, 1));
      assert.not.equal(found, 0);
    }
  },
);

looks('memory that has another field now is hashed anew behind the end', () => {
  const store = testStore();
  const [keyspace] = store.databases;
  const table = keyspace!.createTable(false);
  table.add(bytesOf('a'), 0, 1);
  keyspace!.setObject(new Span(bytesOf('k')), table, table.bytes, TABLE);
  const bytes = bytesOf('ka');
  const { keyPrefetch } = store;
  keyPrefetch.begin();
  keyPrefetch.add(0, bytes, 0, 1);
  keyPrefetch.addField(1, 1);
  keyPrefetch.read(bytes);
  keyPrefetch.take(bytes);
  assert.not.equal(table.find(bytes, 1, 1), 0);
  keyPrefetch.rest();
  bytes[1] = 0x62;
  assert.is(table.find(bytes, 1, 1), 0);
});

looks('what was to come is forgotten at the end', () => {
  const { store, bytes, spans } = fixture();
  const { keyPrefetch } = store;
  keyPrefetch.begin();
  for (const [at, length] of spans) keyPrefetch.add(0, bytes, at, length);
  keyPrefetch.read(bytes);
  keyPrefetch.take(bytes);
  keyPrefetch.rest();
  assert.is(keyPrefetch.left, spans.length - 1);
  keyPrefetch.end();
  assert.is(keyPrefetch.left, 0);
});

looks('states that cannot be installed leave nothing behind', () => {
  const { store } = fixture();
  const states = new KeyStateWriter();
  for (const database of [0, 1_000, 0]) states.writeAbsent(bytesOf('a'), database);
  assert.throws(
    () => installStates(store, states.take()),
    /^there are keys in database 1000: set server\.databases/,
  );
  assert.is(store.keyPrefetch.left, 0);
  assert.is(store.databases[0]!.size, KEYS.length - 2, 'those before it are installed');
});

looks('keys of several databases are looked for in their own', () => {
  const { store, bytes } = fixture();
  const { keyPrefetch } = store;
  keyPrefetch.begin();
  while (keyPrefetch.left < LOOK_AHEAD_MAX) keyPrefetch.add(keyPrefetch.left % 2, bytes, 0, 1);
  keyPrefetch.read(bytes);
  keyPrefetch.take(bytes);
  assert.not.equal(store.databases[0]!.peek(bytes, 0, 1), 0);
  keyPrefetch.take(bytes);
  assert.is(store.databases[1]!.peek(bytes, 0, 1), 0);
});

looks.run();
