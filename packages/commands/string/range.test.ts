import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const range = suite('range');

const text = 'This is a string';
const huge = '9223372036854775807';
const least = '-9223372036854775808';
const tooLong = '-ERR string exceeds maximum allowed size (proto-max-bulk-len)';

const reads: readonly (readonly [start: string, end: string, reply: string])[] = [
  ['0', '3', 'This'],
  ['0', '-1', text],
  ['-4', '-1', 'ring'],
  ['5', '3', ''],
  ['5', '5000', text.slice(5)],
  ['-5000', '10000', text],
  ['0', '-100', 'T'],
  ['-1', '-5', ''],
  ['-100', '-99', 'T'],
  ['-99', '-100', ''],
  ['16', '16', ''],
  ['0', huge, text],
  [`-${huge}`, '1', 'Th'],
  [`-${huge}`, least, ''],
  [least, `-${huge}`, 'T'],
  [least, least, 'T'],
  ['-9007199254740992', '-9007199254740993', ''],
  ['-9007199254740993', '-9007199254740992', 'T'],
];

for (const [start, end, reply] of reads) {
  range(`GETRANGE ${start} ${end}`, () => {
    const context = new CallContext();
    call(context, ['SET', 'k', text]);
    assert.is(call(context, ['GETRANGE', 'k', start, end]), reply);
    assert.is(call(context, ['SUBSTR', 'k', start, end]), reply);
  });
}

range('reads nothing of a missing or empty string', () => {
  const context = new CallContext();
  call(context, 'SET empty ""');
  assert.is(call(context, 'GETRANGE nowhere 0 -1'), '');
  assert.is(call(context, 'GETRANGE empty 0 -1'), '');
  assert.is(call(context, 'GETRANGE empty 0 0'), '');
  assert.is(call(context, 'GETRANGE k x 1'), '-ERR value is not an integer or out of range');
  assert.is(call(context, 'GETRANGE k 1 x'), '-ERR value is not an integer or out of range');
});

const writes: readonly (readonly [start: string, line: string, reply: unknown, after: unknown])[] =
  [
    ['-', 'SETRANGE k 0 foo', 3, 'foo'],
    ['-', 'SETRANGE k 0 ""', 0, null],
    ['-', 'SETRANGE k 2 x', 3, '\0\0x'],
    ['-', 'SETRANGE k -1 x', '-ERR offset is out of range', null],
    ['-', 'SETRANGE k x x', '-ERR value is not an integer or out of range', null],
    ['-', `SETRANGE k ${huge} x`, tooLong, null],
    ['-', `SETRANGE k ${huge} ""`, 0, null],
    ['foo', 'SETRANGE k 0 b', 3, 'boo'],
    ['foo', 'SETRANGE k 1 ""', 3, 'foo'],
    ['foo', 'SETRANGE k 4 bar', 7, 'foo\0bar'],
    ['foo', 'SETRANGE k 536870912 x', tooLong, 'foo'],
    ['1234', 'SETRANGE k 0 2', 4, '2234'],
    ['-', 'APPEND k bar', 3, 'bar'],
    ['foo', 'APPEND k 100', 6, 'foo100'],
    ['foo', 'APPEND k ""', 3, 'foo'],
    ['-', 'APPEND k ""', 0, ''],
    ['foo', 'STRLEN k', 3, 'foo'],
    ['-', 'STRLEN k', 0, null],
  ];

for (const [start, line, reply, after] of writes) {
  range(`${line} on ${start}`, () => {
    const context = new CallContext();
    if (start !== '-') call(context, ['SET', 'k', start]);
    assert.equal(call(context, line), reply);
    assert.is(call(context, 'GET k'), after);
  });
}

range('is bound by proto-max-bulk-len', () => {
  const context = new CallContext({ settings: { 'server.proto-max-bulk-len': 5 } });
  call(context, 'SET k 1234');
  assert.is(call(context, 'APPEND k 5'), 5);
  assert.is(call(context, 'APPEND k 6'), tooLong);
  assert.is(call(context, 'SETRANGE k 5 x'), tooLong);
  assert.is(call(context, 'SETRANGE k 4 x'), 5);
});

range('grows a string piece by piece to any length', () => {
  const context = new CallContext();
  let expected = '';
  for (let nth = 0; nth < 3000; nth += 1) {
    const piece = String.fromCharCode(97 + (nth % 26)).repeat(1 + (nth % 50));
    expected += piece;
    assert.is(call(context, ['APPEND', 'k', piece]), expected.length);
  }
  assert.is(call(context, 'GET k'), expected);
});

range('announces changes, and no others', () => {
  const context = new CallContext();
  for (const line of ['SETRANGE k 0 ""', 'SETRANGE k 0 a', 'SETRANGE k 0 ""', 'APPEND k b']) {
    call(context, line);
  }
  call(context, 'APPEND other x');
  assert.equal(context.takeAnnounced(), [
    '~n new k',
    '$ setrange k',
    '$ append k',
    '~n new other',
    '$ append other',
  ]);
});

const encodings: readonly (readonly [lines: readonly string[], encoding: string])[] = [
  [['SET k 10'], 'int'],
  [['SET k -9223372036854775808'], 'int'],
  [['SET k 9223372036854775808'], 'embstr'],
  [['SET k 010'], 'embstr'],
  [[`SET k ${'x'.repeat(44)}`], 'embstr'],
  [[`SET k ${'x'.repeat(45)}`], 'raw'],
  [['APPEND k 10'], 'int'],
  [['SET k 1', 'APPEND k 0'], 'raw'],
  [['SETRANGE k 0 10'], 'raw'],
  [['SET k 10', 'SETRANGE k 0 2', 'INCR k'], 'int'],
  [['INCRBYFLOAT k 1'], 'embstr'],
  [['SET k 1', 'APPEND k 0', 'COPY k c', 'RENAME c k'], 'raw'],
  [['SETRANGE k 0 10', 'SET k 10'], 'int'],
];

for (const [lines, encoding] of encodings) {
  range(`${lines.at(-1)?.slice(0, 40) ?? ''} makes it ${encoding}`, () => {
    const context = new CallContext();
    for (const line of lines) call(context, line);
    assert.is(call(context, 'OBJECT ENCODING k'), encoding);
  });
}

range.run();
