/** Scores, ranks and counts of members. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const read = suite('zset reading');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const syntax = '-ERR syntax error';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A sorted set, a string and a plain set. */
const setup = ['ZADD z 1 a 2 b 3 c', 'SET s x', 'SADD p a z'];

const cases: Case = [
  ['ZCARD z', 3],
  ['ZCARD none', 0],
  ['ZCARD s', wrongType],
  ['ZSCORE z b', '2'],
  ['ZSCORE z x', null],
  ['ZSCORE none a', null],
  ['ZSCORE s a', wrongType],
  ['ZMSCORE z a x c', ['1', null, '3']],
  ['ZMSCORE none a b', [null, null]],
  ['ZMSCORE s a', wrongType],
  ['ZRANK z a', 0],
  ['ZRANK z c', 2],
  ['ZRANK z x', null],
  ['ZRANK none a', null],
  ['ZRANK s a', wrongType],
  ['ZRANK z b WITHSCORE', [1, '2']],
  ['ZRANK z x withscore', null],
  ['ZRANK none x WITHSCORE', null],
  ['ZRANK z b FOO', syntax],
  ['ZRANK z b WITHSCORE x', "-ERR wrong number of arguments for 'zrank' command"],
  ['ZREVRANK z a', 2],
  ['ZREVRANK z c WITHSCORE', [0, '3']],
  ['ZREVRANK z b WITHSCORE x', "-ERR wrong number of arguments for 'zrevrank' command"],
  ['ZREVRANK none a', null],
  ['ZCOUNT z 1 3', 3],
  ['ZCOUNT z (1 3', 2],
  ['ZCOUNT z (1 (3', 1],
  ['ZCOUNT z -inf +inf', 3],
  ['ZCOUNT z 3 1', 0],
  ['ZCOUNT z (2 (2', 0],
  ['ZCOUNT z 2 2', 1],
  ['ZCOUNT z inf inf', 0],
  ['ZCOUNT none 0 1', 0],
  ['ZCOUNT z x 1', '-ERR min or max is not a float'],
  ['ZCOUNT z 1 (x', '-ERR min or max is not a float'],
  ['ZCOUNT z nan 1', '-ERR min or max is not a float'],
  ['ZCOUNT z "" 2', 2],
  ['ZCOUNT z ( 2', 2],
  ['ZCOUNT z " 1" 2', 2],
  ['ZCOUNT z "1 " 2', '-ERR min or max is not a float'],
  ['ZCOUNT z 1e400 2', 0],
  ['ZCOUNT s 0 1', wrongType],
  ['ZCOUNT s x 1', '-ERR min or max is not a float'],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    read(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const cases3: Case = [
  ['ZSCORE z b', 2],
  ['ZSCORE z x', null],
  ['ZMSCORE z a x', [1, null]],
  ['ZRANK z b WITHSCORE', [1, 2]],
  ['ZRANK z x WITHSCORE', null],
  ['ZRANK z x', null],
  ['ZADD z INCR 0.1 a', 1.1],
  ['ZADD z XX INCR 1 x', null],
  ['ZINCRBY z inf a', Infinity],
];

for (const [line, reply] of cases3) {
  read(`${line} in RESP3`, () => {
    const context = new CallContext({ protocol: 3 });
    for (const each of setup) call(context, each);
    assert.equal(call(context, line), reply);
  });
}

read('agrees on ranks in a large sorted set', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 2000; nth += 1) call(context, ['ZADD', 'z', String(nth % 50), `m${nth}`]);
  const members = call(context, 'ZRANGE z 0 -1') as string[];
  for (const rank of [0, 1, 999, 1998, 1999]) {
    const member = members[rank] ?? '';
    assert.is(call(context, ['ZRANK', 'z', member]), rank);
    assert.is(call(context, ['ZREVRANK', 'z', member]), 1999 - rank);
  }
  assert.is(call(context, 'ZCOUNT z 10 19'), 400);
  assert.is(call(context, 'ZCOUNT z (10 (19'), 320);
});

read.run();
