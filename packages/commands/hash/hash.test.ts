import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const hash = suite('hash');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const arity = (name: string): string => `-ERR wrong number of arguments for '${name}' command`;

/** On `h` = { a: 1, b: x, c: 2.5 } and a string `s`. */
const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['HSET h a 2 d 4', 1],
  ['HSET new a 1 a 2', 1],
  ['HSET h a', arity('hset')],
  ['HSET h a 1 b', arity('hset')],
  ['HSET s a 1', wrongType],
  ['HSET s a 1 b', arity('hset')],
  ['HMSET h a 2', 'OK'],
  ['HMSET h a 2 b', arity('hmset')],
  ['HMSET s a 2', wrongType],
  ['HSETNX h a 2', 0],
  ['HSETNX h n 2', 1],
  ['HSETNX s n 2', wrongType],
  ['HGET h a', '1'],
  ['HGET h n', null],
  ['HGET none a', null],
  ['HGET s a', wrongType],
  ['HMGET h a n c', ['1', null, '2.5']],
  ['HMGET none a b', [null, null]],
  ['HMGET s a', wrongType],
  ['HGETALL h', ['a', '1', 'b', 'x', 'c', '2.5']],
  ['HGETALL none', []],
  ['HGETALL s', wrongType],
  ['HKEYS h', ['a', 'b', 'c']],
  ['HKEYS s', wrongType],
  ['HVALS h', ['1', 'x', '2.5']],
  ['HVALS none', []],
  ['HLEN h', 3],
  ['HLEN none', 0],
  ['HLEN s', wrongType],
  ['HSTRLEN h c', 3],
  ['HSTRLEN h a', 1],
  ['HSTRLEN h n', 0],
  ['HSTRLEN s a', wrongType],
  ['HEXISTS h a', 1],
  ['HEXISTS h n', 0],
  ['HEXISTS s a', wrongType],
  ['HDEL h a n b', 2],
  ['HDEL none a', 0],
  ['HDEL s a', wrongType],
  ['HINCRBY h a 5', 6],
  ['HINCRBY h n -5', -5],
  ['HINCRBY h b 1', '-ERR hash value is not an integer'],
  ['HINCRBY h a x', notInteger],
  ['HINCRBY s a x', notInteger],
  ['HINCRBY s a 1', wrongType],
  ['HINCRBY h a 9223372036854775807', '-ERR increment or decrement would overflow'],
  ['HINCRBY h n 9223372036854775807', 9223372036854775807n],
  ['HINCRBYFLOAT h c 0.25', '2.75'],
  ['HINCRBYFLOAT h n 1e2', '100'],
  ['HINCRBYFLOAT h b 1', '-ERR hash value is not a float'],
  ['HINCRBYFLOAT h a x', '-ERR value is not a valid float'],
  ['HINCRBYFLOAT s a inf', '-ERR value is NaN or Infinity'],
  ['HINCRBYFLOAT s a 1', wrongType],
  ['HRANDFIELD none', null],
  ['HRANDFIELD none 5', []],
  ['HRANDFIELD h 0', []],
  ['HRANDFIELD h 10', ['a', 'b', 'c']],
  ['HRANDFIELD h 10 WITHVALUES', ['a', '1', 'b', 'x', 'c', '2.5']],
  ['HRANDFIELD h x', notInteger],
  ['HRANDFIELD h x WITH', notInteger],
  ['HRANDFIELD h 1 WITH', '-ERR syntax error'],
  ['HRANDFIELD h 1 WITHVALUES x', '-ERR syntax error'],
  ['HRANDFIELD s', wrongType],
  ['HRANDFIELD h -9223372036854770000 WITHVALUES', '-ERR value is out of range'],
  [
    'HRANDFIELD h -9223372036854775808',
    '-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
  ],
  ['HRANDFIELD h -100000001', '-ERR value is out of range'],
  ['HSCAN none 0', ['0', []]],
  ['HSCAN none 0 FOO', ['0', []]],
  ['HSCAN none x', '-ERR invalid cursor'],
  ['HSCAN s 0', wrongType],
  ['HSCAN h 0 COUNT 0', '-ERR syntax error'],
  ['HSCAN h 0 COUNT x', notInteger],
  ['HSCAN h 0 TYPE hash', '-ERR syntax error'],
];

for (const [line, reply] of cases) {
  for (const entries of [512, 1]) {
    hash(`${line} (packed up to ${entries})`, () => {
      const context = new CallContext({
        settings: { 'encoding.hash-max-listpack-entries': entries },
      });
      call(context, 'HSET h a 1 b x c 2.5');
      call(context, 'SET s v');
      assert.equal(call(context, line), reply);
    });
  }
}

/** A table scans in an order of its own. */
const packedScans: readonly (readonly [line: string, reply: unknown])[] = [
  ['HSCAN h 0', ['0', ['a', '1', 'b', 'x', 'c', '2.5']]],
  ['HSCAN h 0 NOVALUES', ['0', ['a', 'b', 'c']]],
  ['HSCAN h 0 MATCH [ab] COUNT 1', ['0', ['a', '1', 'b', 'x']]],
];

for (const [line, reply] of packedScans) {
  hash(line, () => {
    const context = new CallContext();
    call(context, 'HSET h a 1 b x c 2.5');
    assert.equal(call(context, line), reply);
  });
}

hash('answers maps and nested arrays in RESP3', () => {
  const context = new CallContext({ protocol: 3 });
  call(context, 'HSET h a 1');
  assert.equal(call(context, 'HGETALL h'), new Map([['a', '1']]));
  assert.equal(call(context, 'HGETALL none'), new Map());
  assert.equal(call(context, 'HRANDFIELD h 2 WITHVALUES'), [['a', '1']]);
  assert.equal(call(context, 'HRANDFIELD h -2 WITHVALUES'), [
    ['a', '1'],
    ['a', '1'],
  ]);
});

hash('announces what it does, once for each command', () => {
  const context = new CallContext();
  const steps: readonly (readonly [line: string, announced: readonly string[]])[] = [
    ['HSET h a 1 b 2', ['~n new h', 'h hset h']],
    ['HSETNX h a 1', []],
    ['HSETNX h c 1', ['h hset h']],
    ['HINCRBY h a 1', ['h hincrby h']],
    ['HINCRBYFLOAT h a 1', ['h hincrbyfloat h']],
    ['HDEL h x', []],
    ['HDEL h a', ['h hdel h']],
    ['HEXPIRE h 10 FIELDS 2 b x', ['h hexpire h']],
    ['HPERSIST h FIELDS 1 b', ['h hpersist h']],
    ['HPERSIST h FIELDS 1 b', []],
    ['HEXPIRE h 0 FIELDS 1 b', ['h hdel h']],
    ['HDEL h c', ['h hdel h', 'g del h']],
  ];
  for (const [line, announced] of steps) {
    call(context, line);
    assert.equal(context.takeAnnounced(), announced, line);
  }
  assert.is(context.keyspace.size, 0);
});

hash('changes its encoding at the limits, and never back', () => {
  const context = new CallContext({
    settings: { 'encoding.hash-max-listpack-entries': 2, 'encoding.hash-max-listpack-value': 5 },
  });
  const encodingAfter = (line: string): unknown => {
    call(context, 'DEL h');
    call(context, line);
    return call(context, 'OBJECT ENCODING h');
  };
  assert.is(encodingAfter('HSET h a 1 b 2'), 'listpack');
  assert.is(encodingAfter('HSET h a 1 b 2 c 3'), 'hashtable');
  assert.is(encodingAfter('HSET h a 1 a 2 a 3'), 'hashtable');
  assert.is(encodingAfter('HSET h a 12345'), 'listpack');
  assert.is(encodingAfter('HSET h a 123456'), 'hashtable');
  assert.is(encodingAfter('HSET h abcdef 1'), 'hashtable');
  call(context, 'HDEL h abcdef');
  assert.is(encodingAfter('HSETNX h a 123456'), 'hashtable');
  call(context, 'HSET h b 1');
  call(context, 'HDEL h a');
  assert.is(call(context, 'OBJECT ENCODING h'), 'hashtable');
});

hash('is copied, renamed and moved whole', () => {
  for (const entries of [512, 0]) {
    const context = new CallContext({
      settings: { 'encoding.hash-max-listpack-entries': entries },
    });
    call(context, 'HSET h a 1 b 2');
    call(context, 'HEXPIRE h 100 FIELDS 1 a');
    for (const line of ['COPY h copy', 'RENAME h named', 'MOVE named 1']) call(context, line);
    call(context, 'HSET copy a 3');
    assert.equal(call(context, 'HMGET copy a b'), ['3', '2']);
    context.database = 1;
    assert.equal(call(context, 'HMGET named a b'), ['1', '2']);
    assert.equal(call(context, 'HTTL named FIELDS 2 a b'), [100, -1]);
  }
});

hash('scans a large hash whole', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 3000; nth += 1) call(context, `HSET h f${nth} ${nth}`);
  const seen = new Set<string>();
  let cursor = '0';
  do {
    const [next, page] = call(context, `HSCAN h ${cursor} COUNT 7`) as [string, string[]];
    for (let index = 0; index < page.length; index += 2) {
      assert.is(page[index], `f${page[index + 1]}`);
      seen.add(page[index]!);
    }
    assert.ok(page.length < 100);
    cursor = next;
  } while (cursor !== '0');
  assert.is(seen.size, 3000);
});

hash('draws different fields for a positive count', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 1000; nth += 1) call(context, `HSET h f${nth} ${nth}`);
  for (const count of [1, 10, 500, 999, 1000, 2000]) {
    const fields = call(context, `HRANDFIELD h ${count}`) as string[];
    assert.is(new Set(fields).size, Math.min(count, 1000));
    assert.is(fields.length, Math.min(count, 1000));
  }
  assert.is((call(context, 'HRANDFIELD h -2000') as string[]).length, 2000);
  assert.match(call(context, 'HRANDFIELD h') as string, /^f\d+$/);
});

hash('tells its entries and its fingerprint', () => {
  const context = new CallContext();
  call(context, 'HSET h a 1');
  assert.match(call(context, 'DEBUG LISTPACK h') as string, /num entries 2/);
  const packed = call(context, 'DEBUG DIGEST-VALUE h');
  call(context, ['HSET', 'h', 'long', 'x'.repeat(100)]);
  call(context, 'HDEL h long');
  assert.is(call(context, 'DEBUG LISTPACK h'), '-ERR Not a listpack encoded object.');
  assert.equal(call(context, 'DEBUG DIGEST-VALUE h'), packed);
  assert.is(call(context, 'DEBUG LISTPACK none'), '-ERR no such key');
});

hash.run();
