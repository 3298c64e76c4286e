/** Unions, intersections and differences of sorted sets and plain sets. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const setOperations = suite('zset set operations');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** Sorted sets, a plain set, a string, and infinite scores. */
const setup = [
  'ZADD a 1 x 2 y 3 z',
  'ZADD b 10 y 20 z 30 w',
  'SADD p x w',
  'SET s x',
  'ZADD i inf x -inf y',
];

const cases: Case = [
  ['ZUNION 2 a b', ['x', 'y', 'z', 'w']],
  ['ZUNION 2 a b WITHSCORES', ['x', '1', 'y', '12', 'z', '23', 'w', '30']],
  ['ZUNION 2 a p WITHSCORES', ['w', '1', 'x', '2', 'y', '2', 'z', '3']],
  ['ZUNION 2 a none WITHSCORES', ['x', '1', 'y', '2', 'z', '3']],
  ['ZUNION 2 a a WITHSCORES', ['x', '2', 'y', '4', 'z', '6']],
  ['ZUNION 2 a b WEIGHTS 2 0.5 WITHSCORES', ['x', '2', 'y', '9', 'w', '15', 'z', '16']],
  ['ZUNION 2 a b AGGREGATE MIN WITHSCORES', ['x', '1', 'y', '2', 'z', '3', 'w', '30']],
  [
    'ZUNION 2 a b AGGREGATE max WITHSCORES WEIGHTS 1 -1',
    ['w', '-30', 'x', '1', 'y', '2', 'z', '3'],
  ],
  ['ZUNION 2 i i WEIGHTS 1 -1 WITHSCORES', ['x', '0', 'y', '0']],
  ['ZUNION 1 i WEIGHTS 0 WITHSCORES', ['x', '0', 'y', '0']],
  ['ZUNION 1 none', []],
  ['ZINTER 2 a b WITHSCORES', ['y', '12', 'z', '23']],
  ['ZINTER 2 a p WITHSCORES', ['x', '2']],
  ['ZINTER 3 a b p WITHSCORES', []],
  ['ZINTER 2 a b WEIGHTS 1 2 AGGREGATE MAX WITHSCORES', ['y', '20', 'z', '40']],
  ['ZINTER 2 a none', []],
  ['ZINTER 2 a a WITHSCORES', ['x', '2', 'y', '4', 'z', '6']],
  ['ZDIFF 2 a b WITHSCORES', ['x', '1']],
  ['ZDIFF 3 a b p', []],
  ['ZDIFF 2 a none WITHSCORES', ['x', '1', 'y', '2', 'z', '3']],
  ['ZDIFF 2 none a', []],
  ['ZDIFF 2 a a', []],
  ['ZUNION 0 a', "-ERR at least 1 input key is needed for 'zunion' command"],
  ['ZUNION x a', notInteger],
  ['ZUNION 3 a b', syntax],
  ['ZUNION 2 a s', wrongType],
  ['ZUNION 2 a b FOO', syntax],
  ['ZUNION 2 a b WEIGHTS 1', syntax],
  ['ZUNION 2 a b WEIGHTS 1 x', '-ERR weight value is not a float'],
  ['ZUNION 2 a b WEIGHTS 1 nan', '-ERR weight value is not a float'],
  ['ZUNION 2 a b AGGREGATE', syntax],
  ['ZUNION 2 a b AGGREGATE FOO', syntax],
  ['ZUNION 2 s b FOO', wrongType],
  ['ZDIFF 2 a b WEIGHTS 1 2', syntax],
  ['ZDIFF 2 a b AGGREGATE SUM', syntax],
  ['ZDIFF 0 a', "-ERR at least 1 input key is needed for 'zdiff' command"],
  ['ZINTER 0 a', "-ERR at least 1 input key is needed for 'zinter' command"],
  ['ZINTERCARD 2 a b', 2],
  ['ZINTERCARD 2 a b LIMIT 1', 1],
  ['ZINTERCARD 2 a b LIMIT 0', 2],
  ['ZINTERCARD 2 a none', 0],
  ['ZINTERCARD 2 a b LIMIT -1', "-ERR LIMIT can't be negative"],
  ['ZINTERCARD 2 a b LIMIT x', "-ERR LIMIT can't be negative"],
  ['ZINTERCARD 2 a b LIMIT', syntax],
  ['ZINTERCARD 2 a b WITHSCORES', syntax],
  ['ZINTERCARD 0 a', "-ERR at least 1 input key is needed for 'zintercard' command"],
  ['ZINTERCARD 2 a s', wrongType],
  ['ZUNIONSTORE d 2 a b', 4],
  ['ZUNIONSTORE a 2 a b WEIGHTS 2 3', 4],
  ['ZUNIONSTORE s 1 a', 3],
  ['ZUNIONSTORE d 1 none', 0],
  ['ZUNIONSTORE s 1 none', 0],
  ['ZUNIONSTORE d 2 a b WITHSCORES', syntax],
  ['ZUNIONSTORE d 0 a', "-ERR at least 1 input key is needed for 'zunionstore' command"],
  ['ZUNIONSTORE d 2 a s', wrongType],
  ['ZINTERSTORE d 2 a b', 2],
  ['ZINTERSTORE d 2 a none', 0],
  ['ZINTERSTORE d 0 a', "-ERR at least 1 input key is needed for 'zinterstore' command"],
  ['ZDIFFSTORE d 2 a b', 1],
  ['ZDIFFSTORE a 2 a a', 0],
  ['ZDIFFSTORE d 0 a', "-ERR at least 1 input key is needed for 'zdiffstore' command"],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    setOperations(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const stores: readonly (readonly [line: string, announced: readonly string[]])[] = [
  ['ZUNIONSTORE d 2 a b', ['~n new d', 'z zunionstore d']],
  ['ZINTERSTORE a 2 a b', ['~o overwritten a', 'z zinterstore a']],
  ['ZDIFFSTORE s 2 a b', ['~o overwritten s', '~c type_changed s', 'z zdiffstore s']],
  ['ZDIFFSTORE a 2 a a', ['g del a']],
  ['ZUNIONSTORE d 1 none', ['~m keymiss none']],
];

for (const [line, announced] of stores) {
  setOperations(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    const context = new CallContext();
    for (const each of setup) call(context, each);
    context.takeAnnounced();
    call(context, line);
    assert.equal(context.takeAnnounced(), announced);
  });
}

setOperations('subtracts alike, whether members are asked for or taken away', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 300; nth += 1) {
    call(context, ['ZADD', 'large', String(nth), `m${nth}`]);
    if (nth % 3 === 0) call(context, ['SADD', 'third', `m${nth}`]);
  }
  const expected = (call(context, 'ZRANGE large 0 -1') as string[]).filter((_, nth) => nth % 3 > 0);
  assert.equal(call(context, 'ZDIFF 2 large third'), expected);
  const many = ['third', 'third', 'third', 'third', 'none'];
  assert.equal(call(context, ['ZDIFF', '6', 'large', ...many]), expected);
});

setOperations.run();
