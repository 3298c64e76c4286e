import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const count = suite('count');

const notInteger = '-ERR value is not an integer or out of range';
const overflow = '-ERR increment or decrement would overflow';
const notFloat = '-ERR value is not a valid float';

/** A start value ("-" for none), a line, its reply, and the value afterwards. */
const cases: readonly (readonly [start: string, line: string, reply: unknown, after: unknown])[] = [
  ['-', 'INCR n', 1, '1'],
  ['-', 'DECR n', -1, '-1'],
  ['9', 'INCR n', 10, '10'],
  ['10', 'DECR n', 9, '9'],
  ['-1', 'INCR n', 0, '0'],
  ['0', 'DECR n', -1, '-1'],
  ['-9', 'DECR n', -10, '-10'],
  ['5', 'INCRBY n 0', 5, '5'],
  ['-', 'DECRBY n 0', 0, '0'],
  ['17179869184', 'INCRBY n 17179869184', 34359738368, '34359738368'],
  ['9007199254740991', 'INCR n', 9007199254740992n, '9007199254740992'],
  ['9007199254740993', 'DECRBY n 2', 9007199254740991, '9007199254740991'],
  ['-9007199254740991', 'DECRBY n 2', -9007199254740993n, '-9007199254740993'],
  ['9223372036854775806', 'INCR n', 9223372036854775807n, '9223372036854775807'],
  ['9223372036854775807', 'INCR n', overflow, '9223372036854775807'],
  ['-9223372036854775808', 'DECR n', overflow, '-9223372036854775808'],
  ['0', 'INCRBY n 9223372036854775807', 9223372036854775807n, '9223372036854775807'],
  ['0', 'INCRBY n 9223372036854775808', notInteger, '0'],
  ['0', 'DECRBY n -9223372036854775808', '-ERR decrement would overflow', '0'],
  ['-1', 'DECRBY n 9223372036854775807', -9223372036854775808n, '-9223372036854775808'],
  [' 1', 'INCR n', notInteger, ' 1'],
  ['1 ', 'INCR n', notInteger, '1 '],
  ['01', 'INCR n', notInteger, '01'],
  ['-0', 'INCR n', notInteger, '-0'],
  ['+1', 'INCR n', notInteger, '+1'],
  ['', 'INCR n', notInteger, ''],
  ['x', 'INCRBY n 1', notInteger, 'x'],
  ['99999999999999999999', 'INCR n', notInteger, '99999999999999999999'],
  ['1', 'INCRBY n x', notInteger, '1'],
  ['1', 'DECRBY n 1.5', notInteger, '1'],
  ['-', 'INCRBYFLOAT n 1', '1', '1'],
  ['1', 'INCRBYFLOAT n 0.25', '1.25', '1.25'],
  ['3', 'INCRBYFLOAT n 0.1', '3.1', '3.1'],
  ['1.5', 'INCRBYFLOAT n -1.5', '0', '0'],
  ['17179869184', 'INCRBYFLOAT n 1.5', '17179869185.5', '17179869185.5'],
  ['5e3', 'INCRBYFLOAT n 2.0e2', '5200', '5200'],
  ['0', 'INCRBYFLOAT n 0x1p-2', '0.25', '0.25'],
  ['1', 'INCRBYFLOAT n -1.1', '-0.1', '-0.1'],
  ['1', 'INCRBYFLOAT n inf', '-ERR increment would produce NaN or Infinity', '1'],
  ['1', 'INCRBYFLOAT n nan', notFloat, '1'],
  [' 1', 'INCRBYFLOAT n 1', notFloat, ' 1'],
  ['1 ', 'INCRBYFLOAT n 1', notFloat, '1 '],
  ['1', 'INCRBYFLOAT n 1a', notFloat, '1'],
  ['', 'INCRBYFLOAT n 1', notFloat, ''],
  ['1', 'INCRBYFLOAT n 1e-5000', notFloat, '1'],
  ['1', 'INCRBYFLOAT n 1e5000', notFloat, '1'],
];

for (const [start, line, reply, after] of cases) {
  count(`${line} on ${JSON.stringify(start)}`, () => {
    const context = new CallContext();
    if (start !== '-') call(context, ['SET', 'n', start]);
    assert.is(call(context, line), reply);
    assert.is(call(context, 'GET n'), after);
  });
}

count('keeps the time to live', () => {
  const context = new CallContext();
  for (const line of ['INCR n', 'INCRBY n 9007199254740993', 'INCRBYFLOAT n 1.5']) {
    call(context, 'SET n 9 EX 100');
    call(context, line);
    assert.is(call(context, 'TTL n'), 100, line);
  }
});

count('says so once for each change', () => {
  const context = new CallContext();
  for (const line of ['INCR n', 'DECRBY n 5', 'INCRBY n 9007199254740993', 'INCRBYFLOAT n 1']) {
    call(context, line);
  }
  const incrby = '$ incrby n';
  assert.equal(context.takeAnnounced(), ['~n new n', incrby, incrby, incrby, '$ incrbyfloat n']);
});

count('leaves the record in its place while the number of digits stays', () => {
  const context = new CallContext();
  call(context, 'SET n 20000');
  const before = call(context, 'DEBUG OBJECT n');
  call(context, 'INCR n');
  assert.is(call(context, 'DEBUG OBJECT n'), before);
});

count.run();
