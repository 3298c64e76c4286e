import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromLatin1 } from '../bytes/bytes.ts';
import { crc64 } from './crc64.ts';

const sums = suite('crc64');

function hexOf(text: string): string {
  const bytes = fromLatin1(`<${text}>`);
  const { high, low } = crc64(bytes, 1, bytes.length - 2);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** Text of Redis' own test, there with the byte after it. */
const LOREM =
  'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et ' +
  'dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ' +
  'ea commodo consequat. Duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat ' +
  'nulla pariatur. Excepteur sint occaecat cupidatat non proident, sunt in culpa qui officia deserunt mollit ' +
  'anim id est laborum.';

const known: readonly (readonly [text: string, hex: string])[] = [
  ['', '0000000000000000'],
  ['123456789', 'e9c6d914c4b8d9ca'],
  [`${LOREM}\0`, 'c7794709e69683b3'],
];

for (const [text, hex] of known) {
  sums(`of "${text}"`, () => assert.is(hexOf(text), hex));
}

sums('in pieces of any length is that of all', () => {
  const bytes = Uint8Array.from(
    { length: 200 },
    (_, index) => (index * 167 + (index >>> 3)) & 0xff,
  );
  let single = { high: 0, low: 0 };
  for (let at = 0; at < bytes.length; at += 1) single = crc64(bytes, at, 1, single);
  assert.equal(crc64(bytes, 0, bytes.length), single);
  for (let cut = 0; cut < bytes.length; cut += 1) {
    const front = crc64(bytes, 0, cut);
    assert.equal(crc64(bytes, cut, bytes.length - cut, front), single, `${cut}`);
  }
});

sums('differ for texts that differ in one bit', () => {
  assert.is.not(hexOf('abcdefgh'), hexOf('abcdefgi'));
});

sums.run();
