/** Taking members out, and drawing and walking them. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const remove = suite('zset removal');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A sorted set, a string and a plain set. */
const setup = ['ZADD z 1 a 2 b 3 c', 'SET s x', 'SADD p a z'];

const cases: Case = [
  ['ZREM z a x b', 2],
  ['ZREM z a a', 1],
  ['ZREM z a b c', 3],
  ['ZREM none a', 0],
  ['ZREM s a', wrongType],
  ['ZREM z', "-ERR wrong number of arguments for 'zrem' command"],
  ['ZREMRANGEBYRANK z 0 0', 1],
  ['ZREMRANGEBYRANK z -2 -1', 2],
  ['ZREMRANGEBYRANK z 0 -1', 3],
  ['ZREMRANGEBYRANK z 5 6', 0],
  ['ZREMRANGEBYRANK z 2 1', 0],
  ['ZREMRANGEBYRANK none 0 -1', 0],
  ['ZREMRANGEBYRANK z x 1', notInteger],
  ['ZREMRANGEBYRANK s 0 1', wrongType],
  ['ZREMRANGEBYRANK s x 1', notInteger],
  ['ZREMRANGEBYSCORE z 1 2', 2],
  ['ZREMRANGEBYSCORE z (1 (3', 1],
  ['ZREMRANGEBYSCORE z -inf +inf', 3],
  ['ZREMRANGEBYSCORE z 7 9', 0],
  ['ZREMRANGEBYSCORE none 1 2', 0],
  ['ZREMRANGEBYSCORE z x 2', '-ERR min or max is not a float'],
  ['ZREMRANGEBYSCORE s 1 2', wrongType],
  ['ZPOPMIN z', ['a', '1']],
  ['ZPOPMAX z', ['c', '3']],
  ['ZPOPMIN z 2', ['a', '1', 'b', '2']],
  ['ZPOPMAX z 9', ['c', '3', 'b', '2', 'a', '1']],
  ['ZPOPMIN z 0', []],
  ['ZPOPMIN z -1', '-ERR value is out of range, must be positive'],
  ['ZPOPMIN z x', '-ERR value is out of range, must be positive'],
  ['ZPOPMIN z 1 2', syntax],
  ['ZPOPMIN none', []],
  ['ZPOPMIN none 2', []],
  ['ZPOPMIN none -1', '-ERR value is out of range, must be positive'],
  ['ZPOPMIN s', wrongType],
  ['ZPOPMAX s x', '-ERR value is out of range, must be positive'],
  ['ZMPOP 1 z MIN', ['z', [['a', '1']]]],
  [
    'ZMPOP 2 none z max COUNT 2',
    [
      'z',
      [
        ['c', '3'],
        ['b', '2'],
      ],
    ],
  ],
  [
    'ZMPOP 1 z MIN COUNT 9',
    [
      'z',
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
    ],
  ],
  ['ZMPOP 2 none none2 MIN', null],
  ['ZMPOP 2 none s MIN', wrongType],
  ['ZMPOP 2 z s MIN', ['z', [['a', '1']]]],
  ['ZMPOP 0 z MIN', '-ERR numkeys should be greater than 0'],
  ['ZMPOP x z MIN', '-ERR numkeys should be greater than 0'],
  ['ZMPOP 2 z MIN', syntax],
  ['ZMPOP 1 z FOO', syntax],
  ['ZMPOP 1 z MIN COUNT 0', '-ERR count should be greater than 0'],
  ['ZMPOP 1 z MIN COUNT x', '-ERR count should be greater than 0'],
  ['ZMPOP 1 z MIN COUNT', syntax],
  ['ZMPOP 1 z MIN COUNT 1 COUNT 1', syntax],
  ['ZMPOP 1 z MIN FOO 1', syntax],
  ['ZMPOP 9223372036854775807 z MIN', syntax],
  ['ZRANDMEMBER none', null],
  ['ZRANDMEMBER none 3', []],
  ['ZRANDMEMBER z 0', []],
  ['ZRANDMEMBER z 5', ['c', 'b', 'a']],
  ['ZRANDMEMBER z 3 WITHSCORES', ['c', '3', 'b', '2', 'a', '1']],
  ['ZRANDMEMBER z x', notInteger],
  ['ZRANDMEMBER z 1 FOO', syntax],
  ['ZRANDMEMBER z 1 WITHSCORES x', syntax],
  [
    'ZRANDMEMBER z -9223372036854775808',
    '-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
  ],
  ['ZRANDMEMBER z -9223372036854775807 WITHSCORES', '-ERR value is out of range'],
  ['ZRANDMEMBER s', wrongType],
  ['ZRANDMEMBER s x', notInteger],
  ['ZSCAN z 0', ['0', ['a', '1', 'b', '2', 'c', '3']]],
  ['ZSCAN z 0 MATCH a*', ['0', ['a', '1']]],
  ['ZSCAN z x', '-ERR invalid cursor'],
  ['ZSCAN z 0 COUNT 0', syntax],
  ['ZSCAN z 0 COUNT x', notInteger],
  ['ZSCAN z 0 FOO', syntax],
  ['ZSCAN z 0 NOVALUES', '-ERR NOVALUES option can only be used in HSCAN'],
  ['ZSCAN none 0', ['0', []]],
  ['ZSCAN none 0 FOO', ['0', []]],
  ['ZSCAN s 0', wrongType],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    remove(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      const answer = call(context, line);
      // Of a table, the order of a scan and of drawn members means nothing.
      const inOrder = (value: unknown): unknown =>
        Array.isArray(value) ? value.map(inOrder).sort() : value;
      const isLoose = /^(ZSCAN|ZRANDMEMBER)/.test(line);
      assert.equal(isLoose ? inOrder(answer) : answer, isLoose ? inOrder(reply) : reply);
    });
  }
}

const changes: readonly (readonly [line: string, announced: readonly string[]])[] = [
  ['ZREM z a', ['z zrem z']],
  ['ZREM z a b c', ['z zrem z', 'g del z']],
  ['ZREM z x', []],
  ['ZREMRANGEBYRANK z 0 0', ['z zremrangebyrank z']],
  ['ZREMRANGEBYRANK z 0 -1', ['z zremrangebyrank z', 'g del z']],
  ['ZREMRANGEBYSCORE z 1 2', ['z zremrangebyscore z']],
  ['ZREMRANGEBYLEX z [a [a', ['z zremrangebylex z']],
  ['ZREMRANGEBYSCORE z 8 9', []],
  ['ZPOPMIN z', ['z zpopmin z']],
  ['ZPOPMAX z 3', ['z zpopmax z', 'g del z']],
  ['ZPOPMIN z 0', []],
  ['ZMPOP 2 none z MAX COUNT 3', ['z zpopmax z', 'g del z']],
];

for (const [line, announced] of changes) {
  remove(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    const context = new CallContext();
    for (const each of setup) call(context, each);
    context.takeAnnounced();
    call(context, line);
    assert.equal(context.takeAnnounced(), announced);
    assert.is(call(context, 'EXISTS z'), announced.length === 2 ? 0 : 1);
  });
}

remove('draws every member, and the asked number of different ones', () => {
  const context = new CallContext();
  for (const size of [20, 300]) {
    for (let nth = 0; nth < size; nth += 1)
      call(context, ['ZADD', `z${size}`, String(nth), `m${nth}`]);
    const drawn = new Set<unknown>();
    for (let nth = 0; nth < size * 12; nth += 1)
      drawn.add(call(context, ['ZRANDMEMBER', `z${size}`]));
    assert.is(drawn.size, size);
    for (const count of [1, 3, size / 2, size - 1, size]) {
      const some = call(context, ['ZRANDMEMBER', `z${size}`, String(count)]) as unknown[];
      assert.is(new Set(some).size, count);
      assert.is(some.length, count);
    }
    const repeated = call(context, ['ZRANDMEMBER', `z${size}`, '-50', 'WITHSCORES']) as string[];
    assert.is(repeated.length, 100);
    for (let at = 0; at < 100; at += 2) assert.is(repeated[at], `m${repeated[at + 1] ?? ''}`);
  }
});

remove('a walk meets members that stay, whatever is added and removed meanwhile', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 3000; nth += 1) call(context, ['ZADD', 'z', '0.5', `stays${nth}`]);
  const met = new Set<string>();
  let cursor = '0';
  let round = 0;
  do {
    const [next, found] = call(context, ['ZSCAN', 'z', cursor, 'COUNT', '50']) as [
      string,
      string[],
    ];
    for (let at = 0; at < found.length; at += 2) met.add(found[at]!);
    for (let nth = 0; nth < 40; nth += 1) {
      call(context, ['ZADD', 'z', '1', `comes${round * 40 + nth}`]);
      if (round > 20) call(context, ['ZREM', 'z', `comes${(round - 20) * 40 + nth}`]);
    }
    cursor = next;
    round += 1;
  } while (cursor !== '0');
  for (let nth = 0; nth < 3000; nth += 1) assert.ok(met.has(`stays${nth}`));
});

remove('a scan of a table answers scores with all their digits', () => {
  const context = new CallContext({ settings: { 'encoding.zset-max-listpack-entries': 0 } });
  call(context, 'ZADD z 0.1 a');
  assert.equal(call(context, 'ZSCAN z 0'), ['0', ['a', '0.10000000000000001']]);
});

remove.run();
