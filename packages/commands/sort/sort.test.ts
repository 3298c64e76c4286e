/** SORT in one shard: orders, options, patterns, and what is stored. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const sorting = suite('SORT');

function filled(): CallContext {
  const context = new CallContext();
  const lines = [
    'RPUSH l 3 1 20 -2',
    'RPUSH words pear Apple fig',
    'RPUSH nan 1 x',
    'SADD s b a c',
    'ZADD z 3 one 2 two 1 three',
    'MSET w_3 1 w_1 2 w_20 0 w_-2 9 d_1 uno d_3 tres text v',
    'HSET h_1 f eins',
    'HSET h_20 f zwanzig',
  ];
  for (const line of lines) call(context, line);
  return context;
}

const syntax = '-ERR syntax error';
const integer = '-ERR value is not an integer or out of range';
const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notNumbers = "-ERR One or more scores can't be converted into double";

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['SORT l', ['-2', '1', '3', '20']],
  ['SORT l DESC', ['20', '3', '1', '-2']],
  ['SORT l DESC ASC', ['-2', '1', '3', '20']],
  ['SORT l ALPHA', ['-2', '1', '20', '3']],
  ['SORT l LIMIT 1 2', ['1', '3']],
  ['SORT l LIMIT -5 2', ['-2', '1']],
  ['SORT l LIMIT 2 -1', ['3', '20']],
  ['SORT l LIMIT 9 1', []],
  ['SORT l LIMIT 0 0', []],
  ['SORT words ALPHA', ['Apple', 'fig', 'pear']],
  ['SORT words ALPHA DESC', ['pear', 'fig', 'Apple']],
  ['SORT words', notNumbers],
  ['SORT nan', notNumbers],
  ['SORT nan BY nosort', ['1', 'x']],
  ['SORT s ALPHA', ['a', 'b', 'c']],
  ['SORT z ALPHA', ['one', 'three', 'two']],
  ['SORT z BY nosort', ['three', 'two', 'one']],
  ['SORT z BY nosort DESC LIMIT 0 2', ['one', 'two']],
  ['SORT l BY w_*', ['20', '3', '1', '-2']],
  ['SORT l BY w_* DESC LIMIT 0 1', ['-2']],
  ['SORT l BY none_*', ['-2', '1', '20', '3']],
  ['SORT l BY nosort', ['3', '1', '20', '-2']],
  ['SORT l BY nosort BY w_*', ['3', '1', '20', '-2']],
  ['SORT l BY nosort DESC', ['-2', '20', '1', '3']],
  ['SORT l GET #', ['-2', '1', '3', '20']],
  ['SORT l GET d_*', [null, 'uno', 'tres', null]],
  ['SORT l GET d_* GET #', [null, '-2', 'uno', '1', 'tres', '3', null, '20']],
  ['SORT l GET h_*->f', [null, 'eins', null, 'zwanzig']],
  ['SORT l GET h_*->none', [null, null, null, null]],
  ['SORT l GET h_*', [null, null, null, null]],
  ['SORT l GET d_*->f', [null, null, null, null]],
  ['SORT l GET text', [null, null, null, null]],
  ['SORT nokey', []],
  ['SORT nokey STORE text', 0],
  ['SORT text', wrongType],
  ['SORT l STORE', syntax],
  ['SORT l BY', syntax],
  ['SORT l GET', syntax],
  ['SORT l LIMIT 1', syntax],
  ['SORT l LIMIT 1 x', integer],
  ['SORT l UPWARDS', syntax],
  ['SORT text UPWARDS', syntax],
  ['SORT_RO l', ['-2', '1', '3', '20']],
  ['SORT_RO l BY w_* GET d_*', [null, 'tres', 'uno', null]],
  ['SORT_RO l STORE x', syntax],
];

for (const [line, reply] of cases) {
  sorting(line, () => assert.equal(call(filled(), line), reply));
}

const stored: readonly (readonly [line: string, list: readonly string[]])[] = [
  ['SORT l STORE out', ['-2', '1', '3', '20']],
  ['SORT l STORE l', ['-2', '1', '3', '20']],
  ['SORT l GET d_* STORE text', ['', 'uno', 'tres', '']],
  ['SORT s BY nosort STORE out', ['a', 'b', 'c']],
  ['SORT l LIMIT 0 1 STORE none STORE out', ['-2']],
];
for (const [line, list] of stored) {
  sorting(line, () => {
    const context = filled();
    const target = line.split(' ').at(-1) ?? '';
    assert.is(call(context, line), list.length);
    assert.equal(call(context, `LRANGE ${target} 0 -1`), list);
    if (target !== 'none') assert.is(call(context, 'EXISTS none'), 0);
    assert.ok(context.announced.includes(`l sortstore ${target}`));
  });
}

sorting('numbers are read as C reads them', () => {
  const context = new CallContext();
  for (const [text, order] of [
    ['0x10', ['10', '0x10']],
    ['" 5"', [' 5', '10']],
    ['""', ['', '10']],
    ['1e1', ['10', '1e1']],
    ['inf', ['10', 'inf']],
  ] as const) {
    call(context, 'DEL n');
    call(context, `RPUSH n ${text} 10`);
    const sorted = call(context, 'SORT n') as string[];
    // Equal numbers are ordered by their bytes.
    assert.equal(sorted, text === '1e1' ? ['10', '1e1'] : order);
  }
  for (const bad of ['5x', 'nan', '" "', '1e999']) {
    call(context, 'DEL n');
    call(context, `RPUSH n ${bad}`);
    assert.is(call(context, 'SORT n'), notNumbers, bad);
  }
});

sorting('a field of a hash that has ended is not there', () => {
  const context = filled();
  call(context, 'HPEXPIRE h_1 10 FIELDS 1 f');
  context.nowMs += 11;
  assert.equal(call(context, 'SORT l GET h_*->f'), [null, null, null, 'zwanzig']);
});

sorting('a part of a long list is what it is in the whole', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 500; nth += 1) {
    const element = String((nth * 7919) % 251);
    call(context, `RPUSH long ${element}`);
    if (nth % 3 > 0) call(context, `SET rank_${element} text-${String((nth * 31) % 17)}`);
  }
  for (const order of ['', 'ALPHA', 'DESC', 'ALPHA DESC', 'BY rank_* ALPHA', 'BY none_*']) {
    const whole = call(context, `SORT long ${order}`) as string[];
    assert.is(whole.length, 500);
    for (const [first, count] of [
      [0, 10],
      [20, 30],
      [250, 100],
      [490, 20],
    ] as const) {
      const part = call(context, `SORT long ${order} LIMIT ${String(first)} ${String(count)}`);
      assert.equal(part, whole.slice(first, first + count), `${order} from ${String(first)}`);
    }
  }
});

sorting.run();
