import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PrefixMatcher } from './prefix-matcher.ts';

const matcher = suite('PrefixMatcher');

const PREFIXES = ['user:', 'user:1:', 'order:', 'u', 'é', '\u{1f600}x'];

const cases: readonly (readonly [key: string | Buffer, prefix: string | undefined])[] = [
  ['user:', 'user:'],
  ['user:7', 'user:'],
  ['user:1', 'user:'],
  ['user:1:x', 'user:1:'],
  ['user', 'u'],
  ['order:9', 'order:'],
  ['orde', undefined],
  ['xuser:', undefined],
  ['', undefined],
  ['ée', 'é'],
  ['\u{1f600}xyz', '\u{1f600}x'],
  ['\u{1f600}', undefined],
  [Buffer.from([0xc3]), undefined],
  [Buffer.from([0, 0xff]), undefined],
];

for (const [key, prefix] of cases) {
  matcher(`${JSON.stringify(key)} begins with ${prefix ?? 'none'}`, () => {
    const bytes = Buffer.from(key);
    const around = Buffer.concat([Buffer.from('u'), bytes, Buffer.from('user:')]);
    const number = new PrefixMatcher(PREFIXES).match(around, 1, bytes.length);
    assert.is(PREFIXES[number], prefix);
  });
}

matcher('without prefixes nothing is found', () => {
  assert.is(new PrefixMatcher([]).match(Buffer.from('key'), 0, 3), 0);
});

matcher('agrees with a search of all, over all bytes', () => {
  const prefixes = ['a', 'ab', 'abc', 'b', 'ba', 'cc', '~'];
  const found = new PrefixMatcher(prefixes);
  for (let number = 0; number < 5_000; number += 1) {
    const key = [number, number >> 2, number >> 4].map((n) => 'abc~'[n & 3]).join('');
    const longest = prefixes
      .filter((prefix) => key.startsWith(prefix))
      .sort((a, b) => b.length - a.length)[0];
    assert.is(prefixes[found.match(Buffer.from(key), 0, key.length)], longest, key);
  }
});

matcher.run();
