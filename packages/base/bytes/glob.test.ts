import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globMatches, globMatchesAt } from './glob.ts';

const glob = suite('glob');

const cases: readonly (readonly [pattern: string, value: string, matches: boolean])[] = [
  ['', '', true],
  ['*', '', false],
  ['*', 'anything', true],
  ['', 'a', false],
  ['hello', 'hello', true],
  ['hello', 'hell', false],
  ['hell', 'hello', false],
  ['h?llo', 'hallo', true],
  ['h?llo', 'hllo', false],
  ['h*llo', 'hllo', true],
  ['h*llo', 'heeeello', true],
  ['h*llo', 'heeeell', false],
  ['a*', 'a', true],
  ['a**', 'a', true],
  ['**a**', 'bab', true],
  ['*a*b*c*', 'xxaxxbxxcxx', true],
  ['*a*b*c*', 'xxaxxcxxbxx', false],
  ['*aab', 'aaaab', true],
  ['h[ae]llo', 'hallo', true],
  ['h[ae]llo', 'hillo', false],
  ['h[^e]llo', 'hallo', true],
  ['h[^e]llo', 'hello', false],
  ['h[a-c]llo', 'hbllo', true],
  ['h[c-a]llo', 'hbllo', true],
  ['h[a-c]llo', 'hdllo', false],
  ['[a-c-e]', '-', true],
  ['[]a]', 'a', false],
  ['[^]', 'x', true],
  ['[abc', 'b', true],
  ['[abc', 'd', false],
  ['a[', 'ab', false],
  ['a[^', 'ab', true],
  ['[\\]]', ']', true],
  ['[\\a-c]', '-', true],
  ['[a-]', 'b', false],
  ['[a-]', '_', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['\\', '\\', true],
  ['a\\', 'a\\', true],
  ['*\\**', 'a*b', true],
  ['*[0-9]', 'key:7', true],
];

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

for (const [pattern, value, matches] of cases) {
  glob(`'${pattern}' ${matches ? 'takes' : 'refuses'} '${value}'`, () =>
    assert.is(globMatches(bytes(pattern), bytes(value)), matches),
  );
}

glob('looks at case only when it should', () => {
  assert.not.ok(globMatches(bytes('MAX*'), bytes('maxmemory')));
  assert.ok(globMatches(bytes('MAX*'), bytes('maxmemory'), true));
  assert.ok(globMatches(bytes('[A-C]x'), bytes('bX'), true));
  assert.not.ok(globMatches(bytes('[\\A]'), bytes('a'), true), 'an escaped member keeps its case');
});

glob('takes any byte for a byte', () => {
  assert.ok(globMatches(Buffer.from([0xff, 0x2a, 0x00]), Buffer.from([0xff, 0x0a, 0x0d, 0x00])));
  assert.ok(globMatches(Buffer.from([0x5b, 0x80, 0x2d, 0xff, 0x5d]), Buffer.from([0xc3])));
});

glob('comes to an end on a pattern made to backtrack', () => {
  // Taking back every star would need more steps than any time limit of a test allows.
  assert.not.ok(globMatches(bytes(`${'*a'.repeat(200)}b`), bytes('a'.repeat(5000))));
});

glob('gives up after as many runs of stars as Redis does', () => {
  const value = bytes('a'.repeat(5000));
  assert.ok(globMatches(bytes('*?'.repeat(1000)), value));
  assert.not.ok(globMatches(bytes('*?'.repeat(1001)), value));
  assert.ok(globMatches(bytes('**?'.repeat(1000)), value), 'stars side by side are one run');
  assert.ok(globMatches(bytes(`${'*?'.repeat(1000)}*`), value), 'the last star asks for nothing');
});

/** As `*` and literals are defined, by trying every length of every star. */
function fits(pattern: string, value: string): boolean {
  if (pattern === '') return value === '';
  if (!pattern.startsWith('*'))
    return value[0] === pattern[0] && fits(pattern.slice(1), value.slice(1));
  for (let at = 0; at <= value.length; at += 1) {
    if (fits(pattern.slice(1), value.slice(at))) return true;
  }
  return false;
}

glob('finds what stars leave out, wherever the value lies', () => {
  const letters = (seed: number, length: number, of: string): string =>
    Array.from({ length }, (_, nth) => of[(seed >> (2 * nth)) & 3]).join('');
  for (let seed = 1; seed < 100_000; seed += 37) {
    const pattern = letters(seed, 5, 'a*b*');
    const value = letters(Math.imul(seed, 2_654_435_761) >>> 7, 7, 'abab');
    const among = bytes(`ab${value}ba`);
    const wanted = fits(pattern, value);
    assert.is(globMatchesAt(bytes(pattern), among, 2, 7), wanted, `${pattern} ${value}`);
  }
});

glob.run();
