/** Doubles as Redis writes and reads them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDouble, parseDouble } from './doubles.ts';

const doubles = suite('doubles');

const formats: readonly (readonly [value: number, text: string])[] = [
  [0, '0'],
  [-0, '-0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [3.141, '3.141'],
  [0.1, '0.1'],
  [0.1 + 0.2, '0.30000000000000004'],
  [0.00001, '0.00001'],
  [0.000001, '1e-06'],
  [1.5e-7, '1.5e-07'],
  [1e16, '10000000000000000'],
  [1e17, '1e+17'],
  [1.25e300, '1.25e+300'],
  [5e-324, '5e-324'],
  [Number.MAX_VALUE, '1.7976931348623157e+308'],
  [2 ** 53, '9007199254740992'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [NaN, 'nan'],
];

for (const [value, text] of formats) {
  doubles(`writes ${text}`, () => {
    assert.is(formatDouble(value), text);
    assert.ok(Object.is(parseDouble(text), value), 'and reads it back');
  });
}

const texts: readonly (readonly [text: string, value: number])[] = [
  ['+5', 5],
  ['.5', 0.5],
  ['5.', 5],
  ['1E3', 1000],
  ['inf', Infinity],
  ['+INF', Infinity],
  ['-Infinity', -Infinity],
  ['0x10', 16],
  ['-0x1.8p1', -3],
  ['0x.8', 0.5],
  ['', NaN],
  [' 1', NaN],
  ['1 ', NaN],
  ['.', NaN],
  ['e5', NaN],
  ['1e', NaN],
  ['0x', NaN],
  ['0x.', NaN],
  ['infin', NaN],
  ['1_000', NaN],
  ['1,5', NaN],
];

for (const [text, value] of texts) {
  doubles(`reads ${JSON.stringify(text)}`, () => {
    const read = parseDouble(text);
    assert.ok(Object.is(read, value), `${String(read)} is not ${String(value)}`);
  });
}

doubles.run();
