/** Doubles as Redis writes and reads them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDouble, parseDouble, parseDoubleInRange } from './doubles.ts';

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
  [0.000001, '0.000001'],
  [0.0000001, '1e-7'],
  [1.5e-7, '1.5e-7'],
  [0.0001234567, '1.234567e-4'],
  [0.00012345678, '1.2345678e-4'],
  [0.0012345678, '0.0012345678'],
  [1e16, '10000000000000000'],
  [1e17, '100000000000000000'],
  [2 ** 60, '1152921504606846976'],
  [-(2 ** 62), '-4611686018427387904'],
  [2 ** 62 + 1024, '4611686018427389000'],
  [1e19, '1e+19'],
  [1e21, '1e+21'],
  [1.2345678e21, '1.2345678e+21'],
  [1.234567890123456e21, '1234567890123456000000'],
  [1.25e300, '1.25e+300'],
  [9.5e-301, '9.5e-301'],
  [2 ** -1022, '2.2250738585072014e-308'],
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

// Grisu2 leaves these longer than they need be; Redis prints them so.
const notShortest: readonly (readonly [value: number, text: string])[] = [
  [0.0584023119518613, '0.058402311951861297'],
  [0.1427867341061584, '0.14278673410615839'],
  [0.4459163944581854, '0.44591639445818543'],
  [-0.521517711004369, '-0.5215177110043689'],
];

for (const [value, text] of notShortest) {
  doubles(`writes ${text} as Redis does`, () => {
    assert.is(formatDouble(value), text);
    assert.is(Number(text), value);
  });
}

const ranged: readonly (readonly [text: string, value: number])[] = [
  ['1e400', NaN],
  ['-1e400', NaN],
  ['1e-400', NaN],
  ['0x1p2000', NaN],
  ['0e-400', 0],
  ['0x0p5', 0],
  ['-0.000', -0],
  ['5e-324', 5e-324],
  ['-inf', -Infinity],
];

for (const [text, value] of ranged) {
  doubles(`takes ${text} only in range`, () => {
    const read = parseDoubleInRange(text);
    assert.ok(Object.is(read, value), `${String(read)} is not ${String(value)}`);
  });
}

doubles.run();
