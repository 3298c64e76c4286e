import { call, CallContext } from '../call.test-helper.ts';
import { setOptions, Span } from '#store';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lcs = suite('lcs');

const two = ['MSET a ohmytext b mynewtext', 'MSET a1 "" b1 x'];

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['LCS a b', 'mytext'],
  ['LCS a b LEN', 6],
  [
    'LCS a b IDX',
    [
      'matches',
      [
        [
          [4, 7],
          [5, 8],
        ],
        [
          [2, 3],
          [0, 1],
        ],
      ],
      'len',
      6,
    ],
  ],
  [
    'LCS a b IDX MINMATCHLEN 4',
    [
      'matches',
      [
        [
          [4, 7],
          [5, 8],
        ],
      ],
      'len',
      6,
    ],
  ],
  ['LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN', ['matches', [[[4, 7], [5, 8], 4]], 'len', 6]],
  [
    'LCS a b IDX MINMATCHLEN -1 WITHMATCHLEN',
    [
      'matches',
      [
        [[4, 7], [5, 8], 4],
        [[2, 3], [0, 1], 2],
      ],
      'len',
      6,
    ],
  ],
  ['LCS a nowhere', ''],
  ['LCS nowhere nowhere LEN', 0],
  ['LCS a1 b1 IDX', ['matches', [], 'len', 0]],
  ['LCS a b LEN IDX', '-ERR If you want both the length and indexes, please just use IDX.'],
  ['LCS a b FOO', '-ERR syntax error'],
  ['LCS a b MINMATCHLEN', '-ERR syntax error'],
  ['LCS a b MINMATCHLEN x', '-ERR value is not an integer or out of range'],
];

for (const [line, reply] of cases) {
  lcs(line, () => {
    const context = new CallContext();
    for (const setup of two) call(context, setup);
    assert.equal(call(context, line), reply);
  });
}

lcs('refuses a table beyond proto-max-bulk-len', () => {
  const context = new CallContext({ settings: { 'server.proto-max-bulk-len': 100 } });
  call(context, 'MSET a abcdef b abcdef');
  assert.is(
    call(context, 'LCS a b'),
    '-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len',
  );
});

lcs('takes strings only', () => {
  const context = new CallContext();
  const key = Buffer.from('l');
  context.keyspace.set(new Span(key), new Span(key), setOptions({ type: 2 }));
  assert.is(call(context, 'LCS l b'), '-ERR The specified keys must contain string values');
});

lcs.run();
