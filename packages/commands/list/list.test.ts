/** Lists: every command, every error, as a listpack and as a quicklist of small nodes. */
import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const list = suite('list');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** A list and a string. */
const setup = ['RPUSH l a b c b d', 'SET s x'];

const cases: Case = [
  ['LPUSH l x y', 7],
  ['RPUSH l x y', 7],
  ['LPUSH none x y', 2],
  ['LPUSH s x', wrongType],
  ['LPUSH l', "-ERR wrong number of arguments for 'lpush' command"],
  ['LPUSHX l x', 6],
  ['LPUSHX none x', 0],
  ['RPUSHX l x y', 7],
  ['RPUSHX none x', 0],
  ['RPUSHX s x', wrongType],
  ['LPOP l', 'a'],
  ['RPOP l', 'd'],
  ['LPOP l 2', ['a', 'b']],
  ['RPOP l 2', ['d', 'b']],
  ['LPOP l 9', ['a', 'b', 'c', 'b', 'd']],
  ['LPOP l 0', []],
  ['RPOP l -1', '-ERR value is out of range, must be positive'],
  ['LPOP l x', '-ERR value is out of range, must be positive'],
  ['LPOP l 1 2', "-ERR wrong number of arguments for 'lpop' command"],
  ['RPOP l 1 2', "-ERR wrong number of arguments for 'rpop' command"],
  ['LPOP none', null],
  ['LPOP none 1', null],
  ['RPOP none -1', '-ERR value is out of range, must be positive'],
  ['LPOP s', wrongType],
  ['LPOP s x', '-ERR value is out of range, must be positive'],
  ['LMPOP 1 l LEFT', ['l', ['a']]],
  ['LMPOP 2 none l right COUNT 2', ['l', ['d', 'b']]],
  ['LMPOP 1 l LEFT COUNT 9', ['l', ['a', 'b', 'c', 'b', 'd']]],
  ['LMPOP 2 none none2 LEFT', null],
  ['LMPOP 2 none s LEFT', wrongType],
  ['LMPOP 0 l LEFT', '-ERR numkeys should be greater than 0'],
  ['LMPOP x l LEFT', '-ERR numkeys should be greater than 0'],
  ['LMPOP 2 l LEFT', syntax],
  ['LMPOP 1 l FOO', syntax],
  ['LMPOP 1 l LEFT COUNT 0', '-ERR count should be greater than 0'],
  ['LMPOP 1 l LEFT COUNT x', '-ERR count should be greater than 0'],
  ['LMPOP 1 l LEFT COUNT', syntax],
  ['LMPOP 1 l LEFT COUNT 1 COUNT 1', syntax],
  ['LLEN l', 5],
  ['LLEN none', 0],
  ['LLEN s', wrongType],
  ['LINDEX l 0', 'a'],
  ['LINDEX l -1', 'd'],
  ['LINDEX l 5', null],
  ['LINDEX l -6', null],
  ['LINDEX l x', notInteger],
  ['LINDEX none x', null],
  ['LINDEX s 0', wrongType],
  ['LRANGE l 0 -1', ['a', 'b', 'c', 'b', 'd']],
  ['LRANGE l 1 2', ['b', 'c']],
  ['LRANGE l -2 9', ['b', 'd']],
  ['LRANGE l -9 0', ['a']],
  ['LRANGE l 3 1', []],
  ['LRANGE l 5 9', []],
  ['LRANGE none 0 -1', []],
  ['LRANGE l x 1', notInteger],
  ['LRANGE l 0 x', notInteger],
  ['LRANGE s x 1', notInteger],
  ['LRANGE s 0 1', wrongType],
  ['LSET l 0 x', 'OK'],
  ['LSET l -1 x', 'OK'],
  ['LSET l 5 x', '-ERR index out of range'],
  ['LSET l x x', notInteger],
  ['LSET none x x', '-ERR no such key'],
  ['LSET s 0 x', wrongType],
  ['LINSERT l BEFORE b x', 6],
  ['LINSERT l after b x', 6],
  ['LINSERT l AFTER d x', 6],
  ['LINSERT l BEFORE q x', -1],
  ['LINSERT none BEFORE b x', 0],
  ['LINSERT l FOO b x', syntax],
  ['LINSERT s BEFORE b x', wrongType],
  ['LINSERT s FOO b x', syntax],
  ['LREM l 0 b', 2],
  ['LREM l 1 b', 1],
  ['LREM l -1 b', 1],
  ['LREM l 9 q', 0],
  ['LREM none 0 b', 0],
  ['LREM l x b', notInteger],
  [
    'LREM l -9223372036854775808 b',
    '-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
  ],
  ['LREM s 0 b', wrongType],
  ['LTRIM l 1 2', 'OK'],
  ['LTRIM l 0 -1', 'OK'],
  ['LTRIM l 9 10', 'OK'],
  ['LTRIM l -2 -1', 'OK'],
  ['LTRIM none 0 1', 'OK'],
  ['LTRIM l x 1', notInteger],
  ['LTRIM s 0 1', wrongType],
  ['LPOS l b', 1],
  ['LPOS l q', null],
  ['LPOS none b', null],
  ['LPOS none b COUNT 1', []],
  ['LPOS l b RANK 2', 3],
  ['LPOS l b RANK -1', 3],
  ['LPOS l b RANK 3', null],
  ['LPOS l b COUNT 0', [1, 3]],
  ['LPOS l b COUNT 1', [1]],
  ['LPOS l b COUNT 0 RANK -1', [3, 1]],
  ['LPOS l b COUNT 0 RANK 2', [3]],
  ['LPOS l b MAXLEN 1', null],
  ['LPOS l b MAXLEN 2', 1],
  ['LPOS l b COUNT 0 MAXLEN 3', [1]],
  ['LPOS l q COUNT 0', []],
  [
    'LPOS l b RANK 0',
    "-ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
  ],
  [
    'LPOS l b RANK -9223372036854775808',
    '-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
  ],
  ['LPOS l b RANK x', notInteger],
  ['LPOS l b COUNT -1', "-ERR COUNT can't be negative"],
  ['LPOS l b COUNT x', "-ERR COUNT can't be negative"],
  ['LPOS l b MAXLEN -1', "-ERR MAXLEN can't be negative"],
  ['LPOS l b FOO', syntax],
  ['LPOS l b RANK', syntax],
  ['LPOS s b', wrongType],
  ['LPOS s b FOO', syntax],
  ['LMOVE l other LEFT RIGHT', 'a'],
  ['LMOVE l l LEFT RIGHT', 'a'],
  ['LMOVE l l RIGHT LEFT', 'd'],
  ['LMOVE none l LEFT LEFT', null],
  ['LMOVE l s LEFT LEFT', wrongType],
  ['LMOVE s l LEFT LEFT', wrongType],
  ['LMOVE none s LEFT LEFT', null],
  ['LMOVE l other FOO LEFT', syntax],
  ['LMOVE l other LEFT FOO', syntax],
  ['RPOPLPUSH l other', 'd'],
  ['RPOPLPUSH l l', 'd'],
  ['RPOPLPUSH none l', null],
  ['RPOPLPUSH s l', wrongType],
  ['RPOPLPUSH l s', wrongType],
];

for (const size of [-2, 2, 1]) {
  for (const [line, reply] of cases) {
    list(`${line}, at a size of ${size}`, () => {
      const context = new CallContext({ settings: { 'encoding.list-max-listpack-size': size } });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const changes: readonly (readonly [
  line: string,
  announced: readonly string[],
  after: readonly string[],
])[] = [
  ['LPUSH l x y', ['l lpush l'], ['y', 'x', 'a', 'b', 'c', 'b', 'd']],
  ['RPUSHX l x y', ['l rpush l'], ['a', 'b', 'c', 'b', 'd', 'x', 'y']],
  ['LPOP l', ['l lpop l'], ['b', 'c', 'b', 'd']],
  ['RPOP l 2', ['l rpop l'], ['a', 'b', 'c']],
  ['RPOP l 9', ['l rpop l', 'g del l'], []],
  ['LPOP l 0', [], ['a', 'b', 'c', 'b', 'd']],
  ['LMPOP 2 none l LEFT COUNT 9', ['l lpop l', 'g del l'], []],
  ['LSET l -2 x', ['l lset l'], ['a', 'b', 'c', 'x', 'd']],
  ['LINSERT l BEFORE b x', ['l linsert l'], ['a', 'x', 'b', 'c', 'b', 'd']],
  ['LINSERT l AFTER b x', ['l linsert l'], ['a', 'b', 'x', 'c', 'b', 'd']],
  ['LINSERT l AFTER q x', [], ['a', 'b', 'c', 'b', 'd']],
  ['LREM l 0 b', ['l lrem l'], ['a', 'c', 'd']],
  ['LREM l -1 b', ['l lrem l'], ['a', 'b', 'c', 'd']],
  ['LREM l 0 q', [], ['a', 'b', 'c', 'b', 'd']],
  ['LTRIM l 1 -2', ['l ltrim l'], ['b', 'c', 'b']],
  ['LTRIM l 0 -1', ['l ltrim l'], ['a', 'b', 'c', 'b', 'd']],
  ['LTRIM l 5 6', ['l ltrim l', 'g del l'], []],
  ['LMOVE l l LEFT RIGHT', ['l rpush l', 'l lpop l'], ['b', 'c', 'b', 'd', 'a']],
  ['LMOVE l new RIGHT LEFT', ['~n new new', 'l lpush new', 'l rpop l'], ['a', 'b', 'c', 'b']],
  ['RPOPLPUSH one l', ['l lpush l', 'l rpop one', 'g del one'], ['1', 'a', 'b', 'c', 'b', 'd']],
  ['RPOPLPUSH one one', ['l lpush one', 'l rpop one'], ['a', 'b', 'c', 'b', 'd']],
];

for (const [line, announced, after] of changes) {
  list(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    for (const size of [-2, 2]) {
      const context = new CallContext({ settings: { 'encoding.list-max-listpack-size': size } });
      for (const each of [...setup, 'RPUSH one 1']) call(context, each);
      context.takeAnnounced();
      call(context, line);
      assert.equal(context.takeAnnounced(), announced);
      assert.equal(call(context, 'LRANGE l 0 -1'), after);
    }
  });
}

const x = (count: number): string => 'x'.repeat(count);

const encodings: readonly (readonly [size: number, lines: readonly string[], encoding: string])[] =
  [
    [4, ['RPUSH l a b c d'], 'listpack'],
    [4, ['RPUSH l a b c d e'], 'quicklist'],
    [4, ['RPUSH l a b c d', 'LINSERT l BEFORE a x'], 'quicklist'],
    [4, ['RPUSH l a b c d', 'LINSERT l BEFORE q x'], 'quicklist'],
    [4, ['RPUSH l a b c d', 'LSET l 9 x'], 'quicklist'],
    [4, ['RPUSH l a b c d', 'LSET l 0 x'], 'quicklist'],
    [4, ['RPUSH l a b c', 'LSET l 0 x'], 'listpack'],
    [4, ['RPUSH l a b c d e', 'RPOP l'], 'quicklist'],
    [4, ['RPUSH l a b c d e', 'RPOP l', 'RPOP l'], 'quicklist'],
    [4, ['RPUSH l a b c d e', 'RPOP l 3'], 'listpack'],
    [4, ['RPUSH l a b c d e', 'LPOP l 3'], 'quicklist'],
    [4, ['RPUSH l a b c d e', 'LTRIM l 0 1'], 'listpack'],
    [4, ['RPUSH l a b c d e', 'LREM l 1 e', 'LREM l 1 d', 'LREM l 1 c'], 'listpack'],
    [0, ['RPUSH l a'], 'listpack'],
    [0, ['RPUSH l a b', 'RPOP l'], 'quicklist'],
    [-1, [`RPUSH l ${x(4000)}`, `RPUSH l ${x(80)}`], 'listpack'],
    [-1, [`RPUSH l ${x(4000)}`, `RPUSH l ${x(87)}`], 'quicklist'],
    [-1, [`RPUSH l ${x(5000)} a`, 'LPOP l'], 'listpack'],
    [-9, [`RPUSH l ${x(60000)}`], 'listpack'],
    [100, [`RPUSH l ${x(9000)}`], 'quicklist'],
    [4, ['RPUSH y a b c d e', 'COPY y l'], 'quicklist'],
  ];

for (const [size, lines, encoding] of encodings) {
  list(`${lines.join(', ').slice(0, 60)} makes it a ${encoding} at ${size}`, () => {
    const context = new CallContext({ settings: { 'encoding.list-max-listpack-size': size } });
    for (const line of lines) call(context, line);
    assert.is(call(context, 'OBJECT ENCODING l'), encoding);
  });
}

list('keeps any bytes', () => {
  const context = new CallContext({ settings: { 'encoding.list-max-listpack-size': 3 } });
  const elements = ['', '\0', '\r\n', '9223372036854775807', '-1', '007', '\xff'];
  call(context, ['RPUSH', 'l', ...elements]);
  assert.equal(call(context, 'LRANGE l 0 -1'), elements);
  for (const [index, element] of elements.entries()) {
    assert.is(call(context, ['LPOS', 'l', element]), index);
  }
});

list('elements above the threshold get nodes of their own', () => {
  const context = new CallContext();
  assert.is(call(context, 'DEBUG QUICKLIST-PACKED-THRESHOLD 5'), 'OK');
  call(context, ['RPUSH', 'l', x(9000), 'a', 'longer', 'b']);
  assert.match(call(context, 'DEBUG OBJECT l') as string, / ql_nodes:4 /);
  call(context, 'LSET l 1 longer');
  call(context, 'LSET l 0 x');
  call(context, 'LINSERT l AFTER longer more');
  assert.equal(call(context, 'LRANGE l 0 -1'), ['x', 'longer', 'more', 'longer', 'b']);
});

list('inner nodes are compressed, and changed all the same', () => {
  const settings = { 'encoding.list-max-listpack-size': 2, 'encoding.list-compress-depth': 1 };
  const context = new CallContext({ settings });
  const expected = Array.from({ length: 20 }, (_, nth) => `${nth}${x(100)}`);
  call(context, ['RPUSH', 'l', ...expected]);
  call(context, ['LSET', 'l', '9', 'other']);
  call(context, ['LINSERT', 'l', 'BEFORE', 'other', 'one more']);
  call(context, ['LREM', 'l', '0', expected[4]!]);
  expected.splice(9, 1, 'one more', 'other');
  expected.splice(4, 1);
  assert.equal(call(context, 'LRANGE l 0 -1'), expected);
  assert.match(call(context, 'DEBUG OBJECT l') as string, /ql_compressed:1 /);
});

list.run();
