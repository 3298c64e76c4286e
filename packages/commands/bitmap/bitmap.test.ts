import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const bitmap = suite('bitmap');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const badOffset = '-ERR bit offset is not an integer or out of range';
const notInteger = '-ERR value is not an integer or out of range';
const badType =
  '-ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.';

/** Each begins with `k` = "foobar" and no other key. */
const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['SETBIT k 0 1', 0],
  ['SETBIT k 1 0', 1],
  ['SETBIT nowhere 7 1', 0],
  ['SETBIT k -1 1', badOffset],
  ['SETBIT k x 1', badOffset],
  ['SETBIT k 4294967296 1', badOffset],
  ['SETBIT k 0 2', '-ERR bit is not an integer or out of range'],
  ['SETBIT k 0 x', '-ERR bit is not an integer or out of range'],
  ['GETBIT k 1', 1],
  ['GETBIT k 0', 0],
  ['GETBIT k 4000', 0],
  ['GETBIT nowhere 0', 0],
  ['GETBIT k -1', badOffset],
  ['BITCOUNT k', 26],
  ['BITCOUNT k 0 0', 4],
  ['BITCOUNT k 1 1', 6],
  ['BITCOUNT k 0 -5', 10],
  ['BITCOUNT k 5 30 BIT', 17],
  ['BITCOUNT k 1 1 BYTE', 6],
  ['BITCOUNT k 3 1', 0],
  ['BITCOUNT k -1 -3', 0],
  ['BITCOUNT k -100 -50', 4],
  ['BITCOUNT nowhere', 0],
  ['BITCOUNT nowhere 0 x', notInteger],
  ['BITCOUNT k 0', '-ERR syntax error'],
  ['BITCOUNT k 0 1 WORD', '-ERR syntax error'],
  ['BITCOUNT k 0 1 BIT 2', '-ERR syntax error'],
  ['BITPOS k 1', 1],
  ['BITPOS k 0', 0],
  ['BITPOS k 1 2', 17],
  ['BITPOS k 1 -1', 41],
  ['BITPOS k 1 7 15 BIT', 9],
  ['BITPOS k 1 100', -1],
  ['BITPOS nowhere 0', 0],
  ['BITPOS nowhere 1', -1],
  ['BITPOS k 2', '-ERR The bit argument must be 1 or 0.'],
  ['BITPOS k x', notInteger],
  ['BITPOS k 1 x', notInteger],
  ['BITPOS k 1 0 1 WORD', '-ERR syntax error'],
  ['BITPOS k 1 0 1 BIT 2', '-ERR syntax error'],
  ['BITOP NOT d k', 6],
  ['BITOP AND d k nowhere', 6],
  ['BITOP OR d nowhere', 0],
  ['BITOP NAND d k', '-ERR syntax error'],
  ...['DIFF', 'DIFF1', 'ANDOR'].map(
    (name) =>
      [
        `BITOP ${name.toLowerCase()} d k`,
        `-ERR BITOP ${name} must be called with at least two source keys.`,
      ] as const,
  ),
  ['BITOP NOT d k k', '-ERR BITOP NOT must be called with a single source key.'],
  ['BITFIELD k', []],
  ['BITFIELD k GET u8 0 GET i8 #1 GET u4 4', [102, 111, 6]],
  ['BITFIELD k SET u8 0 255 GET u8 0', [102, 255]],
  ['BITFIELD k SET i8 0 200 GET i8 0', [102, -56]],
  ['BITFIELD n INCRBY u2 100 1 OVERFLOW SAT INCRBY u2 102 5', [1, 3]],
  ['BITFIELD n OVERFLOW FAIL INCRBY u2 0 9 GET u2 0', [null, 0]],
  ['BITFIELD n OVERFLOW SAT INCRBY i5 0 -100', [-16]],
  ['BITFIELD n OVERFLOW WRAP INCRBY u4 0 -1', [15]],
  ['BITFIELD n OVERFLOW SAT SET u8 0 -1', [0]],
  ['BITFIELD n OVERFLOW SAT SET i41 0 -9223372036854775808 GET i41 0', [0, 1099511627775]],
  ['BITFIELD n OVERFLOW SAT SET i41 0 -9223370936854775808 GET i41 0', [0, -1099511627776]],
  ['BITFIELD n OVERFLOW SAT INCRBY u29 0 -9223372036854775807', [0]],
  ['BITFIELD n SET i64 0 -9223372036854775808 GET i64 0', [0, -9223372036854775808n]],
  ['BITFIELD k GET u64 0', badType],
  ['BITFIELD k GET i65 0', badType],
  ['BITFIELD k GET x8 0', badType],
  ['BITFIELD k GET u0 0', badType],
  ['BITFIELD k GET u8 -1', badOffset],
  ['BITFIELD k GET u8 #x', badOffset],
  ['BITFIELD k SET u8 0 x', notInteger],
  ['BITFIELD k OVERFLOW MAYBE', '-ERR Invalid OVERFLOW type specified'],
  ['BITFIELD k GET u8', '-ERR syntax error'],
  ['BITFIELD k PUT u8 0', '-ERR syntax error'],
  ['BITFIELD_RO k GET u8 0', [102]],
  ['BITFIELD_RO k SET u8 0 1', '-ERR BITFIELD_RO only supports the GET subcommand'],
];

for (const [line, reply] of cases) {
  bitmap(line, () => {
    const context = new CallContext();
    call(context, 'SET k foobar');
    assert.equal(call(context, line), reply);
  });
}

bitmap('refuses values that are no strings', () => {
  const context = new CallContext();
  call(context, 'SADD s a');
  for (const line of [
    'SETBIT s 0 1',
    'GETBIT s 0',
    'BITCOUNT s',
    'BITPOS s 1',
    'BITOP NOT d s',
    'BITFIELD s GET u8 0',
    'BITFIELD s SET u8 0 1',
    'BITFIELD_RO s GET u8 0',
  ]) {
    assert.is(call(context, line), wrongType, line);
  }
});

bitmap('grows with zero bytes, and is then a raw string', () => {
  const context = new CallContext();
  call(context, 'SETBIT k 23 1');
  assert.is(call(context, 'GET k'), '\0\0\u0001');
  assert.is(call(context, 'OBJECT ENCODING k'), 'raw');
});

bitmap('announces the bits that a failed BITFIELD has added, under no name', () => {
  const steps: readonly (readonly [line: string, announced: readonly string[]])[] = [
    ['BITFIELD n OVERFLOW FAIL INCRBY u2 0 9', ['~n new n', '$  n']],
    ['BITFIELD n OVERFLOW FAIL INCRBY u2 0 9', []],
    ['BITFIELD n OVERFLOW FAIL INCRBY u2 99 9', ['$  n']],
    ['BITFIELD n OVERFLOW FAIL INCRBY u2 0 9 SET u2 0 1', ['$ setbit n']],
    ['BITFIELD n SET u2 0 1', []],
  ];
  const context = new CallContext();
  for (const [line, announced] of steps) {
    call(context, line);
    assert.equal(context.takeAnnounced(), announced, line);
  }
});

bitmap('keeps what it combines as a raw string', () => {
  const context = new CallContext();
  call(context, 'SET a 12');
  call(context, 'BITOP OR k a');
  assert.is(call(context, 'OBJECT ENCODING k'), 'raw');
});

bitmap('combines strings of different lengths as if with zeros behind', () => {
  const context = new CallContext();
  call(context, ['SET', 'a', '\u00ff\u00f0']);
  call(context, ['SET', 'b', '\u000f']);
  const results: readonly (readonly [string, string])[] = [
    ['AND', '\u000f\0'],
    ['OR', '\u00ff\u00f0'],
    ['XOR', '\u00f0\u00f0'],
    ['DIFF', '\u00f0\u00f0'],
    ['DIFF1', '\0\0'],
    ['ANDOR', '\u000f\0'],
    ['ONE', '\u00f0\u00f0'],
  ];
  for (const [operation, value] of results) {
    assert.is(call(context, `BITOP ${operation} d a b`), 2);
    assert.is(call(context, 'GET d'), value, operation);
  }
  assert.is(call(context, 'BITOP XOR d a'), 2);
  assert.is(call(context, 'GET d'), '\u00ff\u00f0');
  assert.is(call(context, 'BITOP NOT d a'), 2);
  assert.is(call(context, 'GET d'), '\0\u000f');
  assert.is(call(context, 'BITOP ANDOR d a nowhere'), 2);
  assert.is(call(context, 'GET d'), '\0\0');
  assert.is(call(context, 'BITOP DIFF d nowhere a nowhere'), 2);
  assert.is(call(context, 'BITOP DIFF1 d nowhere a nowhere'), 2);
  assert.is(call(context, 'GET d'), '\u00ff\u00f0');
  assert.is(call(context, 'BITOP ONE d a'), 2);
  assert.is(call(context, 'BITOP ONE d a a b'), 2);
  assert.is(call(context, 'GET d'), '\0\0');
  assert.is(call(context, 'BITOP AND d nowhere'), 0);
  assert.is(call(context, 'EXISTS d'), 0);
});

bitmap('counts long strings by words and short ones by bytes alike', () => {
  const context = new CallContext();
  for (const length of [1, 63, 64, 65, 127, 1_000]) {
    call(context, ['SET', 'k', '\u00ff'.repeat(length)]);
    assert.is(call(context, 'BITCOUNT k'), 8 * length);
    assert.is(
      call(context, `BITCOUNT k 1 ${String(8 * length - 2)} BIT`),
      Math.max(8 * length - 2, 0),
    );
    assert.is(call(context, 'BITPOS k 0'), 8 * length);
    assert.is(call(context, 'BITPOS k 0 0 -1'), -1);
  }
});

bitmap('keeps a field that begins with the last bit a string may have, as Redis does', () => {
  const context = new CallContext({ settings: { 'server.proto-max-bulk-len': 1_048_576 } });
  const last = 8 * 1_048_576 - 1;
  assert.equal(call(context, `BITFIELD k SET u8 ${String(last)} 255`), [0]);
  assert.is(call(context, 'STRLEN k'), 1_048_577);
  assert.equal(call(context, `BITFIELD k GET u8 ${String(last)}`), [255]);
  assert.is(call(context, `SETBIT k ${String(last)} 0`), 1);
  assert.is(call(context, `SETBIT k ${String(last + 1)} 0`), badOffset);
  assert.is(call(context, 'BITFIELD k GET u8 #1048576'), badOffset);
  assert.equal(call(context, 'BITFIELD k GET u8 #1048575'), [0]);
});

const fieldsBeyond64Bits: readonly (readonly [field: string, bit: number | undefined])[] = [
  ['#-9223372036854775808', 0],
  ['#-9223372036854775807', 8],
  ['#1152921504606846976', undefined],
  ['#2305843009213693953', 8],
  ['#4611686018427387904', 0],
  ['#9223372036854775807', undefined],
  ['#9223372036854775808', undefined],
  ['-9223372036854775808', undefined],
  ['4611686018427387904', undefined],
];

for (const [field, bit] of fieldsBeyond64Bits) {
  bitmap(`BITFIELD finds u8 ${field} where a product of 64 bits lies`, () => {
    const context = new CallContext();
    call(context, 'SET k Hello');
    const expected = bit === undefined ? badOffset : [Buffer.from('Hello')[bit / 8]];
    assert.equal(call(context, `BITFIELD k GET u8 ${field}`), expected);
  });
}

bitmap('BITCOUNT takes neighbours at the end of 64 bits for what they are', () => {
  const context = new CallContext();
  call(context, 'SET k Hello');
  const least = '-9223372036854775808';
  const next = '-9223372036854775807';
  assert.is(call(context, `BITCOUNT k ${next} ${least}`), 0);
  assert.is(call(context, `BITCOUNT k ${next} ${least} BIT`), 0);
  assert.is(call(context, `BITCOUNT k ${least} ${next}`), 2);
  assert.is(call(context, `BITCOUNT k ${least} ${least}`), 2);
});

bitmap('takes any number of fields and of strings', () => {
  const context = new CallContext();
  const fields = Array.from({ length: 200_000 }, () => ['SET', 'u1', '#7', '1']).flat();
  assert.is((call(context, ['BITFIELD', 'k', ...fields]) as unknown[]).length, 200_000);
  const keys = Array.from({ length: 200_000 }, () => 'k');
  assert.is(call(context, ['BITOP', 'OR', 'd', ...keys]), 1);
  assert.is(call(context, 'GET d'), '\u0001');
});

bitmap.run();
