import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDoublePrecisely, formatGeneral } from './general-format.ts';

const general = suite('%.Ng');

const cases: readonly (readonly [value: number, precision: number, text: string])[] = [
  [0, 14, '0'],
  [-0, 14, '-0'],
  [0.1, 14, '0.1'],
  [1 / 3, 14, '0.33333333333333'],
  [1e14, 14, '1e+14'],
  [123_456_789_012_345, 14, '1.2345678901234e+14'],
  [12_345_678_901_234.5, 14, '12345678901234'],
  [12_345_678_901_235.5, 14, '12345678901236'],
  [1e-4, 14, '0.0001'],
  [1e-5, 14, '1e-05'],
  [5e-324, 14, '4.9406564584125e-324'],
  [2.5, 1, '2'],
  [3.5, 1, '4'],
  [999.5, 3, '1e+03'],
  [0.125, 2, '0.12'],
  [-1234.5678, 3, '-1.23e+03'],
  [0.1, 15, '0.1'],
  [0.1, 16, '0.1'],
  [0.1, 17, '0.10000000000000001'],
  [1e16, 17, '10000000000000000'],
  [1e17, 17, '1e+17'],
  [2 ** 53 + 2, 17, '9007199254740994'],
  [Infinity, 14, 'inf'],
  [-Infinity, 14, '-inf'],
];
for (const [value, precision, text] of cases) {
  general(`${value} with ${precision} digits`, () => {
    assert.is(formatGeneral(value, precision), text);
  });
}

general('all digits are seventeen', () => {
  assert.is(formatDoublePrecisely(3.3), '3.2999999999999998');
  assert.is(formatDoublePrecisely(-0), '-0');
  assert.is(formatDoublePrecisely(NaN), 'nan');
});

general.run();
