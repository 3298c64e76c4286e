import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const set = suite('set');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const notPositive = '-ERR value is out of range, must be positive';

/** On `i` = { 1 2 3 }, `m` = { 2 3 a b }, and a string `s`. Replies without order are sorted. */
const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['SADD i 3 4 4', 1],
  ['SADD new a b', 2],
  ['SADD s a', wrongType],
  ['SADD i', "-ERR wrong number of arguments for 'sadd' command"],
  ['SREM i 1 9 2', 2],
  ['SREM m a', 1],
  ['SREM none a', 0],
  ['SREM s a', wrongType],
  ['SCARD i', 3],
  ['SCARD none', 0],
  ['SCARD s', wrongType],
  ['SISMEMBER i 2', 1],
  ['SISMEMBER i 02', 0],
  ['SISMEMBER m a', 1],
  ['SISMEMBER m c', 0],
  ['SISMEMBER none a', 0],
  ['SISMEMBER s a', wrongType],
  ['SMISMEMBER m a c 2', [1, 0, 1]],
  ['SMISMEMBER none a c', [0, 0]],
  ['SMISMEMBER s a', wrongType],
  ['SMEMBERS i', ['1', '2', '3']],
  ['SMEMBERS none', []],
  ['SMEMBERS s', wrongType],
  ['SMOVE i m 1', 1],
  ['SMOVE i m 9', 0],
  ['SMOVE i i 1', 1],
  ['SMOVE i new 1', 1],
  ['SMOVE none s a', 0],
  ['SMOVE i s 1', wrongType],
  ['SMOVE s i 1', wrongType],
  ['SPOP none', null],
  ['SPOP none 2', []],
  ['SPOP i 0', []],
  ['SPOP i 10', ['1', '2', '3']],
  ['SPOP i -1', notPositive],
  ['SPOP i x', notPositive],
  ['SPOP i 1 2', '-ERR syntax error'],
  ['SPOP s', wrongType],
  ['SPOP s x', notPositive],
  ['SRANDMEMBER none', null],
  ['SRANDMEMBER none 3', []],
  ['SRANDMEMBER i 0', []],
  ['SRANDMEMBER i 10', ['1', '2', '3']],
  ['SRANDMEMBER i x', notInteger],
  ['SRANDMEMBER i 1 2', '-ERR syntax error'],
  ['SRANDMEMBER s', wrongType],
  ['SRANDMEMBER i -100000001', '-ERR value is out of range'],
  ['SINTER i m', ['2', '3']],
  ['SINTER i', ['1', '2', '3']],
  ['SINTER i none', []],
  ['SINTER none s', wrongType],
  ['SINTER i i', ['1', '2', '3']],
  ['SUNION i m none', ['1', '2', '3', 'a', 'b']],
  ['SUNION none', []],
  ['SUNION i s', wrongType],
  ['SDIFF m i', ['a', 'b']],
  ['SDIFF m m', []],
  ['SDIFF m none', ['2', '3', 'a', 'b']],
  ['SDIFF none m', []],
  ['SDIFF m s', wrongType],
  ['SINTERSTORE d i m', 2],
  ['SINTERSTORE d i none', 0],
  ['SINTERSTORE s i m', 2],
  ['SINTERSTORE d i s', wrongType],
  ['SUNIONSTORE i i m', 5],
  ['SUNIONSTORE d none', 0],
  ['SDIFFSTORE m m i', 2],
  ['SDIFFSTORE m m m', 0],
  ['SINTERCARD 2 i m', 2],
  ['SINTERCARD 2 i m LIMIT 1', 1],
  ['SINTERCARD 2 i m LIMIT 0', 2],
  ['SINTERCARD 2 i none', 0],
  ['SINTERCARD 1 s', wrongType],
  ['SINTERCARD 0 i', '-ERR numkeys should be greater than 0'],
  ['SINTERCARD x i', '-ERR numkeys should be greater than 0'],
  ['SINTERCARD 2 i', "-ERR Number of keys can't be greater than number of args"],
  ['SINTERCARD 1 s LIMIT -1', "-ERR LIMIT can't be negative"],
  ['SINTERCARD 1 s LIMIT x', "-ERR LIMIT can't be negative"],
  ['SINTERCARD 1 i LIMIT', '-ERR syntax error'],
  ['SINTERCARD 1 i m', '-ERR syntax error'],
  ['SSCAN none x', '-ERR invalid cursor'],
  ['SSCAN none 0 FOO', ['0', []]],
  ['SSCAN s 0', wrongType],
  ['SSCAN m 0 COUNT 0', '-ERR syntax error'],
  ['SSCAN m 0 NOVALUES', '-ERR NOVALUES option can only be used in HSCAN'],
  ['SSCAN m 0 MATCH [ab] COUNT 100', ['0', ['a', 'b']]],
];

/** The encodings that Redis would use, and tables only. */
const forms = [
  {},
  { 'encoding.set-max-intset-entries': 0, 'encoding.set-max-listpack-entries': 0 },
];

function sorted(reply: unknown): unknown {
  if (!Array.isArray(reply) || !reply.every((item) => typeof item === 'string')) {
    return Array.isArray(reply) && reply.length === 2 && Array.isArray(reply[1])
      ? [reply[0], sorted(reply[1])]
      : reply;
  }
  return reply.toSorted();
}

for (const [nth, settings] of forms.entries()) {
  for (const [line, reply] of cases) {
    set(`${line} (form ${nth})`, () => {
      const context = new CallContext({ settings });
      for (const setup of ['SADD i 1 2 3', 'SADD m 2 3 a b', 'SET s v']) call(context, setup);
      assert.equal(sorted(call(context, line)), reply);
    });
  }
}

set('answers sets in RESP3', () => {
  const context = new CallContext({ protocol: 3 });
  call(context, 'SADD i 1 2');
  assert.equal(call(context, 'SMEMBERS i'), new Set(['1', '2']));
  assert.equal(call(context, 'SUNION i'), new Set(['1', '2']));
  assert.equal(call(context, 'SPOP none 1'), new Set());
  assert.equal(call(context, 'SRANDMEMBER i 5'), ['1', '2']);
  assert.equal(call(context, 'SPOP i 5'), new Set(['1', '2']));
});

set('announces what it does, once for each command', () => {
  const context = new CallContext();
  const steps: readonly (readonly [line: string, announced: readonly string[]])[] = [
    ['SADD a 1 2 3', ['~n new a', 's sadd a']],
    ['SADD a 1', []],
    ['SREM a 9', []],
    ['SREM a 1', ['s srem a']],
    ['SMOVE a b 2', ['s srem a', '~n new b', 's sadd b']],
    ['SMOVE a b 3', ['s srem a', 'g del a', 's sadd b']],
    ['SUNIONSTORE c b', ['~n new c', 's sunionstore c']],
    ['SINTERSTORE c b', ['~o overwritten c', 's sinterstore c']],
    ['SDIFFSTORE c b b', ['g del c']],
    ['SDIFFSTORE c b none', ['~n new c', 's sdiffstore c']],
    ['SPOP b', ['s spop b']],
    ['SPOP b 1', ['s spop b', 'g del b']],
    ['SPOP c 0', []],
  ];
  for (const [line, announced] of steps) {
    call(context, line);
    assert.equal(
      context.takeAnnounced().filter((each) => !each.includes('keymiss')),
      announced,
      line,
    );
  }
});

/** Encoding of a new set `k` after the lines, with at most 4 integers or 3 members of 5 bytes packed. */
const encodings: readonly (readonly [lines: readonly string[], encoding: string | null])[] = [
  [['SADD k 1 2 3 4'], 'intset'],
  [['SADD k 1 2 3 4 5'], 'hashtable'],
  [['SADD k 1 2', 'SADD k a'], 'listpack'],
  [['SADD k 1 2 3', 'SADD k a'], 'hashtable'],
  [['SADD k 123456', 'SADD k a'], 'hashtable'],
  [['SADD k a 1'], 'listpack'],
  [['SADD k a b c d'], 'hashtable'],
  [['SADD k a', 'SADD k abcdef'], 'hashtable'],
  [['SADD k a b', 'SREM k a b'], null],
  [['SADD k a 1', 'SREM k a'], 'listpack'],
  [['SADD i 1 2', 'SADD j 2 a', 'SINTERSTORE k i j'], 'intset'],
  [['SADD i 2 b', 'SADD j 2 a', 'SINTERSTORE k i j'], 'intset'],
  [['SADD i 1 2', 'SADD j 2 a', 'SUNIONSTORE k i j'], 'listpack'],
  [['SADD i 1 2 3', 'SADD j 4 5', 'SUNIONSTORE k i j'], 'hashtable'],
  [['SADD i 1 2 3', 'SADD j a', 'SUNIONSTORE k i j'], 'hashtable'],
  [['SADD i 1 2 a', 'SADD j a', 'SDIFFSTORE k i j'], 'intset'],
];

for (const [lines, encoding] of encodings) {
  set(`${lines.join(', ')} makes it ${encoding ?? 'nothing'}`, () => {
    const context = new CallContext({
      settings: {
        'encoding.set-max-intset-entries': 4,
        'encoding.set-max-listpack-entries': 3,
        'encoding.set-max-listpack-value': 5,
      },
    });
    for (const line of lines) call(context, line);
    assert.is(call(context, 'OBJECT ENCODING k'), encoding);
  });
}

set('a difference stays as it was kept on the way, if members were taken out again', () => {
  const context = new CallContext();
  for (const line of ['SADD a text 0 1 2', 'SADD b text', 'SADD c other']) call(context, line);
  // With one other set each member is asked for, and only what stays is added.
  call(context, 'SDIFFSTORE d a b');
  assert.is(call(context, 'OBJECT ENCODING d'), 'intset');
  call(context, 'SDIFFSTORE d a b c c c');
  assert.is(call(context, 'SCARD d'), 3);
  assert.is(call(context, 'OBJECT ENCODING d'), 'listpack');
});

set('combines large sets of all kinds', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 3000; nth += 1) {
    if (nth % 2 === 0) call(context, `SADD even ${nth}`);
    if (nth % 3 === 0) call(context, `SADD third ${nth}`);
    call(context, `SADD all ${nth} text${nth}`);
  }
  assert.is(call(context, 'SINTERSTORE d even third all'), 500);
  assert.is(call(context, 'OBJECT ENCODING d'), 'intset');
  assert.is(call(context, 'SUNIONSTORE d even third'), 2000);
  assert.is(call(context, 'SDIFFSTORE d all even third'), 4000);
  assert.is(call(context, 'SDIFFSTORE d even all third all'), 0);
  assert.is(call(context, 'EXISTS d'), 0);
  assert.is(call(context, 'SINTERCARD 2 even third LIMIT 7'), 7);
});

set('pops and draws each member once', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 1000; nth += 1) call(context, `SADD k m${nth}`);
  for (const count of [1, 100, 700, 999]) {
    const drawn = call(context, `SRANDMEMBER k ${count}`) as string[];
    assert.is(new Set(drawn).size, count);
  }
  assert.is((call(context, 'SRANDMEMBER k -1500') as string[]).length, 1500);
  const popped = new Set<string>();
  for (const count of [10, 300, 600, 50]) {
    for (const member of call(context, `SPOP k ${count}`) as string[]) popped.add(member);
  }
  assert.is(popped.size, 960);
  assert.is(call(context, 'SCARD k'), 40);
  for (const member of call(context, 'SMEMBERS k') as string[]) assert.not.ok(popped.has(member));
});

set('scans a large set whole while it changes', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 2000; nth += 1) call(context, `SADD k m${nth}`);
  const seen = new Set<string>();
  let cursor = '0';
  let extra = 0;
  do {
    const [next, page] = call(context, `SSCAN k ${cursor} COUNT 20`) as [string, string[]];
    for (const member of page) seen.add(member);
    cursor = next;
    for (let nth = 0; nth < 50; nth += 1) {
      call(context, `SADD k extra${extra}`);
      extra += 1;
    }
  } while (cursor !== '0');
  for (let nth = 0; nth < 2000; nth += 1) assert.ok(seen.has(`m${nth}`));
});

set('logs however many members were popped', () => {
  const context = new CallContext();
  const members = Array.from({ length: 200_000 }, (_, nth) => `m${nth}`);
  call(context, ['SADD', 'k', ...members]);
  context.isLogged = true;
  assert.is((call(context, 'SPOP k 199999') as string[]).length, 199_999);
  assert.is(context.logged[0]?.length, 200_001);
});

set.run();
