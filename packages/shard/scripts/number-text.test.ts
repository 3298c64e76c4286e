/** Numbers of scripts as arguments, as Redis 7.4.1 has them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { numberText } from './number-text.ts';

const texts = suite('numbers of scripts');

const cases: readonly (readonly [value: number, text: string])[] = [
  [0, '0'],
  [-0, '0'],
  [-17, '-17'],
  [0.1, '0.1'],
  [1e-5, '0.00001'],
  [1e-7, '1e-7'],
  [2 ** 53, '9007199254740992'],
  [2 ** 62, '4611686018427387904'],
  [1.5 * 2 ** 62, '6917529027641082000'],
  [2 ** 63, '9223372036854776000'],
  [3.5e20, '3.5e+20'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [NaN, '-nan'],
];

for (const [value, text] of cases) {
  texts(`${String(value)} is ${text}`, () => {
    assert.is(numberText(value), text);
  });
}

texts.run();
