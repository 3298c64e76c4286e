/** XXH3 against xxHash 0.8, which made the digests here. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { xxh3 } from './xxh3.ts';

const xxh3s = suite('xxh3');

/** Bytes of a linear congruential generator (Numerical Recipes). */
function someBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  let state = 1;
  for (const at of bytes.keys()) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

const input = someBytes(65_536);

function hexOf(bytes: Buffer, at = 0, length = bytes.length): string {
  return xxh3(bytes, at, length).toString(16).padStart(16, '0');
}

/** Digests of the first bytes of the input: both sides of each length at which the algorithm changes. */
const digests: readonly (readonly [length: number, hex: string])[] = [
  [0, '2d06800538d394c2'],
  [1, '429e81bc6744101c'],
  [2, 'a65771cbfd464c2d'],
  [3, '32dbb5c7774cc94f'],
  [4, '65775238ca34c06f'],
  [5, 'd3bdebb681920cdf'],
  [8, '90b760c9d253d0ff'],
  [9, '15ae9f843bb50ea4'],
  [12, '8b715eccbb8c022c'],
  [16, '372c92fa68129c98'],
  [17, 'b5d6b9c1898bd9d6'],
  [32, '0ab1dbf9e9f8c22c'],
  [33, '4f4ae280e8465c3c'],
  [64, '84fcac4cce9f990d'],
  [65, '2c9f18dff914a8bd'],
  [96, 'e1e1ba1b4e47ded7'],
  [97, '5cc877781800cb6b'],
  [128, 'c59e505a97d029e0'],
  [129, 'f9e651a476d6d3ca'],
  [144, '6630fc8e0296f27f'],
  [160, '35073e7743b6b66a'],
  [239, '4d083af3e4a9a1cf'],
  [240, '967597e635f3c527'],
  [241, 'd6afac6f8fa85b01'],
  [256, '9e6593bab96413da'],
  [320, 'c728c9e2ed449218'],
  [1023, '120a0457e3e899f6'],
  [1024, 'bb9f0c3761cdfd54'],
  [1025, '95edccc1adc4d895'],
  [1088, 'e8391a3978cbcf06'],
  [1089, 'b6e2a9bc2973e16a'],
  [2047, '52e24987b24854e3'],
  [2048, '278f7a6a39416b51'],
  [2049, '644272755e8980a0'],
  [4096, '436f521f6688c5ed'],
  [65535, '207ade2d8ad22d1c'],
  [65536, 'b25b6166131fa281'],
];

for (const [length, hex] of digests) {
  xxh3s(`of ${length} bytes`, () => assert.is(hexOf(input, 0, length), hex));
}

const texts: readonly (readonly [text: string, hex: string])[] = [
  ['hello', '9555e8555c62dcfd'],
  ['123', '404a763b3f4c8c9a'],
  ['v8', '0cc76dbb41381419'],
];

for (const [text, hex] of texts)
  xxh3s(`of "${text}"`, () => assert.is(hexOf(Buffer.from(text)), hex));

xxh3s('of every length up to 4,199 bytes, at every alignment', () => {
  let sum = 0n;
  for (let length = 0; length < 4_200; length += 1) {
    sum = BigInt.asUintN(64, sum * 31n + xxh3(input, length % 7, length));
  }
  assert.is(sum, 0x17bd_de85_c28a_d1f8n);
});

xxh3s('of bytes that make the largest sums', () => {
  assert.is(hexOf(Buffer.alloc(5_000, 0xff)), 'eecab76e201cf173');
  assert.is(hexOf(Buffer.alloc(5_000)), '95929931b75a6d9f');
});

xxh3s('in shared memory', () => {
  const shared = Buffer.from(new SharedArrayBuffer(2_000));
  input.copy(shared, 3, 0, 1_025);
  assert.is(hexOf(shared, 3, 1_025), '95edccc1adc4d895');
});

xxh3s.run();
