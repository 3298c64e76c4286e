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

const MAX = 9223372036854775807n;
const MIN = -9223372036854775808n;

/** A start value, words after INCREX n, the reply, and the value afterwards. */
const bounded: readonly (readonly [
  start: string,
  words: string,
  reply: unknown,
  after: unknown,
])[] = [
  ['-', '', [1, 1], '1'],
  ['10', '', [11, 1], '11'],
  ['100', 'BYINT -10', [90, -10], '90'],
  ['95', 'BYINT 0', [95, 0], '95'],
  ['50', 'BYINT 100 UBOUND 80', [50, 0], '50'],
  ['50', 'BYINT 100 UBOUND 80 SATURATE', [80, 30], '80'],
  ['10', 'BYINT -100 LBOUND 0 saturate', [0, -10], '0'],
  ['5', 'BYINT 1 LBOUND 0 UBOUND 10', [6, 1], '6'],
  ['5', 'BYINT 5 UBOUND 10', [10, 5], '10'],
  ['10', 'BYINT -10 LBOUND 0', [0, -10], '0'],
  ['50', 'BYINT 5 UBOUND 30', [50, 0], '50'],
  ['50', 'BYINT 5 UBOUND 30 SATURATE', [30, -20], '30'],
  ['-50', 'BYINT -5 LBOUND -30 SATURATE', [-30, 20], '-30'],
  ['50', 'BYINT -25 UBOUND 30', [25, -25], '25'],
  ['-', 'BYINT 5 LBOUND 10', [0, 0], null],
  ['-', 'LBOUND 5 SATURATE', [5, 5], '5'],
  ['5', 'LBOUND 0 BYINT 100 UBOUND 10 SATURATE', [10, 5], '10'],
  [String(MAX - 7n), 'BYINT 9223372036854775800', [MAX - 7n, 0], String(MAX - 7n)],
  [String(MAX - 7n), 'BYINT 9223372036854775800 SATURATE', [MAX, 7], String(MAX)],
  [String(MIN + 8n), `BYINT -9223372036854775800 LBOUND ${MIN} SATURATE`, [MIN, -8], String(MIN)],
  [
    '9223372036854775800',
    `SATURATE UBOUND ${MIN}`,
    '-ERR applied increment would overflow',
    '9223372036854775800',
  ],
  ['1.5', 'BYFLOAT 0.25', ['1.75', '0.25'], '1.75'],
  ['2', 'BYFLOAT 1', ['3', '1'], '3'],
  ['10', 'BYFLOAT 100 UBOUND 42.5', ['10', '0'], '10'],
  ['10', 'BYFLOAT 100 UBOUND 42.5 SATURATE', ['42.5', '32.5'], '42.5'],
  ['0', 'BYFLOAT -100 LBOUND -5.5 SATURATE', ['-5.5', '-5.5'], '-5.5'],
  ['-', 'BYFLOAT -0.5 UBOUND -1.5', ['0', '0'], null],
  ['50.5', 'BYFLOAT 5.5 UBOUND 30 SATURATE', ['30', '-20.5'], '30'],
  ['1e4932', 'BYFLOAT 1e4932 UBOUND 3 SATURATE', undefined, '3'],
  ['1e4932', 'BYFLOAT 1e4932', undefined, '1e4932'],
  ['0', 'BYFLOAT +inf', '-ERR BYFLOAT increment cannot be Infinity', '0'],
  ['-inf', 'BYFLOAT 0 LBOUND -100', '-ERR value cannot be Infinity', '-inf'],
  ['1', 'BYFLOAT 1 UBOUND inf', '-ERR UBOUND is not a valid float', '1'],
  ['1', 'BYINT abc', '-ERR Increment is not an integer or out of range', '1'],
  ['1', 'BYINT 1.5', '-ERR Increment is not an integer or out of range', '1'],
  ['1', 'BYFLOAT abc', '-ERR Increment is not a valid float', '1'],
  ['1', 'UBOUND 12.5', '-ERR UBOUND is not an integer or out of range', '1'],
  ['1', 'LBOUND abc', '-ERR LBOUND is not an integer or out of range', '1'],
  ['1', 'BYFLOAT 1 LBOUND abc', '-ERR LBOUND is not a valid float', '1'],
  ['1', 'BYINT 5 LBOUND 20 UBOUND 0', "-ERR LBOUND can't be greater than UBOUND", '1'],
  ['1', 'BYFLOAT 5 LBOUND 1.5 UBOUND 1.25', "-ERR LBOUND can't be greater than UBOUND", '1'],
  ['1', 'ENX', '-ERR ENX flag requires an expiration', '1'],
  ['1', 'EX 0', "-ERR invalid expire time in 'increx' command", '1'],
  ['hello', '', notInteger, 'hello'],
  ['hello', 'BYFLOAT 1', notFloat, 'hello'],
];

for (const [start, words, reply, after] of bounded) {
  count(`INCREX n ${words} on ${JSON.stringify(start)}`, () => {
    const context = new CallContext();
    if (start !== '-') call(context, ['SET', 'n', start]);
    const answer = call(context, `INCREX n ${words}`.trim());
    if (reply !== undefined) assert.equal(answer, reply);
    assert.is(call(context, 'GET n'), after);
  });
}

const faultyWords = [
  ...['FOO', 'BYINT 1 FOO', 'BYINT', 'BYINT 1 BYFLOAT 1', 'BYINT 1 BYINT 1', 'LBOUND 1 LBOUND 1'],
  ...['UBOUND 1 UBOUND 1', 'SATURATE SATURATE', 'ENX ENX EX 1', 'PERSIST PERSIST', 'EX 1 EX 1'],
  ...['EX 1 PX 1', 'PERSIST EX 1', 'EX 1 PERSIST', 'PERSIST ENX', 'NX', 'KEEPTTL'],
];

for (const words of faultyWords) {
  count(`INCREX n ${words} is a syntax error`, () => {
    const context = new CallContext();
    assert.is(call(context, `INCREX n ${words}`), '-ERR syntax error');
    assert.is(call(context, 'EXISTS n'), 0);
  });
}

/** Words of INCREX n, the time to live after it, what it replicates, and what it announces. */
const ending: readonly (readonly [
  words: string,
  ttl: number,
  logged: string,
  announced: string[],
])[] = [
  ['EX 100 ENX', 100, 'SET n 1 PXAT 1700000100000', ['~n new n', '$ incrby n', '~g expire n']],
  ['EX 10 ENX', 100, 'SET n 2 KEEPTTL', ['$ incrby n']],
  ['EXAT 1 ENX', 100, 'SET n 3 KEEPTTL', ['$ incrby n']],
  ['BYFLOAT 0.5', 100, 'SET n 3.5 KEEPTTL', ['$ incrbyfloat n']],
  ['BYFLOAT 0.5 EX 20', 20, 'SET n 4 PXAT 1700000020000', ['$ incrbyfloat n', '~g expire n']],
  ['UBOUND 4 EX 50', 20, '', []],
  ['PERSIST', -1, 'SET n 5', ['$ incrby n', '~g persist n']],
  ['PERSIST', -1, 'SET n 6 KEEPTTL', ['$ incrby n']],
  ['PXAT 1', -2, 'DEL n', ['g del n']],
  ['PXAT 1', -2, '', []],
];

count('INCREX sets and removes expiries', () => {
  const context = new CallContext();
  context.isReplicated = true;
  for (const [words, ttl, logged, announced] of ending) {
    context.logged = [];
    context.takeAnnounced();
    call(context, `INCREX n ${words}`);
    const lines = context.logged.map((each) => each.map((word) => word.toString()).join(' '));
    assert.is(lines.join(), logged, words);
    assert.equal(context.takeAnnounced(), announced, words);
    assert.is(call(context, 'TTL n'), ttl, words);
  }
});

count('INCREX answers doubles in RESP3', () => {
  const context = new CallContext({ protocol: 3 });
  assert.equal(call(context, 'INCREX n BYFLOAT 1.5'), [1.5, 1.5]);
  assert.equal(call(context, 'INCREX m BYINT 2'), [2, 2]);
});

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
