/** Tests the parsing of query strings, byte by byte. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesOf, countOf, numberBelow, wordsOf } from './query.ts';

const query = suite('query');

const keys: readonly (readonly [search: string, bytes: string | undefined])[] = [
  ['', undefined],
  ['count=1', undefined],
  ['key', ''],
  ['key=', ''],
  ['key=a%20b+c', 'a b c'],
  ['count=1&key=%00%ff%0D&key=second', '\0\xff\r'],
  ['key=a=b', 'a=b'],
  ['k%65y=%2B%26%25', '+&%'],
  ['key=100%&db=1', '100%'],
  ['key=%zz', '%zz'],
];
for (const [search, bytes] of keys) {
  query(`the key of "${search}"`, () => {
    const found = bytesOf(search, 'key');
    assert.is(found === undefined ? undefined : Buffer.from(found).toString('latin1'), bytes);
  });
}

const counts: readonly (readonly [search: string, count: number | undefined])[] = [
  ['', 7],
  ['count=0', 0],
  ['count=-1', Infinity],
  ['count=123456789', 123_456_789],
  ['count=', undefined],
  ['count=-2', undefined],
  ['count=1.5', undefined],
  ['count=1e3', undefined],
  ['count=1234567890', undefined],
];
for (const [search, count] of counts) {
  query(`the count of "${search}"`, () => {
    const read = () => countOf(new URLSearchParams(search), 7);
    if (count === undefined) assert.throws(read, /count must be a whole number/);
    else assert.is(read(), count);
  });
}

query('a number has an end', () => {
  const read = (search: string) => numberBelow(new URLSearchParams(search), 'db', 16);
  assert.equal([read(''), read('db=15')], [0, 15]);
  for (const search of ['db=16', 'db=-1', 'db=', 'db=x']) {
    assert.throws(() => read(search), /db must be a whole number from 0 to 15/);
  }
});

query('a list holds words that are known', () => {
  const read = (search: string) => [...wordsOf(new URLSearchParams(search), 'with', ['a', 'b'])];
  assert.equal(read(''), ['a', 'b']);
  assert.equal(read('with='), []);
  assert.equal(read('with=b,'), ['b']);
  assert.throws(() => read('with=a,c'), /with must list some of a, b/);
});

query.run();
