/** Key sizes: every key once, in the row of its size, however the walk is cut. */
import { PrefixMatcher } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeySizes, KEY_SIZES_CELLS, KEY_SIZES_ROWS } from './key-sizes.ts';
import { setText, stoppedClock, testStore } from '../store.test-helper.ts';
import { ValueType } from '../values/value-type.ts';

const keySizes = suite('key sizes');

/** Rows that are not empty, as `row=count`. */
function rows(counts: Float64Array, database: number, type: number): string {
  const at = KEY_SIZES_CELLS * database + KEY_SIZES_ROWS * (type - 1);
  return [...counts.subarray(at, at + KEY_SIZES_ROWS)]
    .map((count, row) => (count > 0 ? `${row}=${count}` : ''))
    .filter((text) => text !== '')
    .join(' ');
}

keySizes('counts strings by powers of two, in each database', () => {
  const store = testStore();
  const sizes = [0, 1, 2, 3, 4, 7, 8, 1_023, 1_024, 100_000];
  for (const size of sizes) setText(store.databases[0]!, `key:${size}`, 'x'.repeat(size));
  setText(store.databases[2]!, 'other', 'xx');
  const taken = new KeySizes(store);
  assert.ok(taken.slice(stoppedClock, 1));
  assert.is(rows(taken.counts, 0, ValueType.string), '0=1 1=1 2=2 3=2 4=1 10=1 11=1 17=1');
  assert.is(rows(taken.counts, 2, ValueType.string), '2=1');
  assert.is(rows(taken.counts, 0, ValueType.hash), '');
});

keySizes('counts the bytes of keys in memory by powers of two', () => {
  const store = testStore();
  const [first, second] = store.databases;
  setText(first!, 'small', 'x');
  setText(first!, 'large', 'x'.repeat(100_000));
  setText(second!, 'other', 'x'.repeat(1_000));
  const taken = new KeySizes(store);
  assert.ok(taken.slice(stoppedClock, 1));
  const expected = (keyspace: typeof first, key: string): string => {
    const bytes = keyspace!.recordBytes(keyspace!.lookUp(Buffer.from(key), key.length));
    return `${Math.floor(Math.log2(bytes)) + 1}=1`;
  };
  const memoryOfStrings = 6 + ValueType.string;
  assert.is(
    rows(taken.counts, 0, memoryOfStrings),
    `${expected(first, 'small')} ${expected(first, 'large')}`,
  );
  assert.is(rows(taken.counts, 1, memoryOfStrings), expected(second, 'other'));
});

keySizes('visits every key once when it is cut into slices', () => {
  const store = testStore();
  for (let nth = 0; nth < 5_000; nth += 1) setText(store.databases[1]!, `key:${nth}`, 'xyz');
  const taken = new KeySizes(store);
  let now = 0;
  let slices = 1;
  while (!taken.slice(() => (now += 1), 1)) slices += 1;
  assert.ok(slices > 10, `${slices} slices`);
  assert.is(rows(taken.counts, 1, ValueType.string), '2=5000');
  taken.restart();
  assert.is(rows(taken.counts, 1, ValueType.string), '');
  assert.ok(taken.slice(stoppedClock, 1));
  assert.is(rows(taken.counts, 1, ValueType.string), '2=5000');
});

keySizes('counts keys and their memory by prefix, and begins anew with other prefixes', () => {
  const store = testStore();
  const [first, second] = store.databases;
  for (let nth = 0; nth < 10; nth += 1) setText(first!, `user:${nth}`, 'x'.repeat(100));
  setText(second!, 'user:x', 'y');
  setText(first!, 'other', 'z');
  const taken = new KeySizes(store);
  taken.prefixes = new PrefixMatcher(['order:', 'user:']);
  assert.ok(taken.slice(stoppedClock, 1));
  assert.equal([...taken.prefixKeys.subarray(0, 3)], [0, 11, 1]);
  const bytes = (keyspace: typeof first, key: string): number =>
    keyspace!.recordBytes(keyspace!.lookUp(Buffer.from(key), key.length));
  let expected = bytes(second, 'user:x');
  for (let nth = 0; nth < 10; nth += 1) expected += bytes(first, `user:${nth}`);
  assert.equal([...taken.prefixBytes.subarray(0, 3)], [0, expected, bytes(first, 'other')]);
  taken.prefixes = new PrefixMatcher(['o']);
  assert.ok(taken.slice(stoppedClock, 1));
  assert.equal([...taken.prefixKeys.subarray(0, 2)], [1, 11]);
  assert.is(rows(taken.counts, 0, ValueType.string), '1=1 7=10');
  taken.prefixes = undefined;
  assert.ok(taken.slice(stoppedClock, 1));
  assert.is(taken.prefixKeys.length, 0);
});

keySizes.run();
