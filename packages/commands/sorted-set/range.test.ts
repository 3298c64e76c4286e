/** ZRANGE in all its forms. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const range = suite('zset ranges');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A sorted set, a string and a plain set. */
const setup = ['ZADD z 1 a 2 b 3 c', 'SET s x', 'SADD p a z'];

const cases: Case = [
  ['ZRANGE z 0 -1', ['a', 'b', 'c']],
  ['ZRANGE z 0 -1 WITHSCORES', ['a', '1', 'b', '2', 'c', '3']],
  ['ZRANGE z 1 1', ['b']],
  ['ZRANGE z -2 -1 REV', ['b', 'a']],
  ['ZRANGE z 0 0 REV WITHSCORES', ['c', '3']],
  ['ZRANGE z 5 6', []],
  ['ZRANGE z 2 1', []],
  ['ZRANGE z -100 100', ['a', 'b', 'c']],
  ['ZRANGE z 0 9223372036854775807', ['a', 'b', 'c']],
  ['ZRANGE none 0 -1', []],
  ['ZRANGE s 0 -1', wrongType],
  ['ZRANGE z x 1', notInteger],
  ['ZRANGE z 0 x', notInteger],
  ['ZRANGE s 0 x', notInteger],
  ['ZRANGE z 0 9223372036854775808', notInteger],
  ['ZRANGE z 0 -1 FOO', syntax],
  [
    'ZRANGE z 0 -1 LIMIT 1 2',
    '-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
  ],
  ['ZRANGE z 0 -1 LIMIT 1 -1', ['a', 'b', 'c']],
  ['ZRANGE z 0 -1 LIMIT 1', syntax],
  ['ZRANGE z 0 -1 LIMIT x 1', notInteger],
  ['ZRANGE z 1 2 BYSCORE', ['a', 'b']],
  ['ZRANGE z (1 +inf BYSCORE WITHSCORES', ['b', '2', 'c', '3']],
  ['ZRANGE z 3 1 BYSCORE REV', ['c', 'b', 'a']],
  ['ZRANGE z 1 3 BYSCORE REV', []],
  ['ZRANGE z -inf +inf BYSCORE LIMIT 1 1', ['b']],
  ['ZRANGE z -inf +inf BYSCORE LIMIT 5 1', []],
  ['ZRANGE z +inf -inf BYSCORE REV LIMIT 1 -5', ['b', 'a']],
  ['ZRANGE z x 1 BYSCORE', '-ERR min or max is not a float'],
  ['ZRANGE z 1 2 BYSCORE BYLEX', syntax],
  ['ZRANGE z 1 2 BYSCORE BYSCORE', syntax],
  ['ZRANGE z 1 2 REV REV', syntax],
  ['ZREVRANGE z 0 -1', ['c', 'b', 'a']],
  ['ZREVRANGE z 0 0 WITHSCORES', ['c', '3']],
  ['ZREVRANGE z 0 0 REV', syntax],
  [
    'ZREVRANGE z 0 0 LIMIT 0 1',
    '-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
  ],
  ['ZREVRANGE none 0 -1', []],
  ['ZREVRANGE s 0 -1', wrongType],
  ['ZREVRANGE z x 1', notInteger],
  ['ZRANGEBYSCORE z 1 2', ['a', 'b']],
  ['ZRANGEBYSCORE z (1 2 WITHSCORES', ['b', '2']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 0 2', ['a', 'b']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 0 0', []],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 1 -1 WITHSCORES', ['b', '2', 'c', '3']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 1', syntax],
  ['ZRANGEBYSCORE z -inf +inf REV', syntax],
  ['ZRANGEBYSCORE z x 1', '-ERR min or max is not a float'],
  ['ZRANGEBYSCORE none 1 2', []],
  ['ZRANGEBYSCORE s 1 2', wrongType],
  ['ZREVRANGEBYSCORE z 2 1', ['b', 'a']],
  ['ZREVRANGEBYSCORE z +inf (1 WITHSCORES LIMIT 0 1', ['c', '3']],
  ['ZREVRANGEBYSCORE z 1 x', '-ERR min or max is not a float'],
  ['ZRANGESTORE d z 0 1', 2],
  ['ZRANGESTORE d z 1 3 BYSCORE REV', 0],
  ['ZRANGESTORE d z 3 1 BYSCORE REV LIMIT 0 2', 2],
  ['ZRANGESTORE d z 5 6', 0],
  ['ZRANGESTORE d none 0 -1', 0],
  ['ZRANGESTORE s z 0 0', 1],
  ['ZRANGESTORE s none 0 0', 0],
  ['ZRANGESTORE z z 0 0', 1],
  ['ZRANGESTORE d s 0 1', wrongType],
  ['ZRANGESTORE d z 0 1 WITHSCORES', syntax],
  ['ZRANGESTORE d z x 1', notInteger],
  [
    'ZRANGESTORE d z 0 1 LIMIT 0 1',
    '-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
  ],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    range(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const cases3: Case = [
  [
    'ZRANGE z 0 -1 WITHSCORES',
    [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ],
  ],
  ['ZRANGE z 0 -1', ['a', 'b', 'c']],
  ['ZREVRANGE z 0 0 WITHSCORES', [['c', 3]]],
  [
    'ZRANGEBYSCORE z 1 2 WITHSCORES',
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  ['ZRANGE none 0 -1 WITHSCORES', []],
  [
    'ZUNION 1 z WITHSCORES',
    [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ],
  ],
  ['ZPOPMIN z', ['a', 1]],
  [
    'ZPOPMIN z 2',
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  ['ZPOPMAX z 1', [['c', 3]]],
  ['ZPOPMIN none', []],
  ['ZPOPMIN none 1', []],
  [
    'ZMPOP 1 z MIN COUNT 2',
    [
      'z',
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
  ],
  ['ZMPOP 1 none MIN', null],
  [
    'ZRANDMEMBER z 9 WITHSCORES',
    [
      ['c', 3],
      ['b', 2],
      ['a', 1],
    ],
  ],
  ['ZRANDMEMBER none 1 WITHSCORES', []],
  ['ZSCAN z 0', ['0', ['a', '1', 'b', '2', 'c', '3']]],
];

for (const [line, reply] of cases3) {
  range(`${line} in RESP3`, () => {
    const context = new CallContext({ protocol: 3 });
    for (const each of setup) call(context, each);
    const answer = call(context, line);
    // Random members come in any order.
    if (line.startsWith('ZRANDMEMBER') && Array.isArray(answer)) answer.sort().reverse();
    assert.equal(answer, reply);
  });
}

range(
  'negative offsets find nothing in a listpack, and in a table members from the far end',
  () => {
    for (const [entries, up, down] of [
      [128, [], []],
      [0, ['b', 'c'], ['b', 'a']],
    ] as const) {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, 'ZRANGEBYSCORE z -inf +inf LIMIT -2 9'), up);
      assert.equal(call(context, 'ZREVRANGEBYSCORE z +inf -inf LIMIT -2 9'), down);
      assert.equal(call(context, 'ZRANGEBYSCORE z -inf +inf LIMIT -4 9'), []);
    }
  },
);

const stores: readonly (readonly [line: string, announced: readonly string[]])[] = [
  ['ZRANGESTORE d z 0 1', ['~n new d', 'z zrangestore d']],
  ['ZRANGESTORE s z 0 1', ['~o overwritten s', '~c type_changed s', 'z zrangestore s']],
  ['ZRANGESTORE s z 5 6', ['g del s']],
  ['ZRANGESTORE d z 5 6', []],
];

for (const [line, announced] of stores) {
  range(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    const context = new CallContext();
    for (const each of setup) call(context, each);
    call(context, 'EXPIRE s 100');
    context.takeAnnounced();
    call(context, line);
    assert.equal(context.takeAnnounced(), announced);
    assert.is.not(call(context, 'TTL s'), line.includes(' s z 0 1') ? 100 : -1);
  });
}

range.run();
