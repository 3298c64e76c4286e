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

const known: readonly (readonly [text: string, hex: string])[] = [
  ['', '0000000000000000'],
  ['123456789', 'e9c6d914c4b8d9ca'],
];

for (const [text, hex] of known) {
  sums(`of "${text}"`, () => assert.is(hexOf(text), hex));
}

sums('differ for texts that differ in one bit', () => {
  assert.is.not(hexOf('abcdefgh'), hexOf('abcdefgi'));
});

sums.run();
