/** The edges of the numbers that travel as text: 53 bits, 64 bits, and Redis' strict form. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromLatin1 } from '../bytes/bytes.ts';
import {
  digitCount,
  INT64_DIGITS_MAX,
  INT64_MAX,
  INT64_MIN,
  parseInteger,
  parseInteger64,
  writeInteger,
} from './integers.ts';

const integers = suite('integers');

/** The text lies in the middle of other digits, which must not count. */
function read<Value>(
  parse: (bytes: Uint8Array, at: number, length: number) => Value,
  text: string,
) {
  return parse(fromLatin1(`77${text}77`), 2, text.length);
}

/** NaN is the same as NaN. */
const same = (actual: number, expected: number): void =>
  assert.ok(Object.is(actual, expected), `${String(actual)} is not ${String(expected)}`);

const written = (value: number): string => {
  const bytes = Buffer.alloc(2 + INT64_DIGITS_MAX + 2, 0x2e);
  const length = writeInteger(value, bytes, 2);
  assert.is(bytes.toString('latin1', 0, 2), '..', 'nothing is written before its place');
  assert.is(bytes.toString('latin1', 2 + length, 4 + length), '..', 'nor behind it');
  return bytes.toString('latin1', 2, 2 + length);
};

const values: readonly (readonly [text: string, value: number, value64: bigint | undefined])[] = [
  ['0', 0, 0n],
  ['7', 7, 7n],
  ['-1', -1, -1n],
  ['2147483647', 2 ** 31 - 1, 2n ** 31n - 1n],
  ['2147483648', 2 ** 31, 2n ** 31n],
  ['-2147483649', -(2 ** 31) - 1, -(2n ** 31n) - 1n],
  ['999999999999999', 999_999_999_999_999, 999_999_999_999_999n],
  ['9007199254740991', Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n],
  ['-9007199254740991', Number.MIN_SAFE_INTEGER, -(2n ** 53n) + 1n],
  ['9007199254740992', NaN, 2n ** 53n],
  ['9007199254740993', NaN, 2n ** 53n + 1n],
  ['-9007199254740993', NaN, -(2n ** 53n) - 1n],
  ['9223372036854775807', NaN, INT64_MAX],
  ['9223372036854775808', NaN, undefined],
  ['-9223372036854775808', NaN, INT64_MIN],
  ['-9223372036854775809', NaN, undefined],
  ['99999999999999999999', NaN, undefined],
  ['100000000000000000000', NaN, undefined],
];

for (const [text, value, value64] of values) {
  integers(`reads ${text}`, () => {
    same(read(parseInteger, text), value);
    assert.is(read(parseInteger64, text), value64);
    if (!Number.isNaN(value)) assert.is(written(value), text);
  });
}

const nonsense = [
  ...['', '-', '+1', ' 1', '1 ', '01', '-01', '00', '-0', '1.0', '1e3', '0x10', '--1', '1-', 'a'],
  ...['1/', '1:', '12345678901234567a', '0000000000000000000', '\u{ff}1', '-00000000000000001'],
];

for (const text of nonsense) {
  integers(`refuses ${JSON.stringify(text)}`, () => {
    same(read(parseInteger, text), NaN);
    assert.is(read(parseInteger64, text), undefined);
  });
}

integers('writes and reads back around every power of two and of ten', () => {
  for (let power = 0; power <= 52; power += 1) {
    for (const near of [-1, 0, 1]) {
      const value = 2 ** power + near;
      assert.is(written(value), String(value));
      assert.is(written(-value), String(value === 0 ? 0 : -value));
      assert.is(read(parseInteger, String(value)), value);
    }
  }
  for (let digits = 1; digits <= 15; digits += 1) {
    assert.is(digitCount(10 ** digits - 1), digits);
    assert.is(digitCount(10 ** digits), digits + 1);
  }
  assert.is(digitCount(Number.MAX_SAFE_INTEGER), 16);
});

integers.run();
