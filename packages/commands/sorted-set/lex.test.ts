/** Ranges by member, when all members have one score. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lex = suite('zset ranges by member');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A sorted set of one score, and a string. */
const setup = ['ZADD z 0 a 0 b 0 c 0 d 0 e', 'SET s x'];

const cases: Case = [
  ['ZRANGEBYLEX z - +', ['a', 'b', 'c', 'd', 'e']],
  ['ZRANGEBYLEX z + -', []],
  ['ZRANGEBYLEX z [b [d', ['b', 'c', 'd']],
  ['ZRANGEBYLEX z (b (d', ['c']],
  ['ZRANGEBYLEX z (b [d LIMIT 1 1', ['d']],
  ['ZRANGEBYLEX z - + LIMIT 1 -1', ['b', 'c', 'd', 'e']],
  ['ZRANGEBYLEX z [bb [d', ['c', 'd']],
  ['ZRANGEBYLEX z [d [b', []],
  ['ZRANGEBYLEX z (c (c', []],
  ['ZREVRANGEBYLEX z + -', ['e', 'd', 'c', 'b', 'a']],
  ['ZREVRANGEBYLEX z [d (b', ['d', 'c']],
  ['ZREVRANGEBYLEX z [d [b LIMIT 1 1', ['c']],
  ['ZRANGE z [b + BYLEX', ['b', 'c', 'd', 'e']],
  ['ZRANGE z + [b BYLEX REV', ['e', 'd', 'c', 'b']],
  ['ZRANGE z - + BYLEX LIMIT 3 10', ['d', 'e']],
  ['ZLEXCOUNT z - +', 5],
  ['ZLEXCOUNT z [b (d', 2],
  ['ZLEXCOUNT z + -', 0],
  ['ZLEXCOUNT none - +', 0],
  ['ZLEXCOUNT z a b', '-ERR min or max not valid string range item'],
  ['ZLEXCOUNT s - +', wrongType],
  ['ZREMRANGEBYLEX z [b (d', 2],
  ['ZREMRANGEBYLEX z - +', 5],
  ['ZREMRANGEBYLEX z [x +', 0],
  ['ZREMRANGEBYLEX none - +', 0],
  ['ZREMRANGEBYLEX z b +', '-ERR min or max not valid string range item'],
  ['ZREMRANGEBYLEX s - +', wrongType],
  ['ZRANGEBYLEX z a +', '-ERR min or max not valid string range item'],
  ['ZRANGEBYLEX z - ""', '-ERR min or max not valid string range item'],
  ['ZRANGEBYLEX z -x +', '-ERR min or max not valid string range item'],
  [
    'ZRANGEBYLEX z - + WITHSCORES',
    '-ERR syntax error, WITHSCORES not supported in combination with BYLEX',
  ],
  [
    'ZRANGE z - + BYLEX WITHSCORES',
    '-ERR syntax error, WITHSCORES not supported in combination with BYLEX',
  ],
  ['ZRANGE z 0 1 BYLEX', '-ERR min or max not valid string range item'],
  ['ZRANGEBYLEX none - +', []],
  ['ZRANGEBYLEX s - +', wrongType],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    lex(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

lex.run();
