/** ZADD and ZINCRBY: every option, every error, and what they announce. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const add = suite('zadd');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const syntax = '-ERR syntax error';
const notFloat = '-ERR value is not a valid float';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A sorted set, a string and a plain set. */
const setup = ['ZADD z 1 a 2 b 3 c', 'SET s x', 'SADD p a z'];

const cases: Case = [
  ['ZADD z 4 d', 1],
  ['ZADD z 4 a 5 e', 1],
  ['ZADD z 1 a', 0],
  ['ZADD z NX 9 a 9 d', 1],
  ['ZADD z XX 9 a 9 d', 0],
  ['ZADD z CH 9 a 9 d 2 b', 2],
  ['ZADD z GT 0 a 5 b 5 d', 1],
  ['ZADD z LT CH 0 a 5 b 5 d', 2],
  ['ZADD z xx gt ch 5 a 0 b', 1],
  ['ZADD z INCR 5 a', '6'],
  ['ZADD z NX INCR 5 a', null],
  ['ZADD z XX INCR 5 d', null],
  ['ZADD z GT INCR -5 a', null],
  ['ZADD z INCR 0 a', '1'],
  ['ZADD z INCR 2.5 d', '2.5'],
  ['ZADD none XX 1 a', 0],
  ['ZADD none XX INCR 1 a', null],
  ['ZADD none INCR 1.5 a', '1.5'],
  ['ZADD none inf a -inf b +inf c', 3],
  ['ZADD none -0 a', 1],
  ['ZADD none 0x10 a', 1],
  ['ZADD z', "-ERR wrong number of arguments for 'zadd' command"],
  ['ZADD z 1', "-ERR wrong number of arguments for 'zadd' command"],
  ['ZADD z NX XX', syntax],
  ['ZADD z 1 a 2', syntax],
  ['ZADD z NX XX 1 a', '-ERR XX and NX options at the same time are not compatible'],
  ['ZADD z NX GT 1 a', '-ERR GT, LT, and/or NX options at the same time are not compatible'],
  ['ZADD z NX LT 1 a', '-ERR GT, LT, and/or NX options at the same time are not compatible'],
  ['ZADD z GT LT 1 a', '-ERR GT, LT, and/or NX options at the same time are not compatible'],
  ['ZADD z INCR 1 a 2 b', '-ERR INCR option supports a single increment-element pair'],
  ['ZADD z x a', notFloat],
  ['ZADD z 1 a x b', notFloat],
  ['ZADD z nan a', notFloat],
  ['ZADD z 1e400 a', notFloat],
  ['ZADD z 1e-400 a', notFloat],
  ['ZADD z "" a', notFloat],
  ['ZADD z " 1" a', notFloat],
  ['ZADD s 1 a', wrongType],
  ['ZADD s x a', notFloat],
  ['ZADD p 1 a', wrongType],
  ['ZINCRBY z 2 a', '3'],
  ['ZINCRBY z -0.5 new', '-0.5'],
  ['ZINCRBY none 1e17 a', '100000000000000000'],
  ['ZINCRBY z x a', notFloat],
  ['ZINCRBY z nx a', '-ERR syntax error'],
  ['ZINCRBY z XX GT', '-ERR syntax error'],
  ['ZINCRBY z nan a', notFloat],
  ['ZINCRBY s 1 a', wrongType],
  ['ZINCRBY z 1', "-ERR wrong number of arguments for 'zincrby' command"],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    add(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const changes: readonly (readonly [
  line: string,
  announced: readonly string[],
  members: readonly string[],
])[] = [
  ['ZADD new 1 a', ['~n new new', 'z zadd new'], ['a', '1']],
  ['ZADD new XX 1 a', [], []],
  ['ZADD z 1 a', [], ['a', '1', 'b', '2', 'c', '3']],
  ['ZADD z 5 a', ['z zadd z'], ['b', '2', 'c', '3', 'a', '5']],
  ['ZADD z INCR 1 a', ['z zincr z'], ['a', '2', 'b', '2', 'c', '3']],
  ['ZADD z NX INCR 1 a', [], ['a', '1', 'b', '2', 'c', '3']],
  ['ZINCRBY z 0 a', [], ['a', '1', 'b', '2', 'c', '3']],
  ['ZINCRBY z 4 a', ['z zincr z'], ['b', '2', 'c', '3', 'a', '5']],
  ['ZADD z 9 a x b', [], ['a', '1', 'b', '2', 'c', '3']],
];

for (const [line, announced, members] of changes) {
  add(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    const context = new CallContext();
    for (const each of setup) call(context, each);
    context.takeAnnounced();
    call(context, line);
    assert.equal(context.takeAnnounced(), announced);
    const key = line.split(' ')[1] ?? '';
    assert.equal(call(context, ['ZRANGE', key, '0', '-1', 'WITHSCORES']), members);
  });
}

add('an increment that ends nowhere changes nothing', () => {
  const context = new CallContext();
  call(context, 'ZADD z inf a');
  for (const line of ['ZINCRBY z -inf a', 'ZADD z INCR -inf a']) {
    assert.is(call(context, line), '-ERR resulting score is not a number (NaN)');
  }
  assert.is(call(context, 'ZSCORE z a'), 'inf');
});

const long = 'x'.repeat(65);

const encodings: readonly (readonly [lines: readonly string[], encoding: string])[] = [
  [['ZADD z 1 a'], 'listpack'],
  [['ZADD z 1 a 2 b 3 c 4 d'], 'listpack'],
  [['ZADD z 1 a 2 b 3 c 4 d 5 e'], 'skiplist'],
  [['ZADD z 1 a 1 a 1 a 1 a 1 a'], 'skiplist'],
  [['ZADD z 1 a', 'ZADD z 1 a 1 a 1 a 1 a 1 a'], 'skiplist'],
  [['ZADD z 1 a 2 b 3 c 4 d', 'ZADD z 9 d'], 'listpack'],
  [['ZADD z 1 a 2 b 3 c 4 d', 'ZADD z 9 e'], 'skiplist'],
  [[`ZADD z 1 ${'x'.repeat(64)}`], 'listpack'],
  [[`ZADD z 1 ${long}`], 'skiplist'],
  [[`ZADD z 1 a 2 ${long}`], 'skiplist'],
  [['ZADD z 1 a 2 b 3 c 4 d 5 e', 'ZREM z a b c d'], 'skiplist'],
  [['ZADD y 1 a 2 b 3 c 4 d 5 e', 'ZRANGESTORE z y 0 3'], 'listpack'],
  [['ZADD y 1 a 2 b 3 c 4 d 5 e', 'ZRANGESTORE z y 0 -1'], 'skiplist'],
  [[`ZADD y 1 ${long}`, 'ZUNIONSTORE z 1 y'], 'skiplist'],
  [['ZADD y 1 a 2 b 3 c 4 d 5 e', 'COPY y z'], 'skiplist'],
  [['ZADD y 1 a', 'RENAME y z'], 'listpack'],
];

for (const [lines, encoding] of encodings) {
  add(`${lines.at(-1)?.slice(0, 40) ?? ''} makes it a ${encoding}`, () => {
    const context = new CallContext({ settings: { 'encoding.zset-max-listpack-entries': 4 } });
    for (const line of lines) call(context, line);
    assert.is(call(context, 'OBJECT ENCODING z'), encoding);
  });
}

const scores: readonly (readonly [given: string, packed: string, ranked?: string])[] = [
  ['1e17', '100000000000000000'],
  ['1e21', '1e+21'],
  ['-0', '0', '-0'],
  ['3.0', '3'],
  ['0.1', '0.1'],
  ['1e-7', '1e-7'],
  ['4611686018427387905', '4611686018427387904'],
  ['9007199254740993', '9007199254740992'],
  ['-inf', '-inf'],
  ['0.1428571428571428571', '0.14285714285714285'],
];

for (const [given, packed, inTable = packed] of scores) {
  add(`a score of ${given} is answered as ${packed}`, () => {
    const context = new CallContext({ settings: { 'encoding.zset-max-listpack-entries': 1 } });
    call(context, ['ZADD', 'z', given, 'a']);
    assert.is(call(context, 'ZSCORE z a'), packed);
    call(context, ['ZADD', 'y', given, 'a', '1', 'b']);
    assert.is(call(context, 'ZSCORE y a'), inTable);
  });
}

add('keeps any bytes', () => {
  const context = new CallContext();
  for (const entries of ['x', 'y']) {
    call(context, ['ZADD', entries, '1', '\0', '1', '', '1', '\xff\r\n', '1', '\xff']);
    assert.equal(call(context, ['ZRANGE', entries, '0', '-1']), ['', '\0', '\xff', '\xff\r\n']);
    call(context, ['ZADD', entries, '1', 'y'.repeat(65)]);
    assert.is(call(context, ['ZSCORE', entries, '\xff\r\n']), '1');
  }
});

add.run();
