import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addLongDoubles, formatLongDouble, parseLongDouble } from './long-double.ts';

const longDouble = suite('long-double');

/** Sums that C answers on x86: strtold, one addition, "%.17Lf" without the zeros at the end. */
const sums: readonly (readonly [a: string, b: string, sum: string])[] = [
  ['0', '0', '0'],
  ['-0', '-0', '0'],
  ['0.1', '0.2', '0.3'],
  ['1', '-1.1', '-0.1'],
  ['3.0', '1.000000000000000005', '4.00000000000000001'],
  ['1e17', '0.5', '100000000000000000.5'],
  ['9223372036854775807', '1', '9223372036854775808'],
  ['18446744073709551615', '1', '18446744073709551616'],
  ['18446744073709551617', '0', '18446744073709551616'],
  ['18446744073709551619', '0', '18446744073709551620'],
  ['.5', '5.', '5.5'],
  ['0x10', '0x.8p1', '17'],
  ['1e-17', '0', '0.00000000000000001'],
  ['1e-18', '0', '0'],
  ['-1e-18', '0', '0'],
  ['1e-4940', '0', '0'],
];

for (const [a, b, sum] of sums) {
  longDouble(`${a} + ${b}`, () => assert.is(added(a, b), sum));
}

function added(a: string, b: string): string | undefined {
  const sum = addLongDoubles(parseLongDouble(a)!, parseLongDouble(b)!);
  return sum && formatLongDouble(sum);
}

longDouble('knows infinity', () => {
  assert.is(added('inf', '1'), 'inf');
  assert.is(added('1', '-Infinity'), '-inf');
  assert.is(added('inf', '-inf'), undefined);
  assert.is(added('1e4932', '1e4932'), 'inf');
});

for (const text of [
  '',
  ' 1',
  '1 ',
  'nan',
  '0x',
  '.',
  '1e',
  '1e5000',
  '-1e5000',
  '1e-5000',
  'e5',
  '1,5',
]) {
  longDouble(`${JSON.stringify(text)} is no number`, () =>
    assert.is(parseLongDouble(text), undefined),
  );
}

longDouble('keeps the smallest and the largest numbers', () => {
  assert.ok(parseLongDouble('3.6e-4951'));
  assert.is(parseLongDouble('1.8e-4951'), undefined);
  assert.ok(parseLongDouble('1.18973149535723176502e4932'));
  assert.is(parseLongDouble('1.18973149535723176509e4932'), undefined);
});

longDouble.run();
