import { call, CallContext } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const keys = suite('keys');

/** Lines of one story: what each answers. */
type Story = readonly (readonly [line: string, reply: unknown])[];

const stories: Readonly<Record<string, Story>> = {
  'DEL, UNLINK, EXISTS and TOUCH count': [
    ['MSET a 1 b 2 c 3', 'OK'],
    ['EXISTS a b a nowhere', 3],
    ['TOUCH a nowhere a', 2],
    ['DEL a a nowhere', 1],
    ['UNLINK b c', 2],
    ['EXISTS b', 0],
    ['DEL', "-ERR wrong number of arguments for 'del' command"],
  ],
  'TYPE and OBJECT': [
    ['SET a 123', 'OK'],
    ['TYPE a', 'string'],
    ['TYPE nowhere', 'none'],
    ['OBJECT ENCODING a', 'int'],
    ['OBJECT ENCODING nowhere', null],
    ['OBJECT REFCOUNT a', 2147483647],
    ['SET a x', 'OK'],
    ['OBJECT REFCOUNT a', 1],
    ['OBJECT IDLETIME a', 0],
    [
      'OBJECT FREQ a',
      '-ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
    ],
    ['OBJECT FREQ nowhere', null],
    ['OBJECT', "-ERR wrong number of arguments for 'object' command"],
    ['OBJECT ENCODING', "-ERR wrong number of arguments for 'object|encoding' command"],
    ['OBJECT FOO a', "-ERR unknown subcommand 'FOO'. Try OBJECT HELP."],
  ],
  'RENAME and RENAMENX': [
    ['SET a 1 EX 10', 'OK'],
    ['RENAME a b', 'OK'],
    ['TTL b', 10],
    ['EXISTS a', 0],
    ['SET a 2', 'OK'],
    ['RENAMENX a b', 0],
    ['RENAME a b', 'OK'],
    ['GET b', '2'],
    ['TTL b', -1],
    ['RENAMENX b c', 1],
    ['RENAME c c', 'OK'],
    ['RENAMENX c c', 0],
    ['RENAME nowhere x', '-ERR no such key'],
    ['RENAMENX nowhere nowhere', '-ERR no such key'],
  ],
  COPY: [
    ['SET a 1 EX 10', 'OK'],
    ['COPY a b', 1],
    ['TTL b', 10],
    ['SET a 2', 'OK'],
    ['COPY a b', 0],
    ['COPY a b REPLACE', 1],
    ['GET b', '2'],
    ['TTL b', -1],
    ['COPY a b DB 1', 1],
    ['COPY a b DB 1', 0],
    ['COPY a b REPLACE DB 1', 1],
    ['COPY a a DB 1', 1],
    ['COPY a a', '-ERR source and destination objects are the same'],
    ['COPY a b DB', '-ERR syntax error'],
    ['COPY a b FOO', '-ERR syntax error'],
    ['COPY a b DB 16', '-ERR DB index is out of range'],
    ['COPY a b DB -1', '-ERR DB index is out of range'],
    ['COPY a b DB x', '-ERR value is not an integer or out of range'],
    [
      'COPY a b DB 2147483648',
      '-ERR value is out of range, value must between -2147483648 and 2147483647',
    ],
    ['COPY nowhere b', 0],
  ],
  MOVE: [
    ['SET a 1 EX 10', 'OK'],
    ['MOVE a 1', 1],
    ['EXISTS a', 0],
    ['SET a 2', 'OK'],
    ['MOVE a 1', 0],
    ['MOVE nowhere 1', 0],
    ['MOVE a 0', '-ERR source and destination objects are the same'],
    ['MOVE a 16', '-ERR DB index is out of range'],
    ['MOVE a x', '-ERR value is not an integer or out of range'],
  ],
  'whole databases': [
    ['MSET a 1 b 2', 'OK'],
    ['DBSIZE', 2],
    ['SWAPDB 0 1', 'OK'],
    ['DBSIZE', 0],
    ['SWAPDB 1 0', 'OK'],
    ['DBSIZE', 2],
    ['SWAPDB 0 16', '-ERR DB index is out of range'],
    ['SWAPDB -1 0', '-ERR DB index is out of range'],
    ['SWAPDB x 0', '-ERR invalid first DB index'],
    ['SWAPDB 0 x', '-ERR invalid second DB index'],
    ['SWAPDB 0 2147483648', '-ERR invalid second DB index'],
    ['SWAPDB 16 x', '-ERR invalid second DB index'],
    ['FLUSHDB LATER', '-ERR syntax error'],
    ['FLUSHDB ASYNC SYNC', '-ERR syntax error'],
    ['FLUSHDB async', 'OK'],
    ['DBSIZE', 0],
    ['SET a 1', 'OK'],
    ['FLUSHALL SYNC', 'OK'],
    ['DBSIZE', 0],
    ['FLUSHALL NOW', '-ERR syntax error'],
  ],
};

for (const [name, story] of Object.entries(stories)) {
  keys(name, () => {
    const context = new CallContext();
    for (const [line, reply] of story) assert.equal(call(context, line), reply, line);
  });
}

keys('announces what happened, in the database where it did', () => {
  const context = new CallContext();
  call(context, 'SET a 1');
  context.takeAnnounced();
  for (const line of ['RENAME a b', 'COPY b c', 'MOVE c 3', 'DEL b nowhere', 'SWAPDB 3 4']) {
    call(context, line);
  }
  call(context, 'FLUSHDB');
  call(context, 'FLUSHALL');
  assert.equal(context.takeAnnounced(), [
    '~n new b',
    'g rename_from a',
    'g rename_to b',
    '~n new c',
    'g copy_to c',
    '~n new c',
    'g move_from c',
    'g move_to c',
    'g del b',
    'swapped 3 4',
    'flushed 0',
    'uncounted',
    'flushed -1',
    'uncounted',
  ]);
});

const patterns: readonly (readonly [pattern: string, found: readonly string[]])[] = [
  ['*', ['one', 'three', 'two']],
  ['t*', ['three', 'two']],
  ['?n?', ['one']],
  ['[to]??', ['one', 'two']],
  ['x*', []],
];

for (const [pattern, found] of patterns) {
  keys(`KEYS ${pattern}`, () => {
    const context = new CallContext();
    call(context, 'MSET one 1 two 2 three 3');
    call(context, 'SET gone 1 PX 1');
    context.nowMs += 5;
    assert.equal((call(context, ['KEYS', pattern]) as string[]).sort(), found);
  });
}

keys('RANDOMKEY answers every key sooner or later, and no ended one', () => {
  const context = new CallContext();
  assert.is(call(context, 'RANDOMKEY'), null);
  call(context, 'MSET a 1 b 2 c 3');
  call(context, 'SET gone 1 PX 1');
  context.nowMs += 5;
  const seen = new Set<unknown>();
  for (let nth = 0; nth < 100; nth += 1) seen.add(call(context, 'RANDOMKEY'));
  assert.equal([...seen].sort(), ['a', 'b', 'c']);
  call(context, 'FLUSHALL');
  call(context, 'SET gone 1 PX 1');
  context.nowMs += 5;
  assert.is(call(context, 'RANDOMKEY'), null);
});

keys('under LFU, uses are counted instead of idle time', () => {
  const context = new CallContext();
  context.store.setPolicy('allkeys-lfu');
  call(context, 'SET a 1');
  assert.type(call(context, 'OBJECT FREQ a'), 'number');
  assert.match(String(call(context, 'OBJECT IDLETIME a')), /^-ERR An LFU maxmemory policy is/);
  assert.is(call(context, 'OBJECT REFCOUNT a'), 1);
});

keys('TOUCH ends idleness, looking does not', () => {
  const context = new CallContext();
  call(context, 'SET a 1');
  context.nowMs += 10_000;
  for (const line of ['TYPE a', 'EXISTS a', 'TTL a', 'OBJECT ENCODING a']) call(context, line);
  assert.is(call(context, 'OBJECT IDLETIME a'), 10);
  call(context, 'TOUCH a');
  assert.is(call(context, 'OBJECT IDLETIME a'), 0);
});

keys('OBJECT HELP names its subcommands', () => {
  const lines = call(new CallContext(), 'OBJECT HELP') as string[];
  assert.is(lines[0], 'OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:');
  assert.equal(lines.slice(-2), ['HELP', '    Print this help.']);
});

keys.run();
